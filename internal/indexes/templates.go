package indexes

import (
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/internal/leftout"
)

// Templates returns what x, or the indexes that x is an alias of, leave out of signatures of a
// field, each of what differs once; nil is among them if an index leaves nothing out. An index in
// another process that cannot say it does not count. An index that does not answer does not count
// either, since searches report that; but if no other index says it, its error is returned. Sets that
// cannot be read are always an error.
func Templates(x bleve.Index, field string) (all []*template.Sets, err error) {
	var silent error
	for _, leaf := range Leaves(x) {
		value, err := leaf.GetInternal([]byte(leftout.Prefix + field))
		if err != nil {
			if err != bleve.ErrorAliasEmpty && err != bleve.ErrorAliasMulti && silent == nil {
				silent = err
			}
			continue
		}
		sets, err := template.ParseSets(value)
		if err != nil {
			return nil, Named(leaf.Name(), fmt.Errorf("field %q: kept in the index: %w", field, err))
		}
		if !slices.ContainsFunc(all, sets.Equal) {
			all = append(all, sets)
		}
	}
	if len(all) == 0 {
		return nil, silent
	}
	return all, nil
}

// OneTemplates is Templates where a text must have one signature for all of x: an error if
// indexes leave out what differs.
func OneTemplates(x bleve.Index, field string) (*template.Sets, error) {
	all, err := Templates(x, field)
	switch {
	case err != nil || len(all) == 0:
		return nil, err
	case len(all) > 1:
		return nil, fmt.Errorf("index %q: field %q: wanted members that leave the same templates out of signatures, got %d that differ: sign the text for one of them (plugin.SignScoped), or use the same templates in all", x.Name(), field, len(all))
	}
	return all[0], nil
}
