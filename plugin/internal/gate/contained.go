package gate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature/winnow"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/contain"
	"github.com/neardup/bleve-neardup/internal/crowd"
)

// quotes finds what documents stand in, for one judgement.
type quotes struct {
	*contain.Snapshot
	most  int // documents that may hold a fingerprint which is followed
	scope func(doc uint64) uint64
	own   map[*Document]*contain.Text // of the batch
}

// quotes returns what a policy needs that asks for what contains a document.
func (s *signing) quotes(reader index.IndexReader, p *policy) (*quotes, error) {
	m, err := s.read(reader)
	if err != nil {
		return nil, err
	}
	q := &quotes{own: map[*Document]*contain.Text{}}
	if q.Snapshot, err = contain.New(reader, m, p.FieldName(), 0); err != nil {
		return nil, err
	}
	q.most = crowd.Most(cmp.Or(p.Contained.MaxShare, crowd.MaxShare), q.Documents)
	if p.Scope != "" {
		q.scope, err = column.Of(reader, p.FieldName()).Scopes(p.Scope)
	}
	return q, err
}

// of returns the text of a document that is about to be written, whose values are known if they are stored.
func (q *quotes) of(d *Document) *contain.Text {
	text := q.own[d]
	if text == nil {
		values, _ := q.Texts.Values(d.Signature, storedOf(d))
		text = &contain.Text{Values: values, Prints: d.Passages}
		q.own[d] = text
	}
	return text
}

// container is what a document stands in.
type container struct {
	id string
	contain.Shares
}

// in returns documents of the index that d stands in, by a share of least or more: not more than are looked at where one is enough. id
// names a document, and skips it without a name; counts says whether to go on with one that counts.
func (q *quotes) in(ctx context.Context, d *Document, least float64, id func(doc uint64) (string, error), counts func(id string) bool) (all []container, err error) {
	found, err := q.Candidates(ctx, &contain.Text{Prints: winnow.Prints{Params: d.Passages.Params, Values: d.Followed}}, q.most)
	if err != nil {
		return nil, fmt.Errorf("admission: contained: %w", err)
	}
	for n, doc := range found.Docs {
		if n%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if q.scope != nil && q.scope(doc) != d.Scope {
			continue
		}
		name, err := id(doc)
		if err != nil {
			return nil, err
		}
		if name == "" {
			continue
		}
		shares, ok, err := q.Compare(q.of(d), doc)
		if err != nil {
			return nil, err
		}
		if !ok || shares.InOther.Value < least {
			continue
		}
		if !counts(name) {
			return nil, nil
		}
		if all = append(all, container{name, shares}); len(all) == fewDuplicates {
			break
		}
	}
	return all, nil
}

// before returns which of some documents of the batch d stands in.
func (q *quotes) before(d *Document, least float64, others []*Document) (all []container) {
	for _, other := range others {
		if shares, ok := q.Pair(q.of(d), q.of(other)); ok && shares.InOther.Value >= least {
			all = append(all, container{other.ID, shares})
		}
	}
	return all
}

// best returns the one with the greatest share, of several the one with the least id.
func best(all []container) container {
	return slices.MinFunc(all, func(a, b container) int {
		return cmp.Or(cmp.Compare(b.InOther.Value, a.InOther.Value), strings.Compare(a.id, b.id))
	})
}
