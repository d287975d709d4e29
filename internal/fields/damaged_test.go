package fields_test

import (
	"errors"
	"testing"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/fields"
)

// damaged is a snapshot in whose doc values bleve panics.
type damaged struct{ index.IndexReader }

func (d damaged) DocValueReader([]string) (index.DocValueReader, error) { return d, nil }

func (damaged) VisitDocValues(index.IndexInternalID, index.DocValueVisitor) error {
	panic("index out of range")
}

func (damaged) BytesRead() uint64 { return 0 }

// A panic of bleve's is an error, wherever values are read.
func TestDamaged(t *testing.T) {
	t.Parallel()
	id := index.NewIndexInternalID(nil, 3)
	if _, err := fields.Of(damaged{}, []string{"a"}, id); !errors.Is(err, signature.ErrMalformed) {
		t.Errorf("got %v, wanted an error of damage", err)
	}
}
