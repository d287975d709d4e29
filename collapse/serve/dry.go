package serve

import (
	"context"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"
)

// dryReader is a reader that counts what is looked up, and finds nothing.
type dryReader struct {
	index.IndexReader
	meter *meter
}

// Dry tells queries that look things up by themselves that nobody wants to know: see
// package plugin/near.
func (d *dryReader) Dry() {}

func (d *dryReader) TermFieldReader(context.Context, []byte, string, bool, bool, bool) (index.TermFieldReader, error) {
	return noTerm{}, d.meter.lookup()
}

func (d *dryReader) DocIDReaderAll() (index.DocIDReader, error) {
	return noDocs{}, d.meter.lookup()
}

func (d *dryReader) DocIDReaderOnly([]string) (index.DocIDReader, error) {
	return noDocs{}, d.meter.lookup()
}

func (d *dryReader) FieldDict(field string) (index.FieldDict, error) {
	return d.meter.walk(0, func() (index.FieldDict, error) { return d.IndexReader.FieldDict(field) })
}

func (d *dryReader) FieldDictRange(field string, from, to []byte) (index.FieldDict, error) {
	return d.meter.walk(0, func() (index.FieldDict, error) { return d.IndexReader.FieldDictRange(field, from, to) })
}

func (d *dryReader) FieldDictPrefix(field string, prefix []byte) (index.FieldDict, error) {
	return d.meter.walk(0, func() (index.FieldDict, error) { return d.IndexReader.FieldDictPrefix(field, prefix) })
}

// Close closes nothing: the reader is somebody else's.
func (d *dryReader) Close() error { return nil }

// dryScorch is the same for scorch, whose readers can do more.
type dryScorch struct {
	dryReader
	snapshot *scorch.IndexSnapshot
}

var (
	_ index.IndexReaderRegexp     = (*dryScorch)(nil)
	_ index.IndexReaderFuzzy      = (*dryScorch)(nil)
	_ index.IndexReaderContains   = (*dryScorch)(nil)
	_ index.BM25Reader            = (*dryScorch)(nil)
	_ index.SpatialIndexPlugin    = (*dryScorch)(nil)
	_ index.GeoShapeV2IndexReader = (*dryScorch)(nil)
)

func (d *dryScorch) FieldDictRegexp(field, regexp string) (index.FieldDict, error) {
	found, _, err := d.FieldDictRegexpAutomaton(field, regexp)
	return found, err
}

func (d *dryScorch) FieldDictRegexpAutomaton(
	field, regexp string,
) (found index.FieldDict, a index.RegexAutomaton, err error) {
	if err := d.meter.regexp(regexp); err != nil {
		return nil, nil, err
	}
	found, err = d.meter.walk(0, func() (index.FieldDict, error) {
		found, a, err = d.snapshot.FieldDictRegexpAutomaton(field, regexp)
		return found, err
	})
	return found, a, err
}

func (d *dryScorch) FieldDictFuzzy(field, term string, fuzziness int, prefix string) (index.FieldDict, error) {
	found, _, err := d.FieldDictFuzzyAutomaton(field, term, fuzziness, prefix)
	return found, err
}

func (d *dryScorch) FieldDictFuzzyAutomaton(
	field, term string, fuzziness int, prefix string,
) (found index.FieldDict, a index.FuzzyAutomaton, err error) {
	found, err = d.meter.walk(2*len(term), func() (index.FieldDict, error) {
		found, a, err = d.snapshot.FieldDictFuzzyAutomaton(field, term, fuzziness, prefix)
		return found, err
	})
	return found, a, err
}

func (d *dryScorch) FieldDictContains(field string) (index.FieldDictContains, error) {
	if err := d.meter.pattern(0); err != nil {
		return nil, err
	}
	return d.snapshot.FieldDictContains(field)
}

func (d *dryScorch) FieldCardinality(field string) (int, error) {
	return d.snapshot.FieldCardinality(field)
}

func (d *dryScorch) GetSpatialAnalyzerPlugin(typ string) (index.SpatialAnalyzerPlugin, error) {
	return d.snapshot.GetSpatialAnalyzerPlugin(typ)
}

func (d *dryScorch) GeoShapeV2FieldReader(ctx context.Context, field string) (index.GeoShapeV2FieldReader, error) {
	if err := d.meter.pattern(0); err != nil {
		return nil, err
	}
	return d.snapshot.GeoShapeV2FieldReader(ctx, field)
}

// noTerm is the reader of a term that no document has.
type noTerm struct{}

func (noTerm) Next(*index.TermFieldDoc) (*index.TermFieldDoc, error) { return nil, nil }
func (noTerm) Advance(index.IndexInternalID, *index.TermFieldDoc) (*index.TermFieldDoc, error) {
	return nil, nil
}
func (noTerm) Count() uint64 { return 0 }
func (noTerm) Close() error  { return nil }
func (noTerm) Size() int     { return 0 }

// noDocs is the reader of no document's id.
type noDocs struct{}

func (noDocs) Next() (index.IndexInternalID, error)                         { return nil, nil }
func (noDocs) Advance(index.IndexInternalID) (index.IndexInternalID, error) { return nil, nil }
func (noDocs) Size() int                                                    { return 0 }
func (noDocs) Close() error                                                 { return nil }
