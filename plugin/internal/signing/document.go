// Package signing makes copies of a caller's documents that sign themselves when scorch analyses them in its workers.
// Describe makes the signatures before that, where a policy asks what a document is like.
package signing

import (
	"errors"
	"expvar"
	"fmt"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/single"
	"github.com/blevesearch/bleve/v2/document"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/internal/leftout"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// Document is a copy of a document, and gives scorch the signature in more fields. Its nested documents are copies,
// too; their fingerprinted values belong to the signature of the whole document.
type Document struct {
	*document.Document
	fields     []index.Field
	composites []*composite
	nested     []*Document
	visited    bool
	sources    map[string]*source // by field name, shared with nested
}

// Batch returns a batch with Documents in place of the documents of another, which stays as it is, and without its
// internal values. leftOut and counts are as in sign.
func Batch(batch *index.Batch, leftOut map[string]*template.Sets, counts *expvar.Map) (own *index.Batch, err error) {
	own = index.NewBatch()
	own.SetPersistedCallback(batch.PersistedCallback())
	own.IndexOps = make(map[string]index.Document, len(batch.IndexOps))
	for id, doc := range batch.IndexOps {
		if doc == nil {
			own.IndexOps[id] = nil
		} else if own.IndexOps[id], err = sign(doc, leftOut, counts); err != nil {
			return nil, err
		}
	}
	return own, nil
}

// ErrDocument is wrapped by the error for a document that the index never takes.
var ErrDocument = errors.New("invalid document")

type wrong struct{ error }

func (wrong) Unwrap() error { return ErrDocument }

// Wrong returns an error that wraps ErrDocument without repeating it.
func Wrong(format string, args ...any) error { return wrong{fmt.Errorf(format, args...)} }

// sign returns the Document of doc. leftOut has, by field, the templates that its signatures are made without. counts
// count the signatures as they are made. A doc with a field of a reserved name is an error. A doc that is not a
// *document.Document is returned as it is, and is an error if it has fingerprinted text.
func sign(doc index.Document, leftOut map[string]*template.Sets, counts *expvar.Map) (index.Document, error) {
	sources, reserved, wrong := map[string]*source{}, "", error(nil)
	visitAll(doc, func(f index.Field) {
		name := f.Name()
		if stored.Reserved(name) {
			reserved = name
		}
		a := fingerprinted(f)
		if a == nil {
			return
		}
		s := sources[name]
		if s == nil {
			without := leftOut[name].For(leftout.Texts(doc))
			s = &source{field: name, analyzer: a, counts: counts, without: without}
			sources[name] = s
			if err := a.Takes(s.without); err != nil {
				wrong = fmt.Errorf("neardup: document %q: field %q: %w", doc.ID(), name, err)
			}
		}
		s.values = append(s.values, f.Value())
	})
	d, ok := doc.(*document.Document)
	switch {
	case reserved != "":
		return nil, Wrong("neardup: document %q: field %q: wanted a name that is not reserved (%s, %s, %s, %s, %s, %s, %s)",
			doc.ID(), reserved, signature.Field("*").Sketch(), signature.Field("*").Simhash(), signature.Field("*").Time(), signature.Field("*").Passages(), admission.TagField, admission.OfField, admission.GroupField)
	case !ok && len(sources) == 0:
		return doc, nil
	case !ok:
		return nil, fmt.Errorf("neardup: document %q: wanted a *document.Document, got a %T", doc.ID(), doc)
	case wrong != nil:
		return nil, wrong
	}
	own := wrap(d, sources)
	for _, s := range sources {
		own.fields = s.fields(own.fields)
	}
	return own, nil
}

// wrap copies doc. sources has its fingerprinted fields by name.
func wrap(doc *document.Document, sources map[string]*source) *Document {
	d := &Document{Document: doc, sources: sources, fields: make([]index.Field, 0, len(doc.Fields)+3)}
	for _, f := range doc.Fields {
		if fingerprinted(f) == nil {
			d.fields = append(d.fields, f)
			continue
		}
		s := sources[f.Name()]
		d.fields = append(d.fields, &valueField{TextField: f.(*document.TextField), source: s, first: !s.carried})
		s.carried = true
	}
	for _, c := range doc.CompositeFields {
		d.composites = append(d.composites, &composite{CompositeField: c, sources: sources})
	}
	for _, n := range doc.NestedDocuments {
		d.nested = append(d.nested, wrap(n, sources))
	}
	return d
}

// VisitFields visits the fields, except for the stored fields of a text without a token, and for
// values of which a segment would learn nothing. To know that, it makes the signature: scorch's
// workers are the first to visit. They would offer the bytes of a shape to the composite fields, which takes as long as
// the sketch of a title: so the first visit sees a field in place as one that is stored alone.
func (d *Document) VisitFields(visit index.FieldVisitor) {
	first := !d.visited
	d.visited = true
	for _, f := range d.fields {
		absent := false
		switch own := f.(type) {
		case *valueField:
			absent = own.absent()
		case *storedField:
			absent = own.absent()
		case *inPlace:
			if absent = own.absent(); first {
				f = &own.storedField
			}
		}
		if !absent {
			visit(f)
		}
	}
}

// Fingerprinted reports whether d has text in a fingerprinted field.
func (d *Document) Fingerprinted() bool { return len(d.sources) > 0 }

// Unsigned returns how many documents of a batch that was written have no signature. A definition of synonyms,
// which bleve writes as a document, needs none.
func Unsigned(batch *index.Batch) (n int64) {
	for _, doc := range batch.IndexOps {
		if doc != nil && !signed(doc) && !synonyms(doc) { // no deletion
			n++
		}
	}
	return n
}

// signed reports whether a document that was analysed has a signature.
func signed(doc index.Document) bool {
	d, ok := doc.(*Document)
	if !ok {
		return false
	}
	for _, s := range d.sources {
		if !s.untokenized {
			return true
		}
	}
	return false
}

// AddIDField adds the id to the copy alone: the caller's document would get another id field
// each time that its batch is sent.
func (d *Document) AddIDField() {
	d.fields = append(d.fields, document.NewTextFieldCustom("_id", nil, []byte(d.ID()), index.IndexField|index.StoreField, nil))
}

func (d *Document) VisitNestedDocuments(visit func(index.Document)) {
	for _, n := range d.nested {
		visit(n)
	}
}

// VisitComposite visits the composite fields (_all), which leave out fingerprinted fields and
// the tags of admission.
func (d *Document) VisitComposite(visit index.CompositeFieldVisitor) {
	for _, c := range d.composites {
		visit(c)
	}
}

// composite is a composite field with terms of its own: the caller's composite field would
// get all terms again each time that its batch is sent.
type composite struct {
	*document.CompositeField
	sources map[string]*source
	length  int
	freqs   index.TokenFrequencies
}

func (c *composite) Compose(field string, length int, freqs index.TokenFrequencies) {
	if c.sources[field] == nil && !stored.Reserved(field) && c.includes(field) {
		c.length += length
		if c.freqs == nil {
			c.freqs = make(index.TokenFrequencies, len(freqs))
		}
		c.freqs.MergeAll(field, freqs)
	}
}

// includes reports whether a field belongs to the composite. bleve has no method that says
// so; this one adds a length of 1, looks whether it counted, and takes it away again.
func (c *composite) includes(field string) bool {
	before := c.CompositeField.AnalyzedLength()
	c.CompositeField.Compose(field, 1, nil)
	included := c.CompositeField.AnalyzedLength() != before
	if included {
		c.CompositeField.Compose(field, -1, nil)
	}
	return included
}

func (c *composite) AnalyzedLength() int                              { return c.length }
func (c *composite) AnalyzedTokenFrequencies() index.TokenFrequencies { return c.freqs }

// whole is the analyzer of fields whose value is one term.
var whole = &analysis.DefaultAnalyzer{Tokenizer: single.NewSingleTokenTokenizer()}

// Say adds a field of admission, unless it would be empty.
func (d *Document) Say(name, value string) {
	if value != "" {
		const options = index.IndexField | index.StoreField | index.DocValues
		d.fields = append(d.fields, document.NewTextFieldCustom(name, nil, []byte(value), options, whole))
	}
}

// Tag adds the fields that say why a document was tagged.
func (d *Document) Tag(v admission.Verdict) {
	d.Say(admission.TagField, v.Policy)
	d.Say(admission.OfField, v.Of)
}

// Keep adds a stored field that the index type writes, such as the time of a policy.
func (d *Document) Keep(name string, value []byte) {
	d.fields = append(d.fields, &storedField{name: name, value: func(*source) []byte { return value }})
}

// synonyms reports whether doc is a definition of synonyms, which bleve writes as one.
func synonyms(doc index.Document) (is bool) {
	if d, ok := doc.(index.SynonymDocument); ok {
		d.VisitSynonymFields(func(index.SynonymField) { is = true })
	}
	return is
}
