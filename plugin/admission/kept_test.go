package admission_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/indextype"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
)

// reopen closes an index and opens it again by bleve.OpenUsing.
func reopen(t *testing.T, x bleve.Index, path string, config map[string]any) bleve.Index {
	t.Helper()
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	x, err := bleve.OpenUsing(path, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// action is what would become of a document of that text.
func action(t *testing.T, x bleve.Index, text string) admission.Action {
	t.Helper()
	b := x.NewBatch()
	if err := b.Index("of no other", map[string]any{"body": text}); err != nil {
		t.Fatal(err)
	}
	verdicts, err := plugin.DryRun(context.Background(), x, b)
	if err != nil {
		t.Fatal(err)
	}
	return verdicts[0].Action
}

// A policy is in force when the index is opened again, and in a copy of the index, until
// it is taken back.
func TestPolicyKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x")
	x := newIndex(t, path)
	text := words(rand.New(rand.NewPCG(1, 1)), 1)
	submit(t, x, page{id: "a", body: text})
	check := func(when string, x bleve.Index, want admission.Action) {
		t.Helper()
		if got := action(t, x, text); got != want {
			t.Errorf("%s: got %s, want %s", when, got, want)
		}
	}
	setPolicy(t, x, admission.Policy{Near: admission.Tag})
	setPolicy(t, x, admission.Policy{Near: admission.Reject})
	x = reopen(t, x, path, nil)
	check("opened by bleve", x, admission.Reject)
	x.Close()
	x, err := plugin.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	check("opened by plugin", x, admission.Reject)
	copied := filepath.Join(t.TempDir(), "copy")
	if err := x.(bleve.IndexCopyable).CopyTo(bleve.FileSystemDirectory(copied)); err != nil {
		t.Fatal(err)
	}
	c, err := plugin.Open(copied)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	check("a copy", c, admission.Reject)

	read := reopen(t, x, path, map[string]any{"read_only": true})
	check("read-only", read, admission.Reject)
	if err := plugin.SetPolicy(context.Background(), read, &admission.Policy{Near: admission.Tag}); err == nil || !strings.Contains(err.Error(), "read_only") {
		t.Errorf("a policy that cannot be kept: got %v", err)
	}
	check("after that", read, admission.Reject)

	x = reopen(t, read, path, nil)
	if err := plugin.SetPolicy(context.Background(), x, nil); err != nil {
		t.Fatal(err)
	}
	check("taken back", x, admission.Accept)
	x = reopen(t, x, path, nil)
	check("taken back and opened", x, admission.Accept)
	if value, err := x.GetInternal([]byte(gate.PolicyKey)); value != nil || err != nil {
		t.Errorf("it left %q, %v", value, err)
	}
}

// A policy that cannot be read whole is an error of opening the index: else everything
// would be accepted.
func TestPolicyUnreadable(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		`{`:                              `policy kept in the index: admission: policy: wanted a JSON value`,
		`null`:                           `got null`,
		`{"colour":1}`:                   `got "colour"`,
		`{"near":"drop"}`:                `got "drop"`,
		`{"near":"tag","field":"title"}`: `wanted a fingerprinted field, one of ["neardup"], got "title"`,
	} {
		path := filepath.Join(t.TempDir(), "x")
		x := newIndex(t, path)
		inner, err := x.Advanced()
		if err != nil {
			t.Fatal(err)
		}
		b := index.NewBatch()
		b.SetInternal([]byte(gate.PolicyKey), []byte(value))
		if err := inner.(*indextype.Index).Engine.Batch(b); err != nil {
			t.Fatal(err)
		}
		x.Close()
		for range 2 { // a failed open leaves nothing locked
			x, err = plugin.Open(path)
			if err == nil {
				x.Close()
			}
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Fatalf("%s: got %v, want %s", value, err, want)
			}
		}
	}
	x := newIndex(t, "")
	b := x.NewBatch()
	b.SetInternal([]byte(gate.PolicyKey), []byte(`{}`))
	if err := x.Batch(b); err == nil || !strings.Contains(err.Error(), "wanted SetPolicy to write it") {
		t.Errorf("a batch: got %v", err)
	}
	if err := x.DeleteInternal([]byte(gate.PolicyKey)); err == nil {
		t.Error("it can be deleted by itself")
	}
}
