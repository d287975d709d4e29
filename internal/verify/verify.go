// Package verify compares the texts of documents whose signatures propose that they are
// near-duplicates. Texts knows where an index has stored the texts that were signed, and makes a Text
// of one. Compare counts what two of them share: Shares. A Snapshot reads the texts of a snapshot's
// documents, and a Cache keeps some of them. A Judge says whether a pair counts: by the texts, or by
// the rule where one of the texts is not stored.
//
// A text is shingled as the index signs it, without what the index leaves out. What is stored counts
// as the text of a document only if the document's signature was made from it.
package verify

import (
	"cmp"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/leftout"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// Texts knows where documents have their texts. It is safe for concurrent use.
type Texts struct {
	from []Origin
	sets []*template.Sets // what is left out of signatures in one index or another
}

// NewTexts returns the Texts of a field of an index, or of several that leave out different sets. A
// mapping that cannot be read is nil: then the text is looked for in the field itself.
func NewTexts(m mapping.IndexMapping, field string, sets ...*template.Sets) (*Texts, error) {
	from, err := origins(m, field)
	if err != nil {
		return nil, err
	}
	return &Texts{from, sets}, nil
}

// TextsOf returns the Texts of a field of x, as its mapping says or the mappings of its members, which might differ.
func TextsOf(x bleve.Index, field string) (*Texts, error) {
	sets, err := indexes.Templates(x, field)
	if err != nil {
		return nil, indexes.Closed(x, err)
	}
	all := []mapping.IndexMapping{x.Mapping()}
	for _, member := range indexes.Mapped(x) {
		all = append(all, member.Mapping())
	}
	if all[0] == nil && len(all) > 1 {
		all = all[1:]
	}
	t := &Texts{sets: sets}
	for _, m := range all {
		own, err := origins(m, field)
		if err != nil {
			return nil, err
		}
		for _, o := range own {
			if !slices.ContainsFunc(t.from, func(known Origin) bool { return slices.Equal(known.Fields, o.Fields) }) {
				t.from = append(t.from, o)
			}
		}
	}
	return t, nil
}

// Fields are the stored fields that a text and its scope can be in.
func (t *Texts) Fields() (all []string) {
	for _, o := range t.from {
		all = append(all, o.Fields...)
	}
	for _, s := range t.sets {
		if s.Scope() != "" {
			all = append(all, strings.TrimPrefix(s.Scope(), template.Domain))
		}
	}
	return all
}

// Original is the stored text that a signature was made from.
type Original struct {
	Origin
	Values [][]byte      // of its fields
	Left   *template.Set // what the analyzer left out of them, nil for nothing
	Scope  string        // that this belongs to

	*Text
}

// Find returns the text that sig was made from, given the stored values of a document by field;
// nil if it is not there.
func (t *Texts) Find(sig *signature.Signature, values func(field string) [][]byte) *Original {
	scope := ""
	texts := func(field string) []string {
		var all []string
		for _, v := range values(field) {
			all = append(all, string(v))
		}
		scope = template.ScopeOf(all...)
		return all
	}
	for _, o := range t.from {
		var own [][]byte
		for _, field := range o.Fields {
			own = append(own, values(field)...)
		}
		if len(own) == 0 {
			continue
		}
		if left, shingles, ok := leftout.Of(t.sets, texts, sig, o.Analyzer, own...); ok {
			return &Original{o, own, left, scope, newText(sig, shingles)}
		}
	}
	return nil
}

// Stored is Find for the text alone.
func (t *Texts) Stored(sig *signature.Signature, values func(field string) [][]byte) *Text {
	return t.Find(sig, values).text()
}

func (o *Original) text() *Text {
	if o == nil {
		return nil
	}
	return o.Text
}

// Given returns the text that sig was made from, given its values and its scope; nil if sig was
// made from another.
func (t *Texts) Given(sig *signature.Signature, scope string, values [][]byte) *Text {
	for _, o := range t.from {
		if _, shingles, ok := leftout.Of(t.sets, func(string) []string { return []string{scope} }, sig, o.Analyzer, values...); ok {
			return newText(sig, shingles)
		}
	}
	return nil
}

// OfHit returns the stored values of a hit's loaded fields, for Texts.Stored.
func OfHit(loaded map[string]any) func(field string) [][]byte {
	return func(field string) (all [][]byte) {
		for _, text := range stored.Strings(loaded[field]) {
			all = append(all, []byte(text))
		}
		return all
	}
}

// Snapshot reads the texts of the documents of one snapshot. It is not safe for concurrent use.
type Snapshot struct {
	*Texts
	reader     index.IndexReader
	signatures *column.Reader
	values     map[string][][]byte
}

// NewSnapshot returns the Snapshot of a reader, which the caller keeps open, of an index with the mapping m; signatures
// are those of the field, nil if they cannot be in memory.
func NewSnapshot(r index.IndexReader, m mapping.IndexMapping, field string, signatures *column.Reader) (*Snapshot, error) {
	sets, err := leftout.In(r.GetInternal, field)
	if err != nil {
		return nil, err
	}
	texts, err := NewTexts(m, field, sets)
	if err != nil {
		return nil, err
	}
	s := &Snapshot{Texts: texts, reader: r, signatures: signatures, values: map[string][][]byte{}}
	for _, name := range texts.Fields() {
		s.values[name] = nil
	}
	return s, nil
}

// Text returns the text of the document of that number, nil if it is not stored or cannot be read.
func (s *Snapshot) Text(doc uint64, sig *signature.Signature) *Text { return s.Of(doc, sig).text() }

// Of is Find for the document of that number, nil also if it cannot be read.
func (s *Snapshot) Of(doc uint64, sig *signature.Signature) *Original {
	return s.of(sig, func(f func(name string, value []byte) bool) error { return s.signatures.Visit(doc, f) })
}

// Read is Text for the document that bleve has under id: signatures may be nil.
func (s *Snapshot) Read(id index.IndexInternalID, sig *signature.Signature) *Text {
	if s.signatures != nil {
		return s.Text(id.Value(), sig)
	}
	return s.of(sig, func(f func(name string, value []byte) bool) error {
		name, err := s.reader.ExternalID(id)
		if err != nil {
			return err
		}
		d, err := column.Document(s.reader, name)
		if err == nil && d != nil {
			d.VisitFields(func(field index.Field) { f(field.Name(), field.Value()) })
		}
		return err
	}).text()
}

// of is Find for a document whose stored fields visit shows.
func (s *Snapshot) of(sig *signature.Signature, visit func(f func(name string, value []byte) bool) error) *Original {
	for name := range s.values {
		s.values[name] = s.values[name][:0]
	}
	err := visit(func(name string, value []byte) bool {
		if all, ok := s.values[name]; ok {
			s.values[name] = append(all, append([]byte(nil), value...))
		}
		return true
	})
	if err != nil {
		return nil
	}
	return s.Find(sig, func(field string) [][]byte { return s.values[field] })
}

// Judge says which pairs count. The zero Judge goes by the default rule. It is not safe for concurrent use.
type Judge struct {
	Verify signature.Verify

	// Rule decides where Verify is off, or a text is not stored.
	Rule signature.Rule

	lanes    int // that proposes is for
	proposes signature.Rule
}

// Proposes returns the rule by which pairs are looked up whose sketches have k lanes.
func (j *Judge) Proposes(k int) signature.Rule {
	if j.lanes != k || k == 0 {
		j.lanes, j.proposes = k, j.Verify.Proposes(j.Rule, k)
	}
	return j.proposes
}

// Finding is what a Judge finds of a pair.
type Finding struct {
	// Match compares the signatures. Its By says by which tests the pair was proposed.
	signature.Match

	// Verified says that the texts were compared; then Shares has what they share.
	Verified bool
	Shares
}

// Pair judges two documents. a and b return their texts, nil where there is none; they are called
// only if Verify is on and the signatures propose the pair.
func (j *Judge) Pair(a, b *signature.Signature, textA, textB func() *Text) (f Finding, ok bool) {
	if !j.Verify.On() {
		f.Match, ok = j.Rule.Match(a, b)
		return f, ok
	}
	if f.Match, ok = j.Proposes(a.Lanes).Match(a, b); !ok {
		return f, false
	}
	own := textA()
	if own != nil {
		if other := textB(); other != nil {
			f.Verified, f.Shares = true, Compare(own, other)
			return f, j.Verify.Confirms(f.Shared, f.A, f.B)
		}
	}
	f.Match, ok = j.Rule.Match(a, b)
	return f, ok
}

// Cache keeps texts that were read. Its zero value is ready to use. It is not safe for concurrent use.
type Cache[K comparable] struct {
	// Most is how many bytes of texts are kept, 64 MB if 0. One text more, of any length, is in use.
	Most int

	young, old map[K]*Text
	size       int
}

const defaultMost = 64 << 20

// Text returns the text of a document, which read reads if it is not kept.
func (c *Cache[K]) Text(doc K, read func() *Text) *Text {
	if t, ok := c.young[doc]; ok {
		return t
	}
	t, ok := c.old[doc]
	if !ok {
		t = read()
	}
	size := 80
	if t != nil {
		size += 8 * len(t.shingles)
	}
	if c.young == nil || c.size+size > cmp.Or(c.Most, defaultMost)/2 {
		c.young, c.old, c.size = map[K]*Text{}, c.young, 0
	}
	c.young[doc] = t
	c.size += size
	return t
}
