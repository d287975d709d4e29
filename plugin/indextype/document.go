package indextype

import (
	"github.com/blevesearch/bleve/v2/document"
	index "github.com/blevesearch/bleve_index_api"
)

// signed is a copy of a document for scorch. Its nested documents are copies too;
// their fingerprinted values belong to the signature of the whole.
type signed struct {
	*document.Document
	fields  []index.Field
	all     []*composite
	nested  []*signed
	sources map[string]*source // by field name, shared with nested
}

func newSigned(doc *document.Document, c *counts) *signed {
	sources := map[string]*source{}
	visitAll(doc, func(f index.Field) {
		if a := fingerprinted(f); a != nil {
			s := sources[f.Name()]
			if s == nil {
				s = &source{field: f.Name(), analyzer: a, counts: c, count: a.Counted()}
				sources[f.Name()] = s
			}
			s.values = append(s.values, f.Value())
		}
	})
	d := wrap(doc, sources, map[string]bool{})
	for _, s := range sources {
		d.fields = append(d.fields, s.stored()...)
	}
	return d
}

// wrap copies doc, whose fingerprinted fields are those of sources; seen tells
// which of these have given their terms to a field already.
func wrap(doc *document.Document, sources map[string]*source, seen map[string]bool) *signed {
	d := &signed{Document: doc, sources: sources, fields: make([]index.Field, 0, len(doc.Fields)+3)}
	for _, f := range doc.Fields {
		if fingerprinted(f) == nil {
			d.fields = append(d.fields, f)
			continue
		}
		d.fields = append(d.fields, &valueField{
			TextField: f.(*document.TextField), source: sources[f.Name()], first: !seen[f.Name()],
		})
		seen[f.Name()] = true
	}
	for _, c := range doc.CompositeFields {
		d.all = append(d.all, &composite{CompositeField: c, sources: sources, freqs: index.TokenFrequencies{}})
	}
	for _, n := range doc.NestedDocuments {
		d.nested = append(d.nested, wrap(n, sources, seen))
	}
	return d
}

// VisitFields shows scorch the fields, without those of a signature that there is not: of text
// that comes before them here, so that scorch's workers have made it, or learned that.
func (d *signed) VisitFields(visit index.FieldVisitor) {
	for _, f := range d.fields {
		if s, ok := f.(*storedField); ok && s.absent() {
			continue
		}
		visit(f)
	}
}

// signs reports whether d has a signature, once it was analysed.
func (d *signed) signs() bool {
	for _, s := range d.sources {
		if !s.untokenized {
			return true
		}
	}
	return false
}

// AddIDField adds the id to the copy alone: bleve's own document would get one
// more each time its batch is sent.
func (d *signed) AddIDField() {
	d.fields = append(d.fields, document.NewTextFieldCustom("_id", nil, []byte(d.ID()), index.IndexField|index.StoreField, nil))
}

func (d *signed) VisitNestedDocuments(visit func(index.Document)) {
	for _, n := range d.nested {
		visit(n)
	}
}

// VisitComposite shows scorch composite fields (_all) that pass over the
// fingerprinted ones, and over the tags of admission.
func (d *signed) VisitComposite(visit index.CompositeFieldVisitor) {
	for _, c := range d.all {
		visit(c)
	}
}

// composite is a composite field with terms of its own: bleve's would have all of them
// once more each time its batch is sent.
type composite struct {
	*document.CompositeField
	sources map[string]*source
	length  int
	freqs   index.TokenFrequencies
}

func (c *composite) Compose(field string, length int, freqs index.TokenFrequencies) {
	if c.sources[field] == nil && !reservedName(field) && c.includes(field) {
		c.length += length
		c.freqs.MergeAll(field, freqs)
	}
}

// includes reports whether a field belongs to the composite. bleve's composite field
// tells nobody, so it is asked to add a length, and to take it away again.
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
