package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/examples/internal/documents"
	exact "github.com/neardup/bleve-neardup/examples/internal/join"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/leftout"

	_ "github.com/neardup/bleve-neardup/plugin" // the index type
)

// text is one text, with all documents that have it but for case, punctuation and
// space. Any rule folds these, so everything else counts texts.
type text struct {
	ids    []string // sorted
	values [][]byte
	sig    signature.Signature
	set    []uint64 // its shingles, sorted
}

// corpus is the texts, the longest first, then by id: the order in which package
// groups makes heads of them.
type corpus struct {
	name      string
	documents int
	empty     int // of these, without a token: they match nothing
	unsigned  int // of an index, without a readable signature or stored text: left out
	texts     []*text
	of        map[string]int  // the text of a document
	blank     map[string]bool // documents that have none
	analyzer  *neardup.Analyzer
}

// lanes is how many lanes the sketches have.
func (c *corpus) lanes() int { return c.analyzer.Params().Lanes }

// load reads what the command line names.
func load(ctx context.Context, o options) (*corpus, error) {
	c := &corpus{name: o.paths[0], of: make(map[string]int), blank: make(map[string]bool)}
	if len(o.paths) > 1 {
		c.name = fmt.Sprintf("%s and %d more", c.name, len(o.paths)-1)
	}
	byHash := make(map[uint64]*text)
	add := func(id string, sig signature.Signature, values [][]byte) {
		c.documents++
		switch t := byHash[sig.Exact]; {
		case sig.Exact == 0:
			c.empty++
			c.blank[id] = true
		case t != nil:
			t.ids = append(t.ids, id)
		default:
			t = &text{ids: []string{id}, values: values, sig: sig}
			byHash[sig.Exact] = t
			c.texts = append(c.texts, t)
		}
	}
	var err error
	if _, none := os.Stat(filepath.Join(o.paths[0], "index_meta.json")); none == nil && len(o.paths) == 1 {
		err = c.index(ctx, o, add)
	} else {
		err = c.files(ctx, o, add)
	}
	if err == nil && len(c.texts) == 0 {
		err = errors.New("wanted documents with text, got none")
	}
	if err != nil {
		return nil, err
	}
	for _, t := range c.texts {
		slices.Sort(t.ids)
	}
	slices.SortFunc(c.texts, func(a, b *text) int {
		return cmp.Or(cmp.Compare(b.sig.Tokens, a.sig.Tokens), cmp.Compare(a.ids[0], b.ids[0]))
	})
	for i, t := range c.texts {
		for _, id := range t.ids {
			c.of[id] = i
		}
	}
	return c, c.shingles()
}

// files reads documents of files.
func (c *corpus) files(ctx context.Context, o options, add func(string, signature.Signature, [][]byte)) error {
	c.analyzer = bleve.NewIndexMapping().AnalyzerNamed(neardup.Name).(*neardup.Analyzer)
	for d, err := range o.source.Read(o.paths...) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		values := make([][]byte, len(d.Values))
		for i, v := range d.Values {
			values[i] = []byte(v)
		}
		sig, _ := c.analyzer.Sign(values...)
		add(d.ID, sig, values)
	}
	return nil
}

// index reads the stored signatures and texts of an index, the texts without what the index leaves
// out of them. Documents whose text does not have their signature are left out.
func (c *corpus) index(ctx context.Context, o options, add func(string, signature.Signature, [][]byte)) error {
	x, err := documents.Open(o.paths[0], true)
	if err != nil {
		return err
	}
	defer x.Close()
	origins, err := documents.Origins(x.Mapping(), o.field)
	if err != nil {
		return fmt.Errorf("%s: %w", o.paths[0], err)
	}
	sets, err := indexes.OneTemplates(x, o.field)
	if err != nil {
		return fmt.Errorf("%s: %w", o.paths[0], err)
	}
	c.analyzer = origins[0].Analyzer
	for d, err := range documents.Of(ctx, x, o.field) {
		if err != nil {
			return err
		}
		texts := func(field string) []string { return d.Fields[field] }
		var left *template.Set
		i := slices.IndexFunc(origins, func(from documents.Origin) (ok bool) {
			if d.Signature == nil || from.Analyzer.Params() != c.analyzer.Params() {
				return false
			}
			left, _, ok = leftout.Of([]*template.Sets{sets}, texts, d.Signature, from.Analyzer, from.Values(d)...)
			return ok
		})
		if i < 0 {
			c.documents++
			c.unsigned++
			c.blank[d.ID] = true
			continue
		}
		var values [][]byte
		for _, v := range origins[i].Values(d) {
			text, remain, _ := origins[i].Analyzer.Remaining(left, v) // the text after char filters
			if left == nil {
				values = append(values, text)
				continue
			}
			for _, run := range remain { // no shingle crosses what is left out
				values = append(values, text[run[0].Start:run[len(run)-1].End])
			}
		}
		add(d.ID, *d.Signature, values)
	}
	return nil
}

// shingles makes the set of shingles of each text.
func (c *corpus) shingles() error {
	m, err := signature.NewMaker(c.analyzer.Params())
	if err != nil {
		return err
	}
	for _, t := range c.texts {
		for _, v := range t.values {
			for _, token := range c.tokens(v) {
				m.Term(token.Term)
			}
			m.EndValue()
		}
		t.set = slices.Clone(m.Shingles())
		slices.Sort(t.set)
		m.Reset()
	}
	return nil
}

// tokens returns the tokens of a value, after the char filters.
func (c *corpus) tokens(value []byte) []token.Token {
	if c.analyzer.Params().Tokens == "" {
		return token.Split(value)
	}
	_, tokens := c.analyzer.Tokens(value)
	return tokens
}

// resemblance is the exact resemblance of two texts, 0 if neither has a shingle.
func resemblance(a, b *text) float64 {
	if len(a.set)+len(b.set) == 0 {
		return 0
	}
	return exact.Resemblance(a.set, b.set)
}
