package fields

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/internal/mappings"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// In returns an error if the index of a snapshot, which has the mapping m, has no field of this name and by m can get
// none; and how many documents it has. If these are none, the field might yet come by another mapping.
func In(r index.IndexReader, m mapping.IndexMapping, name string) (docs uint64, wrong error) {
	wrong = Known(m, name)
	if wrong == nil {
		return 0, nil
	}
	fields, err := r.Fields()
	if err != nil || slices.Contains(fields, name) { // no matter what wrote it
		return 0, nil
	}
	if docs, err = r.DocCount(); err != nil {
		return 0, nil
	}
	return docs, wrong
}

// Known returns an error if no document can get a field of this name by m. It returns nil if m cannot be
// read, because it is nil or no *mapping.IndexMappingImpl.
func Known(m mapping.IndexMapping, name string) error {
	impl, ok := m.(*mapping.IndexMappingImpl)
	if !ok || impl == nil || ours(name) || can(impl.DefaultMapping, name) {
		return nil
	}
	for _, dm := range impl.TypeMapping {
		if can(dm, name) {
			return nil
		}
	}
	return fmt.Errorf("wanted a field of the mapping, %s, got %q", listed(impl), name)
}

// CanBe reports whether documents can get a field of this name by m for which is holds, or one that m makes only when
// it meets it.
func CanBe(m *mapping.IndexMappingImpl, name string, is func(*mapping.FieldMapping) bool) (found bool) {
	made := map[*mapping.DocumentMapping]bool{}
	mappings.Visit(m, func(f mappings.Field) {
		if f.FieldMapping != nil && f.Name == name && !f.Off {
			made[f.Root], found = true, found || is(f.FieldMapping)
		}
	})
	for _, root := range append(slices.Collect(maps.Values(m.TypeMapping)), m.DefaultMapping) {
		found = found || !made[root] && can(root, name)
	}
	return found || ours(name)
}

// ours reports whether bleve or the index type writes a field of this name, without a word of it in a mapping.
// A score is none, but stands in orders.
func ours(name string) bool {
	switch name {
	case "_id", "_all", "_score":
		return true
	}
	return stored.Reserved(name)
}

// can reports whether documents of a document mapping can have a field of this name. A path is taken apart at
// each of its dots, since names of properties may have dots, too.
func can(dm *mapping.DocumentMapping, name string) bool {
	if dm == nil || !dm.Enabled {
		return false
	}
	own, ok := dm.Properties[name]
	if !ok && dm.Dynamic || ok && named(own, "") {
		return true
	}
	for i := range len(name) {
		if name[i] != '.' {
			continue
		}
		if sub, ok := dm.Properties[name[:i]]; !ok && dm.Dynamic || ok && can(sub, name[i+1:]) {
			return true
		}
	}
	for _, sub := range dm.Properties {
		if named(sub, name) {
			return true
		}
	}
	return false
}

// named reports whether a property has a field with this name of its own; "" is the name of the property.
func named(dm *mapping.DocumentMapping, name string) bool {
	return dm != nil && dm.Enabled &&
		slices.ContainsFunc(dm.Fields, func(f *mapping.FieldMapping) bool { return f.Name == name })
}

// mostListed is how many names an error lists.
const mostListed = 20

// listed returns the names of the fields of a mapping as an error has them.
func listed(m *mapping.IndexMappingImpl) string {
	all := map[string]bool{}
	mappings.Visit(m, func(f mappings.Field) {
		if f.Name != "" && !f.Off && !strings.HasPrefix(f.Name, "_") {
			all[f.Name] = true
		}
	})
	names := slices.Sorted(maps.Keys(all))
	switch n := len(names); {
	case n == 0:
		return "which has none"
	case n > mostListed:
		return fmt.Sprintf("one of %q and %d more", names[:mostListed], n-mostListed)
	}
	return fmt.Sprintf("one of %q", names)
}
