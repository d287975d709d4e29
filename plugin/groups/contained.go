package groups

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/resemblance"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/contain"
	"github.com/neardup/bleve-neardup/internal/crowd"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/indexes"
)

// ContainedOptions says which documents Contained lists. The zero ContainedOptions asks for those of which .8 stand in
// another document.
type ContainedOptions struct {
	// Field is the fingerprinted field, signature.DefaultField if empty. Its analyzer must have the option "passages".
	Field string `json:"field,omitempty"`

	// Share is the least share of a document's words that stand in passages of the other: DefaultShare if 0, at most 1. With 1
	// the other contains it whole.
	Share float64 `json:"share,omitempty"`

	// Least is the least number of words of a passage: that of the field's option "passages" if 0, and not less.
	Least int `json:"least,omitempty"`

	// Within and WithinMissing name fields in which both documents must be equal, as in Options.
	Within        []string         `json:"within,omitempty"`
	WithinMissing collapse.Missing `json:"within_missing,omitempty"`

	// MaxShare is the guard against what many documents quote, 0 to 1: a fingerprint that more than this share of an
	// index's documents hold, and more than 500 documents, is not followed. 0 stands for .01, and 1 for no guard.
	MaxShare float64 `json:"max_share,omitempty"`

	// Progress, if not nil, is called with how much of the work is done: in documents, a few hundred times.
	Progress func(done, total int) `json:"-"`

	// Summary, if not nil, is called at the end, unless the caller wanted no more or there was an error.
	Summary func(ContainedSummary) `json:"-"`
}

// DefaultShare is ContainedOptions.Share if it is 0.
const DefaultShare = .8

// ContainedSummary says what a listing of Contained came by.
type ContainedSummary struct {
	Documents int `json:"documents"` // that have passages
	Compared  int `json:"compared"`  // pairs that hold a common fingerprint

	// PassedOver is how many fingerprints of documents the guard did not follow, Templates how many more it did not since they stand in
	// a template (package plugin/templates) alone, and Damaged the number of documents whose fingerprints cannot be read.
	PassedOver int `json:"passed_over,omitempty"`
	Templates  int `json:"templates,omitempty"`
	Damaged    int `json:"damaged,omitempty"`
}

// Containment says that one document stands in another, by a share of its words.
type Containment struct {
	Part  Document `json:"part"`
	Whole Document `json:"whole"`

	// Share is the share of the words of Part that stand in passages of Whole, and Words how many these are. It is exact if
	// Verified, which is if the texts of both are stored: else it is an estimate, and Words is 0.
	Share    resemblance.Estimate `json:"share"`
	Words    int                  `json:"words,omitempty"`
	Verified bool                 `json:"verified"`
}

// Contained lists the documents of an index that stand in another, whole or by a share: excerpts, quoted mails, copies. Of two
// equal documents each stands in the other. index is as for All; so are errors, and the field must have passages.
//
// Documents come by their ids, each with the documents that it stands in: the greatest share first, then by id. Nothing is joined
// to groups, since of two texts that quote a third neither has anything to do with the other. An
// iteration has, beside what All has, the ids of all documents in memory, and 64 MB of texts an index. Its time is that of comparing each
// document with all that share a passage: n copies of a text are n² pairs, as far as the guard lets them.
func Contained(ctx context.Context, index bleve.Index, o ContainedOptions) iter.Seq2[Containment, error] {
	return func(yield func(Containment, error) bool) {
		err := listContained(ctx, index, o, func(c Containment) bool { return yield(c, nil) })
		if err != nil && !errors.Is(err, errStopped) {
			yield(Containment{}, err)
		}
	}
}

// container is one iteration of Contained.
type container struct {
	*view
	ctx     context.Context
	options ContainedOptions
	indexes []*contain.Snapshot
	names   []Document // by number
	scopes  []uint64   // nil without Within
	summary ContainedSummary
}

// keptTexts is how many bytes of texts are kept of each index.
const keptTexts = 64 << 20

func (o *ContainedOptions) validate() error {
	switch {
	case !(o.Share >= 0 && o.Share <= 1):
		return fmt.Errorf("groups: share: wanted 0 to 1, got %v", o.Share)
	case o.Least < 0:
		return fmt.Errorf("groups: least: wanted 0 or more words, got %d", o.Least)
	case !(o.MaxShare >= 0 && o.MaxShare <= 1):
		return fmt.Errorf("groups: max_share: wanted 0 to 1, got %v", o.MaxShare)
	}
	o.Share = cmp.Or(o.Share, DefaultShare)
	o.MaxShare = cmp.Or(o.MaxShare, crowd.MaxShare)
	o.Field = cmp.Or(o.Field, signature.DefaultField)
	return nil
}

func listContained(ctx context.Context, index bleve.Index, o ContainedOptions, yield func(Containment) bool) error {
	if err := indexes.Check(ctx, index); err != nil {
		return fmt.Errorf("groups: %w", err)
	}
	if err := o.validate(); err != nil {
		return err
	}
	within, err := fields.Equal(o.Within, o.WithinMissing)
	if err != nil {
		return fmt.Errorf("groups: %w", err)
	}
	c := &container{ctx: ctx, options: o}
	if c.view, err = open(index, o.Field); err != nil {
		return err
	}
	defer c.close()
	if err := c.load(ctx, func(int) {}); err != nil {
		return err
	}
	if len(o.Within) > 0 {
		if c.scopes, err = c.view.scopes(ctx, within); err != nil {
			return err
		}
	}
	if err := c.open(); err != nil {
		return err
	}
	order, err := c.order()
	if err != nil {
		return err
	}
	for i, doc := range order {
		if o.Progress != nil && i%max(1, len(order)/300) == 0 {
			o.Progress(i, len(order))
		}
		all, err := c.wholesOf(doc)
		if err != nil {
			return err
		}
		for _, one := range all {
			if !yield(one) {
				return errStopped
			}
		}
	}
	if o.Progress != nil {
		o.Progress(len(order), len(order))
	}
	if o.Summary != nil {
		o.Summary(c.summary)
	}
	return nil
}

// open makes the passages of all indexes readable.
func (c *container) open() error {
	for _, s := range c.snapshots {
		own, err := contain.New(s.IndexReader, s.mapping, c.options.Field, 0)
		if err != nil {
			return fmt.Errorf("groups: index %q: %w", s.name, err)
		}
		if least := c.options.Least; least > 0 && least < own.Least {
			return fmt.Errorf("groups: least: wanted the %d words of the passages of index %q or more, got %d", own.Least, s.name, least)
		}
		own.Least = max(own.Least, c.options.Least)
		own.Keep(keptTexts)
		c.indexes = append(c.indexes, own)
	}
	return nil
}

// order returns the documents in the order of their ids.
func (c *container) order() (docs []int, err error) {
	c.names = make([]Document, c.size())
	for doc := range c.names {
		if doc%1024 == 0 && c.ctx.Err() != nil {
			return nil, c.ctx.Err()
		}
		sig, ok := c.at(doc)
		if !ok {
			continue
		}
		if c.names[doc], err = c.name(doc); err != nil {
			return nil, err
		}
		c.names[doc].Tokens = sig.Tokens
		docs = append(docs, doc)
	}
	slices.SortFunc(docs, func(a, b int) int { return compareNames(c.names[a], c.names[b]) })
	return docs, nil
}

// text returns the text of a document, nil if it has no passages.
func (c *container) text(doc int) (*contain.Text, error) {
	i, n := c.number(doc)
	sig, _ := c.at(doc)
	text, ok, err := c.indexes[i].Of(uint64(n), &sig)
	if err != nil || !ok {
		return nil, c.ctx.Err() // what is damaged is counted where it is looked up
	}
	return text, c.indexes[i].Without(text, c.indexes[i].Left(uint64(n), &sig))
}

// wholesOf returns the documents that one stands in.
func (c *container) wholesOf(doc int) (all []Containment, err error) {
	text, err := c.text(doc)
	if text == nil || err != nil {
		return nil, err
	}
	c.summary.Documents++
	begin, damaged := 0, 0
	for i, s := range c.indexes {
		found, err := s.Candidates(c.ctx, text, crowd.Most(c.options.MaxShare, s.Documents))
		if err != nil {
			return nil, fmt.Errorf("groups: index %q: %w", c.snapshots[i].name, err)
		}
		c.summary.PassedOver += found.Passed
		c.summary.Templates += found.Templates
		for n, other := range found.Docs {
			if n%64 == 0 && c.ctx.Err() != nil {
				return nil, c.ctx.Err()
			}
			at := begin + int(other)
			if at == doc || c.scopes != nil && c.scopes[at] != c.scopes[doc] {
				continue
			}
			c.summary.Compared++
			v, ok, err := s.Compare(text, other)
			if err != nil {
				return nil, err
			}
			if ok && v.InOther.Value >= c.options.Share {
				all = append(all, Containment{c.names[doc], c.names[at], v.InOther, v.Words, v.Verified})
			}
		}
		damaged += s.Damaged()
		begin = c.ends[i]
	}
	c.summary.Damaged = damaged
	slices.SortFunc(all, func(a, b Containment) int {
		return cmp.Or(cmp.Compare(b.Share.Value, a.Share.Value), compareNames(a.Whole, b.Whole))
	})
	return all, nil
}
