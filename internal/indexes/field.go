package indexes

import (
	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/internal/fields"
)

// Field returns an error if x is known to have no field of this name, so that the name is misspelled:
// x has documents, none of them has the field, and by the mapping none can get it. Of an alias, all members
// must lack it. Of an index in another process nothing is known, unless it or the alias has a mapping here.
func Field(x bleve.Index, name string) error {
	var wrong error
	for _, leaf := range Leaves(x) {
		m := leaf.Mapping()
		if own, ok := m.(*mapping.IndexMappingImpl); !ok || own == nil {
			m = x.Mapping()
		}
		err := fields.Known(m, name)
		if err == nil {
			return nil
		}
		var docs uint64
		switch r, none := Reader(leaf); {
		case none == bleve.ErrorIndexClosed: // which the search says
			return nil
		case none != nil: // in another process
			docs, _ = leaf.DocCount()
		default:
			docs, err = fields.In(r, m, name)
			if r.Close(); err == nil {
				return nil
			}
		}
		if docs > 0 && wrong == nil {
			wrong = Named(leaf.Name(), err)
		}
	}
	return wrong
}
