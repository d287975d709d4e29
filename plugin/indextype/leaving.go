package indextype

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/internal/templates"
)

// leaving has what an index leaves out of signatures: the templates of each field.
type leaving struct {
	fields atomic.Pointer[map[string]*templates.Sets] // not changed once it is here
}

// all returns the templates in force, by field.
func (l *leaving) all() map[string]*templates.Sets {
	if fields := l.fields.Load(); fields != nil {
		return *fields
	}
	return nil
}

// put puts sets in force, or none if they are nil. The caller must be alone.
func (l *leaving) put(field string, sets *templates.Sets) {
	fields := maps.Clone(l.all())
	if fields == nil {
		fields = map[string]*templates.Sets{}
	}
	if fields[field] = sets; sets == nil {
		delete(fields, field)
	}
	l.fields.Store(&fields)
}

// open reads the internal values of an index. It returns an error if one cannot be read, or its
// mapping, as JSON, signs the field in another way: signatures would match nothing of what is
// there.
func (l *leaving) open(internal map[string][]byte, m []byte) error {
	for _, key := range slices.Sorted(maps.Keys(internal)) {
		field, ok := strings.CutPrefix(key, templates.Prefix)
		if !ok {
			continue
		}
		sets, err := templates.Parse(internal[key])
		if err != nil {
			return fmt.Errorf("neardup: field %q: kept in the index: %w", field, err)
		}
		l.put(field, sets)
	}
	return l.fits(m)
}

// fits returns an error if a mapping, as JSON, does not sign fields so that what is in force can
// be left out. A mapping that cannot be read, or is not there yet, is for bleve to report.
func (l *leaving) fits(data []byte) error {
	all, m := l.all(), mapping.NewIndexMapping()
	if len(all) == 0 || data == nil || json.Unmarshal(data, m) != nil {
		return nil
	}
	for _, field := range slices.Sorted(maps.Keys(all)) {
		if err := fits(m, field, all[field]); err != nil {
			return err
		}
	}
	return nil
}

func fits(m mapping.IndexMapping, field string, sets *templates.Sets) error {
	a, err := neardup.Of(m, field)
	if err == nil {
		err = sets.Fits(a)
	}
	if err != nil {
		return fmt.Errorf("neardup: templates of field %q: %w", field, err)
	}
	return nil
}
