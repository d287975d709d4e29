package near_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
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
	enc := json.NewEncoder(&out)
	for g, err := range all {
		if err == nil {
			err = enc.Encode(g)
		}
		if err != nil {
			t.Fatal(err)
		}
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
