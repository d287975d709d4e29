package serve

import (
	"cmp"
	"context"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/internal/indexes"
)

// Which terms a query looks up depends on analyzers, and on the terms of the index. So the
// query is asked for its searcher, as bleve would ask, on a reader that counts what is
// looked up and finds nothing. It ends with an error as soon as that is too much.

// indexes prices the request on an index, or on the members of an alias that are in this
// process.
func (p *pricer) indexes(ctx context.Context, x bleve.Index) error {
	for _, leaf := range indexes.Leaves(x) {
		reader, err := indexes.Reader(leaf)
		if err != nil {
			continue // a remote one, or one that is closed, as the search will say
		}
		err = p.meter(ctx, leaf, reader)
		reader.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// meter prices the request on a snapshot.
func (p *pricer) meter(ctx context.Context, x bleve.Index, reader index.IndexReader) error {
	m := &meter{ctx: ctx, limits: p.limits}
	var dry index.IndexReader = &dryReader{reader, m}
	s, ok := reader.(*scorch.IndexSnapshot)
	if ok {
		dry = &dryScorch{dryReader{reader, m}, s}
	}
	r := p.request
	located := r.IncludeLocations || r.Highlight != nil
	o := search.SearcherOptions{Explain: r.Explain, IncludeTermVectors: located, Score: r.Score}
	for _, q := range p.queries() {
		searcher, err := q.Searcher(ctx, dry, x.Mapping(), o)
		if err == nil {
			err = searcher.Close()
		}
		switch {
		case m.err != nil: // whatever bleve made of it
			return m.err
		case err != nil:
			return refused("%w", err)
		}
	}
	if err := m.facets(reader, r.Facets); err != nil || !ok {
		return err
	}
	return m.uninverted(s, r.Facets, p.orders)
}

// meter counts what a request looks up in one index.
type meter struct {
	ctx    context.Context
	limits Limits
	err    error // the first

	terms, walks, steps int // walks in terms
}

// fail keeps the first error: bleve may pass over some.
func (m *meter) fail(err error) error {
	if m.err == nil {
		m.err = err
	}
	return err
}

// check returns err, the first error, or the error of the context.
func (m *meter) check(err error) error { return m.fail(cmp.Or(err, m.err, m.ctx.Err())) }

// lookup counts a term that is looked up.
func (m *meter) lookup() error {
	m.terms++
	return m.check(within("terms", m.limits.Terms, m.terms))
}

// pattern counts a walk through the terms of a field, or a dearer one as so many terms.
func (m *meter) pattern(terms int) error {
	m.walks += max(perPattern, terms)
	return m.check(within("terms", m.limits.Terms, m.walks-perPattern+1))
}

// regexp counts the automaton of a regexp.
func (m *meter) regexp(pattern string) error {
	most := m.limits.Terms
	if most < 0 {
		return nil
	}
	m.steps += automaton(pattern, float64(most)*stepsPerTerm-float64(m.steps))
	if terms := over(m.steps, stepsPerTerm); terms > most {
		return m.fail(&Exceeded{Limit: "terms", Most: most, Got: terms, Uncounted: true})
	}
	return m.check(nil)
}

// walk counts a walk through the terms that open finds, which lets no more of them out than may still be looked up.
func (m *meter) walk(terms int, open func() (index.FieldDict, error)) (index.FieldDict, error) {
	if err := m.pattern(terms); err != nil {
		return nil, err
	}
	d, err := open()
	if err != nil {
		return nil, err
	}
	return &dict{FieldDict: d, meter: m}, nil
}

// dict is a dictionary whose terms are counted.
type dict struct {
	index.FieldDict
	meter *meter
	given int
}

// Next implements index.FieldDict.
func (d *dict) Next() (*index.DictEntry, error) {
	if err := d.meter.check(nil); err != nil {
		return nil, err
	}
	entry, err := d.FieldDict.Next()
	if entry == nil || err != nil {
		return entry, err
	}
	d.given++
	if most := d.meter.limits.Terms; most >= 0 && d.meter.terms+d.given > most {
		return nil, d.meter.fail(&Exceeded{Limit: "terms", Most: most, Got: d.meter.terms + d.given, Uncounted: true})
	}
	return entry, nil
}

// facets prices the terms that facets count, and the regexps that these have to match.
func (m *meter) facets(reader index.IndexReader, all bleve.FacetsRequest) error {
	terms := 0
	for _, f := range all {
		if f.TermPattern != "" {
			if err := m.regexp(f.TermPattern); err != nil {
				return err
			}
		}
		if len(f.NumericRanges) > 0 || len(f.DateTimeRanges) > 0 {
			continue
		}
		d, err := reader.FieldDict(f.Field)
		if err != nil {
			return err
		}
		terms += d.Cardinality()
		if err := cmp.Or(d.Close(), m.check(nil)); err != nil {
			return err
		}
	}
	return within("values", m.limits.Values, terms)
}

// uninverted prices fields without doc values, whose terms bleve reads into memory.
func (m *meter) uninverted(s *scorch.IndexSnapshot, facets bleve.FacetsRequest, orders []search.SortOrder) error {
	fields := map[string]bool{}
	for _, f := range facets {
		fields[f.Field] = true
	}
	for _, order := range orders {
		for _, field := range order.RequiredFields() {
			fields[field] = true
		}
	}
	docs := 0
	for _, segment := range s.Segments() {
		var values []string // the fields that have them
		if v, ok := segment.Segment().(interface{ VisitableDocValueFields() ([]string, error) }); ok {
			var err error
			if values, err = v.VisitableDocValueFields(); err != nil {
				return err
			}
		}
		for field := range fields {
			if slices.Contains(values, field) {
				continue
			}
			d, err := segment.Segment().Dictionary(field)
			if err != nil {
				return err
			}
			if d.Cardinality() > 0 {
				docs += int(segment.Segment().Count())
			}
		}
	}
	return m.check(within("values", m.limits.Values, docs*perUninverted))
}
