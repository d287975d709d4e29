package signing

import (
	"errors"
	"expvar"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/document"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/internal/column"
)

// fingerprinted returns the analyzer of a fingerprinted field, or nil.
func fingerprinted(f index.Field) *neardup.Analyzer {
	if text, ok := f.(*document.TextField); ok {
		a, _ := text.Analyzer().(*neardup.Analyzer)
		return a
	}
	return nil
}

// source makes one signature: of all values of a document, and of its nested documents, that
// have the same field name.
type source struct {
	field    string
	analyzer *neardup.Analyzer
	values   [][]byte
	counts   *expvar.Map
	without  *template.Set // what is left out; nil if nothing is

	figures        neardup.Figures // what is made beside the signature
	made           bool
	neardup.Signed      // zero until it is made
	carried        bool // a value carries the terms of all
	untokenized    bool // there is text, but no token in it, and so no signature
	termless       bool // no value has a term
}

// make makes the signature once: when the fields are visited for the first time, which scorch does in
// one worker. It visits them again after all workers are done, so make needs no lock.
func (s *source) make() {
	if s.made {
		return
	}
	s.made = true
	s.Signed = must(s.analyzer.SignWith(s.figures, s.without, s.values...)) // sign has asked whether the analyzer takes it
	s.termless = len(s.Terms) == 0
	s.untokenized = s.Signature.Tokens == 0 && s.analyzer.Untokenized(s.values...)
	s.count()
}

// count counts the signature, as indextype.Index.StatsMap says.
func (s *source) count() {
	if s.untokenized { // it is not stored
		s.counts.Add("untokenized", 1)
		return
	}
	s.counts.Add("signed", 1)
	if s.Left > 0 {
		s.counts.Add("shortened", 1)
	}
	switch {
	case s.Signature.Tokens == 0:
		s.counts.Add("empty", 1)
	case s.Signature.Shingles == 0:
		s.counts.Add("short", 1)
	}
}

// valueField is one value of a fingerprinted field, stored if the mapping says so. The first
// value carries the terms of all values.
type valueField struct {
	*document.TextField
	source *source
	first  bool
	length int
	freqs  index.TokenFrequencies
}

// absent reports whether the segment would learn nothing of f: it is neither stored nor in doc values, and the
// analyzer made no terms. For each field of a segment vellum clears 20,000 cells, which takes as long as
// the signature of a long text.
func (f *valueField) absent() bool {
	f.source.make()
	return f.source.termless && f.Options()&(index.StoreField|index.DocValues) == 0
}

func (f *valueField) Analyze() {
	f.source.make()
	if f.first {
		f.length = len(f.source.Terms)
		f.freqs = analysis.TokenFrequency(f.source.Terms, f.ArrayPositions(), f.Options())
		f.source.Terms = nil
	}
}

func (f *valueField) AnalyzedLength() int                              { return f.length }
func (f *valueField) AnalyzedTokenFrequencies() index.TokenFrequencies { return f.freqs }

// storedField is a stored field whose value is not known before the signature is made. It has no terms.
type storedField struct {
	name   string
	value  func(*source) []byte
	source *source // nil if the field is not of a signature
}

// absent reports whether f belongs to a signature that does not exist. VisitFields asks for each field, so a signature
// is made before one of its fields is seen.
func (f *storedField) absent() bool {
	if f.source == nil {
		return false
	}
	f.source.make()
	return f.source.untokenized
}

func (f *storedField) Name() string                                     { return f.name }
func (f *storedField) Value() []byte                                    { return f.value(f.source) }
func (f *storedField) Options() index.FieldIndexingOptions              { return index.StoreField }
func (f *storedField) ArrayPositions() []uint64                         { return nil }
func (f *storedField) EncodedFieldType() byte                           { return 't' }
func (f *storedField) NumPlainTextBytes() uint64                        { return 0 }
func (f *storedField) Analyze()                                         {}
func (f *storedField) AnalyzedLength() int                              { return 0 }
func (f *storedField) AnalyzedTokenFrequencies() index.TokenFrequencies { return nil }

// inPlace is a field whose bytes are doc values, without chunks and compression, so that a signature is read in its
// place in the file; a stored field is unpacked together with the document's text. It is stored, too, for hits that go
// to another process.
//
// bleve makes doc values of terms, and 200 bytes that differ in each document would fill its dictionary. So the bytes
// come as a geo shape: scorch adds these to the doc values alone (zapx, section_inverted_text_index.go,
// extraDocValues). The field has one term, the same in all documents, without which scorch loses doc values as it
// merges.
type inPlace struct {
	storedField
	bytes   func(*source) []byte
	options index.FieldIndexingOptions // besides those that doc values need
}

var (
	_ index.GeoShapeField = (*inPlace)(nil)

	// inPlaceTerms is only read.
	inPlaceTerms = func() index.TokenFrequencies {
		one := &index.TokenFreq{Term: []byte(column.InPlace)}
		one.SetFrequency(1)
		return index.TokenFrequencies{column.InPlace: one}
	}()
)

func (f *inPlace) Options() index.FieldIndexingOptions {
	return f.options | index.IndexField | index.SkipFreqNorm | index.DocValues | index.SkipDVChunking | index.SkipDVCompression
}

func (f *inPlace) EncodedShape() []byte { return f.bytes(f.source) }
func (f *inPlace) GeoShape() (index.GeoJSON, error) {
	return nil, errors.New("neardup: a signature is no shape")
}
func (f *inPlace) AnalyzedLength() int                              { return 1 }
func (f *inPlace) AnalyzedTokenFrequencies() index.TokenFrequencies { return inPlaceTerms }

// must returns what a function made that never fails.
func must[T any](made T, err error) T {
	if err != nil {
		panic(err)
	}
	return made
}

// fields appends the fields of the signature, which is made before their values are read: see absent.
func (s *source) fields(to []index.Field) []index.Field {
	name := signature.Field(s.field)
	to = append(to,
		&inPlace{
			storedField{name.Sketch(), func(s *source) []byte { return must(s.Signature.MarshalText()) }, s},
			func(s *source) []byte { return must(s.Signature.MarshalBinary()) }, index.StoreField,
		},
		&storedField{name.Simhash(), func(s *source) []byte { return []byte(simhash.Text(s.Signature.Simhash)) }, s},
	)
	if s.analyzer.Params().Passages > 0 {
		none := func(*source) []byte { return nil }
		to = append(to, &inPlace{storedField{name.Passages(), none, s}, func(s *source) []byte { return must(s.Passages.MarshalBinary()) }, 0})
	}
	return to
}

// visitAll visits the fields of doc and of the documents nested in it.
func visitAll(doc index.Document, visit index.FieldVisitor) {
	doc.VisitFields(visit)
	if nested, ok := doc.(index.NestedDocument); ok {
		nested.VisitNestedDocuments(func(d index.Document) { visitAll(d, visit) })
	}
}
