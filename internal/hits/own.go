package hits

import (
	"context"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/internal/fields"
)

// own gives hits from a ranking of our own.
type own struct {
	*ranked
	local *local
	saw   *snapshot
	keep  int    // matches
	want  int    // hits, if known
	total uint64 // matches of the index
}

// rank searches for a ranking of our own, if the hits can be ranked here.
func (h *Hits) rank(ctx context.Context, want int) error {
	if h.fusion || !ranksHere(ctx, h.index.anyIndex, &h.request, h.order) {
		return nil
	}
	if o := h.source.rank(want); o != nil {
		return h.rankAgain(ctx, o)
	}
	return nil
}

// rankAgain searches for as many matches as o is to keep. Without an error, h has no ranking
// if bleve has to rank.
func (h *Hits) rankAgain(ctx context.Context, o *own) error {
	h.own = nil
	r := h.request                   // bleve changes what it is given
	r.Sort, r.Size = h.order, o.want // by score, which keeps nothing of a search
	if h.first != nil {
		r.Facets = nil
	}
	res, err := o.search(ctx, &r)
	if err != nil {
		return err
	}
	h.note(res)
	if o.ranked == nil || o.saw.IndexReader != o.local.searched[0].IndexReader {
		o.release()
		h.quick = false
		return nil
	}
	h.own = o
	return nil
}

// search makes the ranking, nil if bleve has to rank.
func (o *own) search(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	o.ranked = newRanked(o.keep)
	res, saw, err := o.local.collect(ctx, r, func(sc *search.SearchContext) (search.DocumentMatchHandler, bool, error) {
		o.pool = sc.DocumentMatchPool
		return o.add, false, nil
	})
	if err != nil || o.unfit || saw == nil {
		o.release()
		return res, err
	}
	o.saw, o.total = saw, res.Total
	return res, nil
}

// release gives memory back. It may be called again.
func (o *own) release() {
	if o.ranked != nil {
		o.ranked.release()
		o.ranked = nil
	}
}

// pull returns the next hit of the ranking. Without one, either it was the last, or h has no
// ranking any more.
func (h *Hits) pull(ctx context.Context) (*search.DocumentMatch, error) {
	for h.own != nil {
		o := h.own
		hit, err := o.pull(o.saw, o.want)
		if err != nil {
			return nil, err
		}
		if hit == nil {
			if h.last = uint64(len(o.all)) == o.total; h.last {
				return nil, nil
			}
			o.release()
			o.keep *= 8
			if err := h.rankAgain(ctx, o); err != nil {
				return nil, err
			}
			continue
		}
		if o.given <= len(h.seen) { // in the search before
			continue
		}
		hit.Index = h.index.Name()
		return hit, nil
	}
	return nil, nil
}

// page answers request by a ranking of our own, ties in the order of the ids, with all that it
// asks for. It returns nil if bleve has to.
func page(ctx context.Context, x bleve.Index, field string, request *bleve.SearchRequest) (*bleve.SearchResult, error) {
	if order := Order(request.Sort); !ranksHere(ctx, x, request, order) {
		return nil, nil
	}
	l, err := newLocal(Watch(x), field, fields.Options{}, request)
	if l == nil || err != nil {
		return nil, err
	}
	defer l.close()
	return l.page(ctx, request)
}

func (l *local) page(ctx context.Context, request *bleve.SearchRequest) (*bleve.SearchResult, error) {
	want := request.From + request.Size
	o := &own{local: l, want: want, keep: want + 1}
	defer o.release()
	r := *request
	r.Sort, r.From, r.Size = Order(request.Sort), 0, want
	res, err := o.search(ctx, &r)
	if err != nil || o.ranked == nil {
		return nil, err
	}
	res.Hits = make(search.DocumentMatchCollection, 0, min(request.Size, len(o.all)))
	for n := range want {
		hit, err := o.pull(o.saw, want)
		if err != nil {
			return nil, err
		}
		if hit == nil {
			break
		}
		if hit.Index = l.index.Name(); n >= request.From {
			res.Hits = append(res.Hits, hit)
		}
	}
	return res, l.load(ctx, res.Hits)
}

// ranksHere reports whether hits of x can be ranked here: of one index of bleve's own, by
// score. The collector of our own hands hits to nobody before they are shown, so an index
// that stands before bleve's own, and wants to see or drop hits, must not be asked in this
// way. Such an index embeds bleve.Index and has its methods alone, or is an alias; bleve's
// own has these others besides.
func ranksHere(ctx context.Context, x bleve.Index, r *bleve.SearchRequest, order search.SortOrder) bool {
	if r.Score == "none" || len(order) != 1 {
		return false
	}
	if by, ok := order[0].(*search.SortScore); !ok || !by.Desc {
		return false
	}
	_, own := x.(interface {
		bleve.SynonymIndex
		bleve.InsightsIndex
		bleve.IndexFileCopyable
		FireIndexEvent()
	})
	_, alias := x.(bleve.IndexAlias)
	return own && !alias && ctx.Value(search.MakeDocumentMatchHandlerKey) == nil
}
