package collapse

import (
	"cmp"
	"context"
	"math"
	"reflect"
	"slices"
	"sync"

	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"
)

// bleve finishes every hit that it returns, and how many a page needs is known only
// when the copies among them are. So in an index at hand bleve is asked for none.
// In place of its collector of the best hits, which sees every match, a ranked
// keeps the scores and document numbers of some hundreds, far more than most pages
// need: 16 bytes each. They are brought in order and get their ids one after the
// other, as the walk takes them. If they are used up, it is searched again for more.
//
// Hits that tie need their ids first, to be ordered. If too many tie, and where
// bleve's hits are more than a score and a number, bleve's collector has to do: see
// ties.go.

// scored is a document that matches, and its score.
type scored struct {
	score float64
	doc   uint64
}

// identified is a match with the id of its document.
type identified struct {
	scored
	id string
}

// ranked is the best matches of one search.
type ranked struct {
	keep  int     // at least as many are kept
	most  int     // when there are as many, the worst are dropped
	floor float64 // all that score as much are kept
	all   []scored
	full  map[uint64]*search.DocumentMatch // of matches that have more to tell
	unfit bool                             // not all could be kept that had to be
	pool  *search.DocumentMatchPool

	sorted int // the first of all, which are in order
	next   int // position in all
	tied   []identified
	pulled int // of tied
	given  int // in all
	key    [8]byte
}

// maxTied is the most matches of the same score that are kept.
const maxTied = 1 << 16

var buffers = sync.Pool{New: func() any { return new([]scored) }}

func newRanked(keep int) *ranked {
	all := (*buffers.Get().(*[]scored))[:0]
	return &ranked{keep: keep, most: 2 * keep, floor: math.Inf(-1), all: all}
}

// release gives the memory back.
func (r *ranked) release() {
	buffers.Put(&r.all)
	r.all = nil
}

// add is a search.DocumentMatchHandler.
func (r *ranked) add(d *search.DocumentMatch) error {
	switch {
	case d == nil:
		return nil
	case d.Score < r.floor || r.unfit:
	case len(d.IndexInternalID) != 8: // of a search for vectors
		r.unfit = true
	default:
		m := scored{d.Score, d.IndexInternalID.Value()}
		r.all = append(r.all, m)
		full := d.Expl != nil || len(d.FieldTermLocations) > 0 || len(d.ScoreBreakdown) > 0 || len(d.Descendants) > 0
		if full {
			if r.full == nil {
				r.full = make(map[uint64]*search.DocumentMatch)
			}
			r.full[m.doc] = d
		}
		if len(r.all) >= r.most {
			r.drop()
		}
		if full {
			return nil
		}
	}
	r.pool.Put(d)
	return nil
}

// drop drops the worst, but keeps those that tie with the last that is kept.
func (r *ranked) drop() {
	kept := best(r.all, r.keep)
	r.floor = r.all[kept-1].score
	for _, m := range r.all[kept:] {
		if d := r.full[m.doc]; d != nil {
			r.pool.Put(d)
			delete(r.full, m.doc)
		}
	}
	r.all = r.all[:kept]
	r.most = 2 * kept
	r.unfit = kept-r.keep > maxTied
}

// best brings the n best of all to the front, with those that tie with the n-th,
// and returns how many that are. The last of them is one that ties.
func best(all []scored, n int) int {
	for lo, hi := 0, len(all)-1; lo < hi; { // Hoare's selection
		pivot, i, j := all[lo+(hi-lo)/2].score, lo, hi
		for i <= j {
			for all[i].score > pivot {
				i++
			}
			for all[j].score < pivot {
				j--
			}
			if i <= j {
				all[i], all[j] = all[j], all[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case n-1 <= j:
			hi = j
		case n-1 >= i:
			lo = i
		default:
			lo = hi
		}
	}
	last := all[n-1].score
	for i := n; i < len(all); i++ {
		if all[i].score == last {
			all[i], all[n] = all[n], all[i]
			n++
		}
	}
	return n
}

// pull returns the next in rank order, with its id, or nil if all that are kept
// were pulled; want is how many will be, as far as can be told.
func (r *ranked) pull(reader index.IndexReader, want int) (*search.DocumentMatch, error) {
	if r.pulled == len(r.tied) {
		if r.next == len(r.all) {
			return nil, nil
		}
		if err := r.tie(reader, want); err != nil {
			return nil, err
		}
	}
	m := r.tied[r.pulled]
	r.pulled++
	r.given++
	d := r.full[m.doc]
	if d == nil {
		d = r.pool.Get()
		d.Score = m.score
		d.IndexInternalID = index.NewIndexInternalID(d.IndexInternalID, m.doc)
	} else {
		d.Complete(nil)
	}
	d.ID, d.Sort = m.id, scoreKey
	return d, nil
}

// scoreKey is the sort key of a hit sorted by score, as bleve has it.
var scoreKey = []string{"_score"}

// tie makes tied the next match and those that tie with it, in the order of ids.
func (r *ranked) tie(reader index.IndexReader, want int) error {
	if r.next == r.sorted {
		rest := r.all[r.next:]
		r.sorted += best(rest, min(max(want, r.next), len(rest)))
		slices.SortFunc(r.all[r.next:r.sorted], func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	}
	r.tied, r.pulled = r.tied[:0], 0
	for score := r.all[r.next].score; ; {
		m := r.all[r.next]
		id, err := reader.ExternalID(index.NewIndexInternalID(r.key[:0], m.doc))
		if err != nil {
			return err
		}
		r.tied = append(r.tied, identified{m, id})
		if r.next++; r.next == r.sorted || r.all[r.next].score != score {
			break
		}
	}
	if len(r.tied) > 1 {
		slices.SortFunc(r.tied, func(a, b identified) int { return cmp.Compare(a.id, b.id) })
	}
	return nil
}

// rankable returns the source of s if the hits can be taken from a ranking of its
// own: in one index of bleve's, by score. What stands before bleve's own index may
// want to see the hits.
func (s *scan) rankable(ctx context.Context) *local {
	l, ok := s.source.(*local)
	if !ok || s.fusion || s.request.Score == "none" || s.walk.options.Cursor != nil || len(s.order) != 1 {
		return nil
	}
	if by, ok := s.order[0].(*search.SortScore); !ok || !by.Desc {
		return nil
	}
	if ctx.Value(search.MakeDocumentMatchHandlerKey) != nil || reflect.TypeOf(l.index).String() != "*bleve.indexImpl" {
		return nil
	}
	return l
}

// rank does what run does, with a ranking; it returns false if it comes to where
// that will not do.
func (s *scan) rank(ctx context.Context, l *local, want int) (done bool, err error) {
	for keep := 8*want + 64; ; keep *= 8 {
		again, done, err := s.rankOnce(ctx, l, newRanked(keep), want)
		if !again {
			return done, err
		}
	}
}

// rankOnce takes hits of one search. It tells whether more have to be kept in
// another.
func (s *scan) rankOnce(ctx context.Context, l *local, ranked *ranked, want int) (again, done bool, err error) {
	defer ranked.release()
	r := s.request // bleve changes what it is given
	r.Sort, r.Size = s.order.Copy(), want
	if s.base != nil {
		r.Facets = nil
	}
	res, saw, err := l.collect(ctx, &r, func(sc *search.SearchContext) (search.DocumentMatchHandler, bool, error) {
		ranked.pool = sc.DocumentMatchPool
		return ranked.add, false, nil
	})
	if err != nil {
		return false, false, err
	}
	s.note(res)
	if ranked.unfit || saw == nil || saw.IndexReader != l.searched[0].IndexReader {
		return false, false, nil
	}
	name := l.index.Name()
	for budget := s.walk.options.Budget; s.spent < budget; {
		hit, err := ranked.pull(saw, want)
		if err != nil {
			return false, false, err
		}
		if hit == nil {
			s.done = uint64(len(ranked.all)) == res.Total
			return !s.done, s.done, nil
		}
		if ranked.given <= s.taken {
			continue // in the search before
		}
		hit.Index = name
		if !s.walk.take(hit, s.walk.before+len(s.walk.hits) < want) {
			return false, true, nil // the first of the next page
		}
		s.taken++
		s.spent++
		s.last = hit
	}
	return false, true, nil
}
