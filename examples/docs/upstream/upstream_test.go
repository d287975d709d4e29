// Package upstream shows what its notes say of bleve. Its tests demand the behaviour of the version in
// go.mod: one that fails says that bleve has changed, and that its note can go.
package upstream

import (
	"fmt"
	"testing"

	"github.com/blevesearch/bleve/v2"
)

// closing closes an index at the end of a test.
func closing(t *testing.T, index bleve.Index, err error) bleve.Index {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = index.Close() })
	return index
}

// write writes one document a batch, so that each has a segment of its own.
func write(t *testing.T, index bleve.Index, texts ...string) {
	t.Helper()
	for i, text := range texts {
		if err := index.Index(fmt.Sprint(i), map[string]any{"body": text}); err != nil {
			t.Fatal(err)
		}
	}
}
