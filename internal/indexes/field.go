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
	unread := false
	for _, leaf := range Leaves(x) {
		m, ok := leaf.Mapping().(*mapping.IndexMappingImpl)
		if !ok || m == nil {
			unread = true
			continue
		}
		n, err := lacks(leaf, m, name)
		if err == nil {
			return nil
		}
		if n > 0 && wrong == nil {
			wrong = Named(leaf.Name(), err)
		}
	}
	if !unread {
		return wrong
	}
	err := fields.Known(x.Mapping(), name)
	if n, _ := x.DocCount(); err == nil || n == 0 {
		return nil
	}
	return Named(x.Name(), err)
}

// lacks returns an error if no document of x, which is no alias, has a field of this name, nor can get it,
// and how many documents x has.
func lacks(x bleve.Index, m mapping.IndexMapping, name string) (n uint64, err error) {
	wrong := fields.Known(m, name)
	if wrong == nil {
		return 0, nil
	}
	_, r, err := Reader(x)
	switch {
	case err == bleve.ErrorIndexClosed:
		return 0, nil // which the search says
	case err != nil: // in another process
		n, _ = x.DocCount()
		return n, wrong
	}
	defer r.Close()
	return fields.Lacks(r, wrong, name)
}
