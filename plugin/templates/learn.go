package templates

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/leftout"
	"github.com/neardup/bleve-neardup/internal/strict"
	"github.com/neardup/bleve-neardup/internal/verify"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

// Options say what Learn learns from. The zero Options are the defaults.
type Options struct {
	// Options say what a template is: passages of so many words, in so many documents. With a Scope, a Share of 0
	// means .1.
	template.Options

	// Field is the fingerprinted field, signature.DefaultField if empty.
	Field string `json:"field,omitempty"`

	// Scope names a stored text field whose value is the scope of a document, such as its site
	// or its sender; after template.Domain, whose value has the scope as its domain. If empty, the whole index is one
	// scope.
	Scope string `json:"scope,omitempty"`

	// Sample is how many documents are read, spread over the index: 100,000 if 0.
	Sample int `json:"sample,omitempty"`
}

// UnmarshalJSON implements json.Unmarshaler. Unknown members are errors.
func (o *Options) UnmarshalJSON(data []byte) error {
	type plain Options
	return strict.Fill("templates: options", data, (*plain)(o))
}

const (
	defaultSample = 100_000
	scopeShare    = .1

	// shown is how many documents of a scope, or fewer than twice as many, are searched for passages, and weighed
	// how many of these for the share of words that is left out.
	shown   = 1000
	weighed = 20
)

// Learn reads documents of x, an index of type neardup, and returns what many documents of a
// scope share. Nothing is changed: Use does that. It needs the texts in stored fields, and
// the scope, too.
//
// What a text has that x has marked as spam is not among it: Templates.Marked names it.
//
// It reads the sample twice, once more for its scopes, and a thousand documents of each scope once more. It takes 100 MB
// at most, and 180 bytes for each document of the sample besides the name of its scope. Documents without a signature do
// not count. An error is the error of ctx or of an option, or says that no document has its text or its scope stored.
func Learn(ctx context.Context, x bleve.Index, o Options) (*Templates, error) {
	n, err := inner(ctx, x)
	if err != nil {
		return nil, err
	}
	o.Field = cmp.Or(o.Field, signature.DefaultField)
	o.Sample = cmp.Or(o.Sample, defaultSample)
	if o.Scope != "" {
		o.Share = cmp.Or(o.Share, scopeShare)
	}
	if o.Sample < 1 {
		return nil, fmt.Errorf("templates: wanted a sample of 1 or more, got %d", o.Sample)
	}
	if len(o.Scope) > template.MaxScope {
		return nil, fmt.Errorf("templates: scope: wanted the name of a field of at most %d bytes, got %d", template.MaxScope, len(o.Scope))
	}
	analyzer, err := neardup.Of(x.Mapping(), o.Field)
	if err != nil {
		return nil, err
	}
	if err := takes(analyzer, o.Options); err != nil {
		return nil, err
	}
	r, err := n.Reader()
	if err != nil {
		return nil, indexes.Closed(x, err)
	}
	defer r.Close()
	l := learning{Options: o, ctx: ctx, index: n, reader: r, analyzer: analyzer, known: column.Of(r, o.Field)}
	if l.texts, err = verify.NewSnapshot(r, x.Mapping(), o.Field, l.known); err != nil {
		return nil, err
	}
	return l.run()
}

// takes returns an error if an analyzer can leave no set out.
func takes(a *neardup.Analyzer, o template.Options) error {
	none, err := template.Learn(a.Params().ID(), o, func(func([][]uint64) bool) {})
	if err != nil {
		return err
	}
	return a.Takes(none.Set)
}

// learning is one call of Learn.
type learning struct {
	Options
	ctx      context.Context
	index    *indextype.Index
	reader   index.IndexReader
	analyzer *neardup.Analyzer
	known    *column.Reader
	texts    *verify.Snapshot
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
		return nil, fmt.Errorf("templates: wanted documents with the text of their signature in the stored fields %q, got none among %d", l.texts.Fields(), l.found.Sampled)
	}
	return &l.found, nil
}

// sample returns the documents that are read, by scope.
func (l *learning) sample() (map[string][]uint64, error) {
	total, err := l.reader.DocCount()
	if err != nil {
		return nil, err
	}
	ids, err := l.reader.DocIDReaderAll()
	if err != nil {
		return nil, err
	}
	defer ids.Close()
	scopes, scoped := map[string][]uint64{}, false
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
		name := ""
		if l.Scope != "" {
			values, err := l.scopeOf(id)
			if err != nil {
				return nil, err
			}
			name, scoped = template.ScopeOf(values...), scoped || len(values) > 0
		}
		scopes[name] = append(scopes[name], id.Value())
	}
	if l.Scope != "" && !scoped && len(scopes) > 0 {
		return nil, fmt.Errorf("templates: scope: wanted a stored text field that documents have, got %q, which none of %d has", l.Scope, len(scopes[""]))
	}
	return scopes, nil
}

// scopeOf returns the values of the field that has the scope of a document.
func (l *learning) scopeOf(number index.IndexInternalID) ([]string, error) {
	id, err := l.reader.ExternalID(number)
	if err != nil {
		return nil, err
	}
	doc, err := column.Document(l.reader, id)
	if err != nil || doc == nil {
		return nil, err
	}
	values := template.Scopes(l.Scope, leftout.Texts(doc))
	if name := template.ScopeOf(values...); len(name) > template.MaxScope {
		return nil, fmt.Errorf("templates: document %q: field %q: wanted a scope of at most %d bytes, got %d", id, l.Scope, template.MaxScope, len(name))
	}
	return values, nil
}

// values returns the values that a document was signed from, if it was; false if they are
// not stored.
func (l *learning) values(doc uint64) (values [][]byte, a *neardup.Analyzer, ok bool) {
	sig, err := l.known.Signature(doc)
	if err != nil || sig.Tokens == 0 { // one that is damaged teaches nothing
		return nil, nil, true
	}
	text := l.texts.Of(doc, sig)
	if text == nil {
		return nil, nil, false
	}
	return text.Values, text.Analyzer, true
}

// scope learns from the documents of a scope. It returns nil if they share nothing.
func (l *learning) scope(name string, docs []uint64) (*Scope, error) {
	if len(docs) < cmp.Or(l.Documents, template.DefaultDocuments) {
		return nil, nil
	}
	var ended error
	unread := uint64(0)
	found, err := template.Learn(l.analyzer.Params().ID(), l.Options.Options, func(yield func([][]uint64) bool) {
		unread = 0
		for _, doc := range docs {
			if ended = cmp.Or(ended, l.ctx.Err()); ended != nil {
				return
			}
			values, a, ok := l.values(doc)
			if !ok {
				unread++
			}
			if len(values) == 0 {
				continue
			}
			tokens := make([][]uint64, len(values))
			for i, v := range values {
				tokens[i] = a.Hashes(nil, v)
			}
			if !yield(tokens) {
				return
			}
		}
	})
	l.found.Sampled, l.found.Unread = l.found.Sampled+uint64(len(docs)), l.found.Unread+unread
	if err := cmp.Or(err, ended); err != nil || found.Set.Len() == 0 {
		return nil, err
	}
	s := &Scope{Name: name, Documents: found.Documents, Copies: found.Copies, Least: found.Least, Unfit: found.Unfit, Shingles: found.Set.Len(), Set: found.Set}
	if err := l.show(s, found, docs); err != nil || s.Set.Len() == 0 {
		return nil, err
	}
	return s, nil
}

// show looks at some documents of a scope for the passages that are left out, and takes those out that are of a mark.
func (l *learning) show(s *Scope, found *template.Learned, docs []uint64) error {
	type text struct {
		a     *neardup.Analyzer
		value []byte
	}
	var some []text
	rest := s.Set // what was not met yet
	for i, step := 0, max(1, len(docs)/shown); i < len(docs) && (i < weighed*step || rest.Len() > 0); i += step {
		if err := l.ctx.Err(); err != nil {
			return err
		}
		values, a, _ := l.values(docs[i])
		for _, v := range values {
			if i < weighed*step {
				some = append(some, text{a, v})
			}
			text, _, runs := a.Remaining(rest, v)
			for _, tokens := range runs {
				hashes := a.Params().TermHashes(nil, tokens)
				if len(rest.Runs(hashes)) == 0 {
					continue // it stands twice in the value
				}
				rest = rest.Without(hashes)
				for _, p := range pieces(found, hashes) {
					if err := l.passage(s, a, found, text, tokens[p.From:p.To], hashes[p.From:p.To]); err != nil {
						return err
					}
				}
			}
		}
	}
	words, left := 0, 0
	for _, t := range some {
		_, remain, runs := t.a.Remaining(s.Set, t.value)
		for _, tokens := range remain {
			words += len(tokens)
		}
		for _, tokens := range runs {
			words, left = words+len(tokens), left+len(tokens)
		}
	}
	if words > 0 {
		s.LeftOut = float64(left) / float64(words)
	}
	slices.SortStableFunc(s.Passages, func(a, b Passage) int {
		return cmp.Or(cmp.Compare(b.Documents, a.Documents), cmp.Compare(b.Words, a.Words), strings.Compare(a.Text, b.Text))
	})
	return nil
}

// pieces cuts a run where more than twice as many documents have what follows, or fewer than half as many: a campaign
// that ends with the footer of all mails is a piece of its own. A piece has five shingles or more, as a run has.
func pieces(found *template.Learned, run []uint64) (all []template.Run) {
	const few = 5
	width := found.Set.Width()
	var counts []uint64
	for i := range len(run) - width + 1 {
		n := found.In(run[i : i+width])
		if n == 0 && i > 0 { // in a gap
			n = counts[i-1]
		}
		counts = append(counts, n)
	}
	from := 0
	for i := few; i+few <= len(counts); i++ {
		before, after := counts[i-few:i], counts[i:i+few]
		if i-from >= few && (slices.Min(after) > 2*slices.Max(before) || 2*slices.Max(after) < slices.Min(before)) {
			all = append(all, template.Run{From: from, To: i + width - 1})
			from = i
		}
	}
	return append(all, template.Run{From: from, To: len(run)})
}

// passage adds a passage to a scope, or takes it out of the template if it is of a mark.
func (l *learning) passage(s *Scope, a *neardup.Analyzer, found *template.Learned, text []byte, tokens []token.Token, hashes []uint64) error {
	start, end := len(text), 0
	for _, t := range tokens {
		start, end = min(start, t.Start), max(end, t.End)
	}
	p := Passage{string(text[start:end]), len(tokens), found.In(hashes)}
	sig := a.SignText(text[start:end])
	mark, err := l.index.MarkOf(&sig)
	if err != nil {
		return err
	}
	if mark == "" {
		s.Passages = append(s.Passages, p)
		return nil
	}
	l.found.Marked = append(l.found.Marked, Marked{s.Name, mark, p})
	s.Set = s.Set.Without(hashes)
	s.Shingles = s.Set.Len()
	return nil
}
