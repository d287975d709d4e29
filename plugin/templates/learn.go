package templates

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/origin"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/internal/strict"
	"github.com/neardup/bleve-neardup/internal/templates"
)

// Options say what Learn learns from. The zero Options are the defaults.
type Options struct {
	// Options say what a template is: passages of so many words, in so many documents.
	template.Options

	// Field is the fingerprinted field, signature.DefaultField if empty.
	Field string `json:"field,omitempty"`

	// Scope names a stored text field whose value is the scope of a document, such as its site
	// or its sender. If empty, the whole index is one scope.
	Scope string `json:"scope,omitempty"`

	// Fields are the stored fields that have the text which was fingerprinted. If empty, the
	// index mapping says which they are.
	Fields []string `json:"fields,omitempty"`

	// Sample is how many documents are read, spread over the index: 100,000 if 0.
	Sample int `json:"sample,omitempty"`

	// Examples is how many passages a scope has to show: 5 if 0.
	Examples int `json:"examples,omitempty"`
}

// UnmarshalJSON implements json.Unmarshaler. Unknown members are errors.
func (o *Options) UnmarshalJSON(data []byte) error {
	type plain Options
	return strict.Fill("templates: options", data, (*plain)(o))
}

const (
	defaultSample   = 100_000
	defaultExamples = 5

	// shown is how many documents of a scope are searched for examples, and mostText how many
	// bytes an example has.
	shown    = 20
	mostText = 200
)

// Learn reads documents of x, an index of type neardup, and returns what many documents of a
// scope share, with examples. Nothing is changed: Use does that. It needs the texts in stored fields, and
// the scope, too.
//
// It takes two passes over the sample if there are scopes, 40 MB, and 30 bytes for each document
// of the sample besides the name of its scope. Documents without a signature do not count. An
// error is the error of ctx or of an option, or says that no document has its text or its scope stored.
func Learn(ctx context.Context, x bleve.Index, o Options) (*Templates, error) {
	n, err := inner(ctx, x)
	if err != nil {
		return nil, err
	}
	o.Field = cmp.Or(o.Field, signature.DefaultField)
	o.Sample, o.Examples = cmp.Or(o.Sample, defaultSample), cmp.Or(o.Examples, defaultExamples)
	if o.Sample < 1 || o.Examples < 0 {
		return nil, fmt.Errorf("templates: wanted a sample of 1 or more, and examples of 0 or more, got %d and %d", o.Sample, o.Examples)
	}
	if len(o.Scope) > templates.MaxName {
		return nil, fmt.Errorf("templates: scope: wanted the name of a field of at most %d bytes, got %d", templates.MaxName, len(o.Scope))
	}
	analyzer, err := neardup.Of(x.Mapping(), o.Field)
	if err != nil {
		return nil, err
	}
	if err := takes(analyzer, o.Options); err != nil {
		return nil, err
	}
	from, err := origin.Of(x.Mapping(), o.Field, o.Fields)
	if err != nil {
		return nil, err
	}
	r, err := n.Reader()
	if err != nil {
		return nil, indexes.Closed(x, err)
	}
	defer r.Close()
	now, err := templates.Read(r.GetInternal, o.Field)
	if err != nil {
		return nil, err
	}
	l := learning{Options: o, ctx: ctx, reader: r, analyzer: analyzer, from: from, now: now}
	return l.run()
}

// takes returns an error if an analyzer can leave no set out.
func takes(a *neardup.Analyzer, o template.Options) error {
	l, err := template.NewLearner(a.Params().ID(), o)
	if err != nil {
		return err
	}
	return a.Takes(l.Learn().Set)
}

// learning is one call of Learn.
type learning struct {
	Options
	ctx      context.Context
	reader   index.IndexReader
	analyzer *neardup.Analyzer
	from     []origin.Origin
	now      *templates.Sets // what is left out of signatures already
	found    Templates
}

func (l *learning) run() (*Templates, error) {
	l.found = Templates{Field: l.Field, ScopeField: l.Scope, Scopes: []Scope{}}
	scopes, err := l.sample()
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(scopes)) {
		s, err := l.scope(name, scopes[name])
		if err != nil {
			return nil, err
		}
		if s == nil {
			l.found.Without++
			continue
		}
		l.found.Scopes = append(l.found.Scopes, *s)
	}
	if l.found.Sampled > 0 && l.found.Unread == l.found.Sampled {
		return nil, fmt.Errorf("templates: wanted documents with the text of their signature in the stored fields %q, got none among %d", l.from[0].Fields, l.found.Sampled)
	}
	return &l.found, nil
}

// sample returns the documents that are read, by scope.
func (l *learning) sample() (map[string][]index.IndexInternalID, error) {
	total, err := l.reader.DocCount()
	if err != nil {
		return nil, err
	}
	ids, err := l.reader.DocIDReaderAll()
	if err != nil {
		return nil, err
	}
	defer ids.Close()
	scopes, scoped := map[string][]index.IndexInternalID{}, false
	for i := uint64(0); ; i++ {
		if err := l.ctx.Err(); err != nil {
			return nil, err
		}
		id, err := ids.Next()
		if err != nil {
			return nil, err
		}
		if id == nil {
			break
		}
		if n, wanted := max(total, i+1), uint64(l.Sample); n > wanted && i*wanted/n == (i+1)*wanted/n {
			continue
		}
		id, name := slices.Clone(id), ""
		if l.Scope != "" {
			doc, err := l.document(id)
			if err != nil {
				return nil, err
			}
			values := doc.fields[l.Scope]
			name, scoped = templates.ScopeOf(values...), scoped || len(values) > 0
			if len(name) > templates.MaxName {
				return nil, fmt.Errorf("templates: document %q: field %q: wanted a scope of at most %d bytes, got %d", doc.id, l.Scope, templates.MaxName, len(name))
			}
		}
		scopes[name] = append(scopes[name], id)
	}
	if l.Scope != "" && !scoped && len(scopes) > 0 {
		return nil, fmt.Errorf("templates: scope: wanted a stored text field that documents have, got %q, which none of %d has", l.Scope, len(scopes[""]))
	}
	return scopes, nil
}

// document is what is stored of a document.
type document struct {
	id     string
	fields map[string][]string // of texts
	sig    *signature.Signature
	scope  string // by the templates that are in use
}

func (l *learning) document(number index.IndexInternalID) (*document, error) {
	id, err := l.reader.ExternalID(number)
	if err != nil {
		return nil, err
	}
	doc, err := l.reader.Document(id)
	if err != nil || doc == nil {
		return &document{id: id}, err
	}
	d := &document{id: id, fields: map[string][]string{}, scope: l.now.In(doc)}
	d.sig, _ = stored.OfDocument(doc, signature.SketchField(l.Field)) // one that is damaged teaches nothing
	doc.VisitFields(func(f index.Field) {
		if text, ok := f.(index.TextField); ok {
			d.fields[f.Name()] = append(d.fields[f.Name()], text.Text())
		}
	})
	return d, nil
}

// values returns the values that a document was signed from, if it was; false if they are
// not stored.
func (l *learning) values(d *document) (values [][]byte, a *neardup.Analyzer, ok bool) {
	if d.sig == nil || d.sig.Tokens == 0 {
		return nil, nil, true
	}
	for _, o := range l.from {
		values = values[:0]
		for _, name := range o.Fields {
			for _, v := range d.fields[name] {
				values = append(values, []byte(v))
			}
		}
		scope := func(*templates.Sets) string { return d.scope }
		if _, ok := templates.Left([]*templates.Sets{l.now}, scope, d.sig, o.Analyzer, values...); ok {
			return values, o.Analyzer, true
		}
	}
	return nil, nil, false
}

// scope learns from the documents of a scope. It returns nil if they share nothing.
func (l *learning) scope(name string, ids []index.IndexInternalID) (*Scope, error) {
	if len(ids) < cmp.Or(l.Documents, template.DefaultDocuments) {
		return nil, nil
	}
	learner, err := template.NewLearner(l.analyzer.Params().ID(), l.Options.Options)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if err := l.ctx.Err(); err != nil {
			return nil, err
		}
		d, err := l.document(id)
		if err != nil {
			return nil, err
		}
		l.found.Sampled++
		values, a, ok := l.values(d)
		if !ok {
			l.found.Unread++
		}
		if len(values) == 0 {
			continue
		}
		tokens := make([][]uint64, len(values))
		for i, v := range values {
			tokens[i] = a.Hashes(nil, v)
		}
		learner.Add(tokens...)
	}
	found := learner.Learn()
	if found.Set.Len() == 0 {
		return nil, nil
	}
	s := &Scope{Name: name, Documents: found.Documents, Copies: found.Copies, Least: found.Least, Shingles: found.Shingles, Set: found.Set}
	return s, l.show(s, &found, ids)
}

// show looks at some documents of a scope for examples of what is left out.
func (l *learning) show(s *Scope, found *template.Learned, ids []index.IndexInternalID) error {
	seen := map[string]bool{}
	words, left := 0, 0
	for i, step := 0, max(1, len(ids)/shown); i < len(ids); i += step {
		d, err := l.document(ids[i])
		if err != nil {
			return err
		}
		values, a, _ := l.values(d)
		for _, v := range values {
			text, remain, runs := a.Remaining(found.Set, v)
			for _, tokens := range remain {
				words += len(tokens)
			}
			for _, tokens := range runs {
				words, left = words+len(tokens), left+len(tokens)
				e := example(a, found, text, tokens)
				if !seen[e.Text] {
					seen[e.Text] = true
					s.Examples = append(s.Examples, e)
				}
			}
		}
	}
	if words > 0 {
		s.LeftOut = float64(left) / float64(words)
	}
	slices.SortStableFunc(s.Examples, func(a, b Example) int {
		return cmp.Or(cmp.Compare(b.Documents, a.Documents), cmp.Compare(b.Words, a.Words), strings.Compare(a.Text, b.Text))
	})
	s.Examples = s.Examples[:min(len(s.Examples), l.Examples)]
	return nil
}

// example describes a run of tokens of a text.
func example(a *neardup.Analyzer, found *template.Learned, text []byte, tokens []signature.Token) Example {
	terms := make([][]byte, len(tokens))
	start, end := len(text), 0
	for i, t := range tokens {
		terms[i] = t.Term
		start, end = min(start, t.Start), max(end, t.End)
	}
	passage := text[start:end]
	if len(passage) > mostText {
		end := mostText
		for end > 0 && !utf8.RuneStart(passage[end]) {
			end--
		}
		passage = passage[:end]
	}
	return Example{string(passage), len(tokens), found.In(signature.TermHashes(nil, a.Params(), terms...))}
}
