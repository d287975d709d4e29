package main

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/near"
)

const (
	passageWords = 20  // the least number of words of a passage
	mostOrigins  = 20  // passages that are shown
	mostSources  = 50  // documents whose passages are looked at
	mostShown    = 360 // bytes of a passage that are shown
	beside       = 90  // bytes that are shown on each side of a passage
)

// origins is which documents the passages of a text stand in.
type origins struct {
	Least       int // words of a passage
	Words, From int // words of the text, and of these, words that stand in passages
	Docs        int // documents that have such a passage
	All         []origin
	More        int  // passages that are not shown
	Other       bool // the text is a document's, which does not count
}

// origin is a passage and the documents that it stands in.
type origin struct {
	Words      int
	First      int // the number of its first word in the text, from 1
	Given, Own excerpt
	doc        // the document that has most of the text
	also       []doc

	span near.Span // in the text
}

// Also names the other documents.
func (o origin) Also() string {
	if text := also(o.also, false); text != "" || len(o.also) == 0 {
		return text
	}
	return plural(len(o.also), "other document", "other documents")
}

// URL is where the document is, with a part that takes a browser to the passage in it.
func (o origin) URL() string {
	words := strings.Fields(o.Own.all)
	escape := func(words []string) string {
		return strings.NewReplacer("+", "%20", "-", "%2D").Replace(url.QueryEscape(strings.Join(words, " ")))
	}
	return "/doc?" + url.Values{"id": {o.ID}}.Encode() + "#:~:text=" + escape(words[:min(4, len(words))]) + "," + escape(words[max(0, len(words)-4):])
}

// excerpt is a passage in its text: what stands before it, its beginning, its end if words between were left
// out, and what stands after it.
type excerpt struct {
	Before, Begin, End, After string

	all string // the passage
}

// origins finds where the passages of a text stand, or with like of that document's text. It is nil if the
// index has no passages.
func (s *site) origins(ctx context.Context, text, like string) (*origins, error) {
	field, err := neardup.Of(s.index.Mapping(), signature.DefaultField)
	if err != nil || field.Params().Passages == 0 {
		return nil, err
	}
	q := near.PassagesQuery{Text: []string{text}}
	if like != "" {
		q = near.PassagesQuery{ID: like}
	}
	found, err := near.Passages(ctx, s.index, near.PassagesRequest{Query: q, Size: mostSources, Fields: append([]string{"text"}, docFields...)})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(found.Hits, func(a, b near.PassagesHit) int { // the newest of documents that have as much of it
		return cmp.Or(cmp.Compare(b.Words, a.Words), cmp.Compare(newDoc(b.ID, b.Fields).Version, newDoc(a.ID, a.Fields).Version))
	})
	o := &origins{Least: found.Least, Words: found.Words, Docs: int(found.Total), Other: like != ""}
	for _, hit := range found.Hits {
		d := newDoc(hit.ID, hit.Fields)
		own, _ := hit.Fields["text"].(string)
		for _, p := range hit.Passages {
			o.add(d, own, text, p)
		}
	}
	slices.SortStableFunc(o.All, func(a, b origin) int { return a.span.From - b.span.From })
	end := 0
	for _, one := range o.All {
		o.From += max(0, one.span.To-max(one.span.From, end))
		end = max(end, one.span.To)
	}
	if o.More = max(0, len(o.All)-mostOrigins); o.More > 0 {
		o.All = o.All[:mostOrigins]
	}
	return o, nil
}

// add adds a passage of a document. If nine of ten words of it stand in a passage that is there, the document is
// another place of that one.
func (o *origins) add(d doc, own, text string, p near.Passage) {
	for i := range o.All {
		there := &o.All[i]
		both := min(there.span.To, p.Given.To) - max(there.span.From, p.Given.From)
		if 10*both < 9*p.Words {
			continue
		}
		if there.ID != d.ID && !slices.ContainsFunc(there.also, func(other doc) bool { return other.ID == d.ID }) {
			there.also = append(there.also, d)
		}
		return
	}
	o.All = append(o.All, origin{
		Words: p.Words, First: p.Given.From + 1, doc: d, span: p.Given,
		Given: newExcerpt(text, p.Given), Own: newExcerpt(own, p.Own),
	})
}

// newExcerpt cuts a passage out of its text. Char filters, of which this index has none, would move it.
func newExcerpt(text string, at near.Span) excerpt {
	if at.Start < 0 || at.End > len(text) || at.Start > at.End {
		return excerpt{}
	}
	e := excerpt{all: text[at.Start:at.End]}
	before, after := inLine(tail(text[:at.Start], 2*beside)), inLine(cutWords(text[at.End:], 2*beside))
	if e.Before = tail(before, beside); e.Before != "" && (len(e.Before) < len(before) || at.Start > 2*beside) {
		e.Before = "… " + strings.TrimSpace(e.Before)
	}
	if e.After = cutWords(after, beside); e.After != "" && (len(e.After) < len(after) || len(text)-at.End > 2*beside) {
		e.After += " …"
	}
	if e.Begin = inLine(e.all); len(e.Begin) > mostShown {
		e.Begin, e.End = cutWords(e.Begin, mostShown/2), strings.TrimSpace(tail(e.Begin, mostShown/2))
	}
	return e
}

// inLine is a text without markup and in one line, as snippets are.
func inLine(text string) string {
	return strings.Join(strings.Fields(markup.ReplaceAllString(text, "")), " ")
}

// cutWords is the first words of a text, of n bytes at most.
func cutWords(text string, n int) string {
	if len(text) <= n {
		return text
	}
	text = strings.ToValidUTF8(text[:n], "")
	if i := strings.LastIndexAny(text, " \n\t"); i > n/2 {
		text = text[:i]
	}
	return text
}

// tail is the last words of a text, of n bytes at most.
func tail(text string, n int) string {
	if len(text) <= n {
		return text
	}
	text = strings.ToValidUTF8(text[len(text)-n:], "")
	if i := strings.IndexAny(text, " \n\t"); i >= 0 && i < n/2 {
		text = text[i:]
	}
	return text
}
