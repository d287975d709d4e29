package near_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/plugin/near"
)

// What is written as JSON is read as what All yields.
func TestWriteJSON(t *testing.T) {
	t.Parallel()
	x := someGroups(t, 21, 200)
	all := near.Groups(context.Background(), x, near.GroupsOptions{By: near.Components, MinSize: 1})
	want := collect(t, all)
	var out bytes.Buffer
	if err := near.WriteGroups(&out, all); err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(&out)
	dec.DisallowUnknownFields()
	for i := 0; ; i++ {
		var c near.Group
		err := dec.Decode(&c)
		if err == io.EOF && i == len(want) {
			return
		}
		if err != nil || i == len(want) || line(c) != want[i] || c.Members == nil {
			t.Fatalf("line %d: got %+v, %v", i, c, err)
		}
	}
}

// full fails after some bytes.
type full int

func (f *full) Write(p []byte) (int, error) {
	if *f -= full(len(p)); *f < 0 {
		return 0, errFull
	}
	return len(p), nil
}

var errFull = errors.New("full")

// Errors of groups and of the writer come back, and end the iteration.
func TestWriteErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	breaks := func(yield func(near.Group, error) bool) {
		if yield(near.Group{Head: near.Document{ID: "Zürich"}}, nil) {
			yield(near.Group{}, broken)
		}
	}
	var out strings.Builder
	if err := near.WriteGroups(&out, breaks); !errors.Is(err, broken) || !strings.Contains(out.String(), "Zürich") {
		t.Errorf("got %v after %q", err, out.String())
	}
	n := 0
	endless := func(yield func(near.Group, error) bool) {
		for n = 0; n < 100_000 && yield(near.Group{Head: near.Document{ID: "x"}}, nil); n++ {
		}
	}
	disk := full(10_000)
	if err := near.WriteGroups(&disk, endless); !errors.Is(err, errFull) || n > 10_000 {
		t.Errorf("got %v after %d groups", err, n)
	}
}
