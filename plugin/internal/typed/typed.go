// Package typed finds the index of type neardup that a bleve.Index has inside.
package typed

import (
	"fmt"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

// Index returns the index of type neardup that x is, or is an alias of. Errors begin with the name
// of the package that asks, except for bleve's own.
func Index(who string, x bleve.Index) (*indextype.Index, error) {
	if err := indexes.Present(x); err != nil {
		return nil, fmt.Errorf("%s: %w", who, err)
	}
	if _, err := x.DocCount(); err == bleve.ErrorIndexClosed { // of which Advanced says nothing
		return nil, err
	}
	in, err := x.Advanced()
	if err != nil {
		return nil, err
	}
	n, ok := in.(*indextype.Index)
	if !ok {
		return nil, fmt.Errorf("%s: %s: wanted an index of type %q, got a %T without signatures: package plugin/backfill makes one of it", who, x.Name(), indextype.Name, in)
	}
	return n, nil
}
