package backfill

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/standard"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/char"
	classic "github.com/neardup/bleve-neardup/analysis/classic/token"
	"github.com/neardup/bleve-neardup/analysis/token"
)

// PlainMapping returns a copy of m for a program without this library:
//
//   - A field whose analyzer is of type neardup, or uses one of the token filters
//     neardup_band, neardup_minhash, neardup_shingle and neardup_supershingle, has
//     fingerprints for terms and goes. If the mapping stores it, it stays as a stored field
//     that is not indexed, since its text might be nowhere else.
//   - Where such an analyzer is the default one, bleve's "standard" takes its place, so that
//     dynamic text can be searched.
//   - Analyzers, char filters and token filters of these types that the mapping defines go.
//   - All else stays as it is.
//
// A field of words whose analyzer uses a char filter of this library's, neardup_html or
// neardup_skeleton, has no equal without it. PlainMapping then returns an error that names
// the fields: give them another analyzer in a copy of m first.
func PlainMapping(m mapping.IndexMapping) (*mapping.IndexMappingImpl, error) {
	impl, ok := m.(*mapping.IndexMappingImpl)
	if !ok {
		return nil, fmt.Errorf("backfill: wanted a *mapping.IndexMappingImpl, got a %T", m)
	}
	p, err := newPlain(impl)
	if err != nil {
		return nil, err
	}
	return p.mapping, nil
}

// ours are the names, in a mapping, of what only this library has.
type ours struct {
	prints  map[string]bool // analyzers that make fingerprints
	words   map[string]bool // other analyzers, by our char filters
	chars   map[string]bool // char filters
	filters map[string]bool // token filters
	met     map[string]bool // of these, what the mapping defines or a field of it names
}

func newOurs(m *mapping.IndexMappingImpl) *ours {
	o := &ours{
		prints: map[string]bool{neardup.Name: true},
		words:  map[string]bool{},
		chars:  map[string]bool{char.HTML: true, char.Skeleton: true},
		filters: map[string]bool{
			token.Band: true, token.Shingle: true, classic.Minhash: true, classic.Supershingle: true,
		},
		met: map[string]bool{},
	}
	defined := m.CustomAnalysis
	if defined == nil {
		return o
	}
	add := func(to map[string]bool, name string) {
		to[name], o.met[name] = true, true
	}
	typed := func(to map[string]bool, configs map[string]map[string]any) {
		types := maps.Clone(to) // not the names that this adds
		for name, config := range configs {
			if t, _ := config["type"].(string); types[t] {
				add(to, name)
			}
		}
	}
	typed(o.chars, defined.CharFilters)
	typed(o.filters, defined.TokenFilters)
	typed(o.prints, defined.Analyzers)
	for name, config := range defined.Analyzers {
		switch {
		case config["type"] != custom.Name:
		case uses(config["token_filters"], o.filters):
			add(o.prints, name)
		case uses(config["char_filters"], o.chars):
			add(o.words, name)
		}
	}
	return o
}

// uses reports whether one of the names in a configuration is among some.
func uses(config any, some map[string]bool) bool {
	var names []string
	switch list := config.(type) {
	case []string:
		names = list
	case []any:
		for _, v := range list {
			name, _ := v.(string)
			names = append(names, name)
		}
	}
	return slices.ContainsFunc(names, func(name string) bool { return some[name] })
}

// makesPrints reports whether the analyzer so named makes fingerprints.
func (o *ours) makesPrints(analyzer string) bool {
	if o.prints[analyzer] {
		o.met[analyzer] = true
	}
	return o.prints[analyzer]
}

// found returns what of these names the mapping has, sorted.
func (o *ours) found() []string { return slices.Sorted(maps.Keys(o.met)) }

// plain is a mapping on its way to one without this library's names.
type plain struct {
	*ours
	mapping *mapping.IndexMappingImpl
	kept    map[string]bool // names of fields that stay, in some document mapping
	dropped map[string]bool // names of fields that go, in all
	errs    []string
}

func newPlain(m *mapping.IndexMappingImpl) (*plain, error) {
	own, err := clone(m)
	if err != nil {
		return nil, err
	}
	p := &plain{ours: newOurs(own), mapping: own, kept: map[string]bool{}, dropped: map[string]bool{}}
	standardName := own.DefaultAnalyzer
	if p.makesPrints(own.DefaultAnalyzer) {
		own.DefaultAnalyzer = standard.Name
	}
	if p.words[own.DefaultAnalyzer] {
		p.fail("default_analyzer", own.DefaultAnalyzer)
	}
	p.document(own.DefaultMapping, "default_mapping", nil, standardName)
	for _, name := range slices.Sorted(maps.Keys(own.TypeMapping)) {
		p.document(own.TypeMapping[name], "types."+name, nil, standardName)
	}
	if defined := own.CustomAnalysis; defined != nil {
		for name, config := range defined.SynonymSources {
			if analyzer, _ := config["analyzer"].(string); p.prints[analyzer] || p.words[analyzer] {
				p.fail("synonym source "+name, analyzer)
			}
		}
		maps.DeleteFunc(defined.Analyzers, func(name string, _ map[string]any) bool { return p.prints[name] || p.words[name] })
		maps.DeleteFunc(defined.CharFilters, func(name string, _ map[string]any) bool { return p.chars[name] })
		maps.DeleteFunc(defined.TokenFilters, func(name string, _ map[string]any) bool { return p.filters[name] })
	}
	if p.errs != nil {
		slices.Sort(p.errs)
		return nil, fmt.Errorf("backfill: wanted analyzers of words without the char filters of this library, got %s: give these fields another analyzer first", strings.Join(p.errs, ", "))
	}
	maps.DeleteFunc(p.dropped, func(name string, _ bool) bool { return p.kept[name] })
	p.mapping, err = clone(own) // its analyzers were made of what it no longer names
	return p, err
}

// clone returns a copy of a mapping, by way of its JSON.
func clone(m *mapping.IndexMappingImpl) (*mapping.IndexMappingImpl, error) {
	data, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	c := mapping.NewIndexMapping()
	if err := json.Unmarshal(data, c); err != nil {
		return nil, err
	}
	return c, c.Validate()
}

func (p *plain) fail(place, analyzer string) {
	p.errs = append(p.errs, fmt.Sprintf("%s with %q", place, analyzer))
}

// document takes our names out of a document mapping at a path; inherited is the analyzer of
// fields that name none.
func (p *plain) document(dm *mapping.DocumentMapping, place string, path []string, inherited string) {
	if dm == nil {
		return
	}
	if dm.DefaultAnalyzer != "" {
		inherited = dm.DefaultAnalyzer
		if p.makesPrints(inherited) {
			dm.DefaultAnalyzer = standard.Name
		}
		if p.words[inherited] {
			p.fail(place, inherited)
		}
	}
	dm.Fields = slices.DeleteFunc(dm.Fields, func(f *mapping.FieldMapping) bool { return p.goes(f, place, path, inherited) })
	for _, name := range slices.Sorted(maps.Keys(dm.Properties)) {
		p.document(dm.Properties[name], place+"."+name, append(path[:len(path):len(path)], name), inherited)
	}
}

// goes reports whether a field goes, and takes our names out of one that stays.
func (p *plain) goes(f *mapping.FieldMapping, place string, path []string, inherited string) bool {
	analyzer, name := cmp.Or(f.Analyzer, inherited), f.Name
	if len(path) > 0 {
		name = fieldName(path, f)
	}
	switch {
	case f.Type != "text":
		if p.makesPrints(f.Analyzer) || p.words[f.Analyzer] { // which does nothing there
			f.Analyzer = ""
		}
	case p.words[f.Analyzer]:
		p.fail(place, f.Analyzer)
	case p.makesPrints(analyzer) && !f.Store:
		p.dropped[name] = true
		return true
	case p.prints[analyzer]:
		f.Analyzer, f.Index, f.IncludeInAll, f.IncludeTermVectors, f.DocValues = "", false, false, false, false
	}
	p.kept[name] = true
	return false
}
