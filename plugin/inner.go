package plugin

import (
	"fmt"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

// inner returns the index of type neardup behind x, which may be an alias of one.
func inner(x bleve.Index) (*indextype.Index, error) {
	if err := indexes.Present(x); err != nil {
		return nil, fmt.Errorf("plugin: %w", err)
	}
	if _, err := x.DocCount(); err == bleve.ErrorIndexClosed { // of which Advanced says nothing
		return nil, err
	}
	in, err := x.Advanced()
	if err != nil {
		return nil, err
	}
	if n, ok := in.(*indextype.Index); ok {
		return n, nil
	}
	return nil, plain(x.Name(), in)
}
