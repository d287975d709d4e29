package column

import (
	"errors"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// Read finds signatures where no Store has the snapshot, and keeps none.
func TestRead(t *testing.T) {
	_, inner := plain(t, map[string]int{"a": 7, "none": 0, "damaged": -1})
	reader, err := inner.Reader()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	r := Read(reader, "f")
	for range 2 {
		for id, want := range map[string]int{"a": 7, "none": 0, "damaged": -1} {
			number, err := reader.InternalID(id)
			if err != nil {
				t.Fatal(err)
			}
			sig, err := r.Signature(number.Value())
			damaged := errors.Is(err, signature.ErrMalformed) || errors.Is(err, signature.ErrVersion)
			if want > 0 && (err != nil || sig.Tokens != 7) || want == 0 && err != stored.ErrNone || want < 0 && !damaged {
				t.Errorf("%s: got %v, error %v", id, sig, err)
			}
		}
	}
	if kept := r.store.kept; kept != 0 {
		t.Errorf("%d are kept", kept)
	}
	s := new(Store)
	s.Adopt(reader)
	if got := Read(reader, "f"); got.store != s {
		t.Error("the Store that has the snapshot was not found")
	}
	memory, err := bleve.NewMemOnly(bleve.NewIndexMapping())
	if err != nil {
		t.Fatal(err)
	}
	defer memory.Close()
	reader = newest(t, memory)
	defer reader.Close()
	if Read(reader, "f") != nil {
		t.Error("read a snapshot that is not scorch's")
	}
}
