package backfill

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/standard"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/internal/mappings"
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
	p, err := newPlain(m)
	if err != nil {
		return nil, err
	}
	return p.mapping, nil
}

// plain is a mapping on its way to one without this library's names.
type plain struct {
	mapping *mapping.IndexMappingImpl
	met     bool // it names or defines something of this library's
	errs    []string
}

func newPlain(m mapping.IndexMapping) (*plain, error) {
	impl, ok := m.(*mapping.IndexMappingImpl)
	if !ok {
		return nil, fmt.Errorf("backfill: wanted a *mapping.IndexMappingImpl, got a %T", m)
	}
	own, err := mappings.Copy(impl)
	if err != nil {
		return nil, err
	}
	p := &plain{mapping: own}
	inherited := own.DefaultAnalyzer
	own.DefaultAnalyzer = p.standard("default_analyzer", inherited)
	p.document(own.DefaultMapping, "default_mapping", inherited)
	for name, dm := range own.TypeMapping {
		p.document(dm, "types."+name, inherited)
	}
	if defined := own.CustomAnalysis; defined != nil {
		for name, config := range defined.SynonymSources {
			analyzer, _ := config["analyzer"].(string)
			if prints, words := p.makes(analyzer); prints || words {
				p.fail("synonym source "+name, analyzer)
			}
		}
		maps.DeleteFunc(defined.Analyzers, func(name string, _ map[string]any) bool {
			prints, words := p.makes(name)
			return prints || words
		})
		ofOurs := func(_ string, config map[string]any) bool {
			kind, _ := config["type"].(string)
			is := strings.HasPrefix(kind, neardup.Name+"_")
			p.met = p.met || is
			return is
		}
		maps.DeleteFunc(defined.CharFilters, ofOurs)
		maps.DeleteFunc(defined.TokenFilters, ofOurs)
	}
	if p.errs != nil {
		slices.Sort(p.errs)
		return nil, fmt.Errorf("backfill: wanted analyzers of words without the char filters of this library, got %s: give these fields another analyzer first", strings.Join(p.errs, ", "))
	}
	p.mapping, err = mappings.Copy(own) // its analyzers were made of what it no longer names
	return p, err
}

// makes reports whether the analyzer so named makes fingerprints, or else words by a char filter of this library's.
func (p *plain) makes(analyzer string) (prints, words bool) {
	if analyzer == "" {
		return false, false
	}
	switch a := p.mapping.AnalyzerNamed(analyzer).(type) {
	case *neardup.Analyzer:
		prints = true
	case *analysis.DefaultAnalyzer:
		prints = slices.ContainsFunc(a.TokenFilters, func(f analysis.TokenFilter) bool { return ours(f) })
		words = !prints && slices.ContainsFunc(a.CharFilters, func(f analysis.CharFilter) bool { return ours(f) })
	}
	p.met = p.met || prints || words
	return prints, words
}

// module is the module of this package.
var module = strings.TrimSuffix(reflect.TypeFor[plain]().PkgPath(), "plugin/backfill")

// ours reports whether a filter is of a type of this library's.
func ours(filter any) bool {
	t := reflect.TypeOf(filter)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return strings.HasPrefix(t.PkgPath(), module)
}

// standard returns what takes the place of a default analyzer.
func (p *plain) standard(place, analyzer string) string {
	prints, words := p.makes(analyzer)
	if words {
		p.fail(place, analyzer)
	}
	if prints {
		return standard.Name
	}
	return analyzer
}

func (p *plain) fail(place, analyzer string) {
	p.errs = append(p.errs, fmt.Sprintf("%s with %q", place, analyzer))
}

// document takes our names out of a document mapping; inherited is the analyzer of
// fields that name none.
func (p *plain) document(dm *mapping.DocumentMapping, place, inherited string) {
	if dm == nil {
		return
	}
	inherited = cmp.Or(dm.DefaultAnalyzer, inherited)
	dm.DefaultAnalyzer = p.standard(place, dm.DefaultAnalyzer)
	dm.Fields = slices.DeleteFunc(dm.Fields, func(f *mapping.FieldMapping) bool { return p.goes(f, place, inherited) })
	for name, sub := range dm.Properties {
		p.document(sub, place+"."+name, inherited)
	}
}

// goes reports whether a field goes, and takes our names out of one that stays.
func (p *plain) goes(f *mapping.FieldMapping, place, inherited string) bool {
	analyzer := f.Analyzer
	if f.Type == "text" {
		analyzer = cmp.Or(analyzer, inherited)
	}
	prints, words := p.makes(analyzer)
	switch {
	case f.Type != "text":
		if prints || words { // which does nothing there
			f.Analyzer = ""
		}
	case words && f.Analyzer != "":
		p.fail(place, analyzer)
	case prints && !f.Store:
		return true
	case prints:
		f.Analyzer, f.Index, f.IncludeInAll, f.IncludeTermVectors, f.DocValues = "", false, false, false, false
	}
	return false
}
