package column

import (
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"
)

// Read returns what Of does, or for a snapshot of a plain scorch index a Reader that
// keeps nothing in memory, which Lookup is not for; nil if reader is none of
// scorch's.
func Read(reader index.IndexReader, field string) *Reader {
	if r := Of(reader, field); r != nil {
		return r
	}
	snapshot, ok := reader.(*scorch.IndexSnapshot)
	if !ok {
		return nil
	}
	return newReader(&Store{most: -1}, snapshot, field)
}
