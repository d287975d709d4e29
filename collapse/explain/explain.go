// Package explain says in words what two near-duplicates of an index have in common: the
// shingles that both have, and the shingles that one of them lacks. A Pair of documents gets an
// Explanation, with a Side for each text, which has Passages.
//
// What an index leaves out of a signature (package plugin/templates) is left out here, too.
//
// It takes the stored texts of both, and the time to sign them again. The mapping of the index, or of the members of an
// alias, says where these are. collapse.Options.Explain asks for the pairs on a page.
package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/internal/hits"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/internal/strict"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// Options says how much is explained. The zero Options has all defaults.
type Options struct {
	// Members is how many members of each group collapse.Search explains, the best-ranked
	// ones: 3 if 0.
	Members int `json:"members,omitempty"`

	// Shingles is the most shingles in one list of passages, 20 if 0. The numbers count
	// all shingles.
	Shingles int `json:"shingles,omitempty"`
}

// UnmarshalJSON implements json.Unmarshaler. Unknown members are errors.
func (o *Options) UnmarshalJSON(data []byte) error {
	type plain Options
	return strict.Fill("explain", data, (*plain)(o))
}

// Explanation says what a member and its head have in common. The numbers are exact: of
// distinct shingles, or with signature.Params.Bag of all.
type Explanation struct {
	// Shared is how many shingles both have.
	Shared int `json:"shared"`

	Head   Side `json:"head"`
	Member Side `json:"member"`
}

// Side is what an Explanation says of one of the two texts.
type Side struct {
	// Own is how many shingles the other text lacks.
	Own int `json:"own"`

	// OwnText is where these shingles are, and SharedText where the shingles are that both
	// texts have: from the beginning of the text on, up to Options.Shingles.
	OwnText    []Passage `json:"own_text,omitempty"`
	SharedText []Passage `json:"shared_text,omitempty"`
}

// Passage is a piece of a stored text in which shingles follow one another: the bytes
// from Start until before End of a value of Field, as the analyzer's char filters
// leave it.
type Passage struct {
	Field    string `json:"field"`
	Value    int    `json:"value,omitempty"` // which of the field's values, from 0
	Start    int    `json:"start"`
	End      int    `json:"end"`
	Shingles int    `json:"shingles"`
	Text     string `json:"text"` // at most 1,000 bytes of it
}

// Validate returns an error for numbers below 0.
func (o *Options) Validate() error {
	switch {
	case o == nil:
	case o.Members < 0:
		return fmt.Errorf("collapse: explain: members: wanted 0 or more, got %d", o.Members)
	case o.Shingles < 0:
		return fmt.Errorf("collapse: explain: shingles: wanted 0 or more, got %d", o.Shingles)
	}
	return nil
}

// Most is how many members of a group are explained.
func (o Options) Most() int { return cmp.Or(o.Members, 3) }

// Document names a document by its id, and by the name of its index. Where that is empty, and
// several indexes of an alias have the id, any of them counts.
type Document struct{ Index, ID string }

// Pair is two documents, and what Pairs found out about them.
type Pair struct {
	Head, Member Document

	// Explanation is nil if there is none: Err then says why, such as that the text is not
	// stored.
	Explanation *Explanation
	Err         error
}

// Pairs explains pairs of documents of x, which has their signatures in a field,
// signature.DefaultField if empty. The error is bleve's own, or says which option is wrong.
func Pairs(ctx context.Context, x bleve.Index, field string, o Options, pairs []Pair) error {
	if err := indexes.Check(ctx, x); err != nil {
		return fmt.Errorf("collapse: explain: %w", err)
	}
	if err := o.Validate(); err != nil || len(pairs) == 0 {
		return err
	}
	field = cmp.Or(field, signature.DefaultField)
	texts, err := verify.TextsOf(x, field)
	if err != nil {
		return fmt.Errorf("collapse: explain: %w", err)
	}
	found, err := find(ctx, x, append(texts.Fields(), signature.Field(field).Sketch()), pairs)
	if err != nil {
		return err
	}
	var head *text
	var headErr error
	for i := range pairs {
		p := &pairs[i]
		if i == 0 || p.Head != pairs[i-1].Head {
			head, headErr = textOf(found[p.Head], field, texts)
		}
		member, err := textOf(found[p.Member], field, texts)
		if p.Err = errors.Join(headErr, err); p.Err == nil {
			p.Explanation = o.compare(head, member)
		}
	}
	return nil
}

// find returns the documents of pairs, with these stored fields.
func find(ctx context.Context, x bleve.Index, fields []string, pairs []Pair) (map[Document]*search.DocumentMatch, error) {
	var ids []string
	for _, p := range pairs {
		ids = append(ids, p.Head.ID, p.Member.ID)
	}
	hits, err := hits.ByIDs(ctx, x.SearchInContext, bleve.SearchRequest{Fields: fields}, ids)
	if err != nil {
		return nil, err
	}
	found := make(map[Document]*search.DocumentMatch, 2*len(hits))
	for _, hit := range hits {
		found[Document{hit.Index, hit.ID}] = hit
		found[Document{ID: hit.ID}] = hit
	}
	return found, nil
}

// text is the text of a document: its values, as the analyzer signs them.
type text struct {
	params signature.Params
	values []value
}

type value struct {
	field  string
	n      int // among the values of the field
	text   []byte
	tokens []token.Token
}

// textOf returns the stored text of a hit that its signature was made from, without what was
// left out, or an error that says what is missing.
func textOf(hit *search.DocumentMatch, field string, texts *verify.Texts) (*text, error) {
	if hit == nil {
		return nil, errors.New("wanted both documents, one was deleted since")
	}
	sig, err := stored.OfHit(hit, signature.Field(field).Sketch())
	if err != nil {
		return nil, fmt.Errorf("document %q: %w", hit.ID, err)
	}
	own := texts.Find(sig, verify.OfHit(hit.Fields))
	if own == nil {
		return nil, fmt.Errorf("document %q: wanted the text of its signature in the stored fields %q, got none or another: the mapping names these, and SetIndexMapping gives an alias one", hit.ID, texts.Fields())
	}
	t, values := &text{params: own.Analyzer.Params()}, own.Values
	for _, field := range own.Fields {
		for n := range stored.Strings(hit.Fields[field]) {
			text, remain, _ := own.Analyzer.Remaining(own.Left, values[0])
			values = values[1:]
			for _, tokens := range remain { // no shingle crosses a gap, as none crosses from a value to the next
				t.values = append(t.values, value{field, n, text, tokens})
			}
		}
	}
	return t, nil
}

// tokens returns the tokens of each value.
func (t *text) tokens() (all [][]token.Token) {
	for _, v := range t.values {
		all = append(all, v.tokens)
	}
	return all
}

// compare explains a member's text.
func (o Options) compare(head, member *text) *Explanation {
	limit := cmp.Or(o.Shingles, 20)
	c := shingle.Compare(head.params.Width, head.params.Bag, head.tokens(), member.tokens(), limit)
	side := func(t *text, s shingle.Side) Side {
		return Side{Own: s.Own, OwnText: t.passages(s.OwnSpans), SharedText: t.passages(s.SharedSpans)}
	}
	return &Explanation{Shared: c.Shared, Head: side(head, c.A), Member: side(member, c.B)}
}

// passages returns the text of spans.
func (t *text) passages(spans []shingle.Span) (all []Passage) {
	const mostText = 1000
	for _, s := range spans {
		v := t.values[s.Value]
		end := min(s.End, s.Start+mostText)
		for end < s.End && end > s.Start && !utf8.RuneStart(v.text[end]) {
			end--
		}
		all = append(all, Passage{
			Field: v.field, Value: v.n, Start: s.Start, End: s.End, Shingles: s.Shingles, Text: string(v.text[s.Start:end]),
		})
	}
	return all
}
