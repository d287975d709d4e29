package hits

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sort"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"
)

// How many hits a page needs is known only after the copies among them are, and bleve finishes every hit that it
// returns. So in place of bleve's collector a ranked keeps the scores and document numbers of some hundreds of matches:
// 16 bytes each. It brings them in order and reads their ids as they are pulled. If they are used up, the index is
// searched again for more.

// scored is a document that matches.
type scored struct {
	score float64
	doc   uint64
}

// identified is a match with the id of its document.
type identified struct {
	scored
	id string
}

// ranked is the best matches of one search of a local index.
type ranked struct {
	saw   *snapshot
	want  int     // hits that will be pulled, if known
	total uint64  // matches of the index
	keep  int     // at least as many are kept
	most  int     // when there are as many, the worst are dropped
	worst float64 // all that score as much are kept
	all   []scored
	full  map[uint64]*search.DocumentMatch // of matches that have more to tell
	cut   bool                             // not all are kept that tie: the first keep are right
	unfit bool                             // a match has no number
	pool  *search.DocumentMatchPool
	spare []*search.DocumentMatch // emptied, for reuse

	reader index.IndexReader

	sorted int // the first of all, which are in order
	next   int // position in all
	tied   []identified
	pulled int // of tied
	given  int // in all
	key    [8]byte
}

// maxTied is the most matches of the same score that are kept, if the ids of some need not be read for that.
const maxTied = 1 << 16

// mostKept is more matches than there is memory for, of which multiples can be counted: with 32 bits, From and
// Size together are up to a half of the greatest int.
const mostKept = math.MaxInt / 16

// newRanked returns a ranked that keeps n matches or more.
func newRanked(want, n int) *ranked {
	n = min(n, mostKept)
	return &ranked{want: want, keep: n, most: 4 * n, worst: math.Inf(-1), all: make([]scored, 0, min(4*n, 1<<10))}
}

// rank searches for the best matches, at least keep of them if there are as many. It returns none if bleve has to rank.
func (l *local) rank(ctx context.Context, r *bleve.SearchRequest, keep int) (*ranked, *bleve.SearchResult, error) {
	o := newRanked(r.Size, keep)
	res, saw, err := l.collect(ctx, r, func(sc *search.SearchContext) (search.DocumentMatchHandler, bool, error) {
		o.pool, o.reader = sc.DocumentMatchPool, sc.IndexReader
		o.pool.TooSmall = o.reuse
		return o.add, false, nil
	})
	if err != nil || o.unfit || saw == nil {
		return nil, res, err
	}
	o.saw, o.total = saw, res.Total
	return o, res, nil
}

// rank has the hits ranked here, if that can be done.
func (h *Hits) rank(ctx context.Context, want int) error {
	l, ok := h.source.(*local)
	if !ok || h.fusion || !ranksHere(ctx, h.index.anyIndex, &h.request, h.order) {
		return nil
	}
	const most = 1 << 20 // for more, it is searched again
	return h.rankAgain(ctx, l, want, 8*min(want, most)+64)
}

// rankAgain searches for as many matches. Without an error, h has no ranking if bleve has to rank.
func (h *Hits) rankAgain(ctx context.Context, l *local, want, keep int) error {
	r := h.request                 // bleve changes what it is given
	r.Sort, r.Size = h.order, want // by score, which keeps nothing of a search
	if h.first != nil {
		r.Facets = nil
	}
	own, res, err := l.rank(ctx, &r, keep)
	if err != nil {
		return err
	}
	h.note(res)
	if own != nil && own.saw.IndexReader != l.searched[0].IndexReader {
		own = nil
	}
	h.own, h.quick = own, h.quick && own != nil
	return nil
}

// pull returns the next hit of the ranking. Without one, either it was the last, or h has no ranking any more.
func (h *Hits) pull(ctx context.Context) (*search.DocumentMatch, error) {
	for h.own != nil {
		o := h.own
		hit, err := o.pull()
		if err != nil {
			return nil, err
		}
		if hit == nil {
			if h.last = uint64(len(o.all)) == o.total; h.last {
				return nil, nil
			}
			if err := h.rankAgain(ctx, h.source.(*local), o.want, 8*o.keep); err != nil {
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

// page answers request by a ranking of our own, ties in the order of the ids, with all that it asks for. It returns
// nil if bleve has to.
func (l *local) page(ctx context.Context, request *bleve.SearchRequest) (*bleve.SearchResult, error) {
	want := request.From + request.Size
	r := *request
	r.Sort, r.From, r.Size = Order(request.Sort), 0, want
	o, res, err := l.rank(ctx, &r, want+1)
	if err != nil || o == nil {
		return nil, err
	}
	res.Hits = make(search.DocumentMatchCollection, 0, min(request.Size, len(o.all)))
	for n := range want {
		hit, err := o.pull()
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

// ranksHere reports whether hits of x can be ranked here: of one index of bleve's own, by score. An index that stands
// before bleve's own might want to see or drop hits. It embeds bleve.Index and has its methods alone, or is an alias;
// bleve's own has these others besides.
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

// add is a search.DocumentMatchHandler.
func (r *ranked) add(d *search.DocumentMatch) (err error) {
	switch {
	case d == nil:
		return nil
	case d.Score < r.worst || r.unfit:
	case len(d.IndexInternalID) != 8: // of a search for vectors
		r.unfit = true
	default:
		m := scored{d.Score, d.IndexInternalID.Value()}
		r.all = append(r.all, m)
		full := d.Expl != nil || d.Fields != nil ||
			len(d.FieldTermLocations) > 0 || len(d.ScoreBreakdown) > 0 || len(d.Descendants) > 0
		if full {
			if r.full == nil {
				r.full = make(map[uint64]*search.DocumentMatch)
			}
			r.full[m.doc] = d
		}
		if len(r.all) >= r.most {
			err = r.drop()
		}
		if full || err != nil {
			return err
		}
	}
	if len(d.FieldTermLocations)|len(d.Descendants) > 0 {
		r.pool.Put(d) // which keeps their memory
		return nil
	}
	// For other matches Put takes as long as all else here: it empties what no searcher sets, too.
	d.IndexInternalID, d.Score, d.HitNumber = d.IndexInternalID[:0], 0, 0
	d.Sort, d.Expl, d.Fields, d.ScoreBreakdown = nil, nil, nil, nil
	r.spare = append(r.spare, d)
	return nil
}

// reuse gives the pool, once it is empty, a match that add has emptied, or a new one.
func (r *ranked) reuse(*search.DocumentMatchPool) *search.DocumentMatch {
	last := len(r.spare) - 1
	if last < 0 {
		return new(search.DocumentMatch)
	}
	d := r.spare[last]
	r.spare = r.spare[:last]
	return d
}

// drop drops the worst. It keeps those that tie with the last that is kept, or the first of them by id if there are
// too many.
func (r *ranked) drop() (err error) {
	kept, last := best(r.all, r.keep)
	r.worst = last
	if kept > 4*r.keep+maxTied {
		r.cut = true
		slices.SortFunc(r.all[:kept], byScore)
		better := sort.Search(kept, func(i int) bool { return r.all[i].score == last })
		if r.tied, err = r.identify(r.tied[:0], r.all[better:kept]); err != nil {
			return err
		}
		for i, m := range r.tied {
			r.all[better+i] = m.scored
		}
		kept, r.tied = max(better, r.keep), r.tied[:0]
	}
	for _, m := range r.all[kept:] {
		if d := r.full[m.doc]; d != nil {
			r.pool.Put(d)
			delete(r.full, m.doc)
		}
	}
	r.all = r.all[:kept]
	r.most = max(r.most, 2*kept)
	return nil
}

func byScore(a, b scored) int { return cmp.Compare(b.score, a.score) }

// identify appends matches in the order of their ids.
func (r *ranked) identify(to []identified, some []scored) ([]identified, error) {
	for _, m := range some {
		id, err := r.reader.ExternalID(index.NewIndexInternalID(r.key[:0], m.doc))
		if err != nil {
			return nil, err
		}
		to = append(to, identified{m, id})
	}
	if len(to) > 1 {
		slices.SortFunc(to, func(a, b identified) int { return cmp.Compare(a.id, b.id) })
	}
	return to, nil
}

// best brings the n best of all to the front, or some more, with all that tie with
// the last of these, and returns how many they are, and the last one's score.
//
// A sample of the scores says which one to cut at. front moves the matches without a branch that
// depends on the comparison: a processor would guess it wrong every other time.
func best(all []scored, n int) (kept int, last float64) {
	var sample [32]float64
	if n <= len(all)/2 && len(all) >= 2*len(sample) {
		for i := range sample {
			sample[i] = -all[i*len(all)/len(sample)].score
		}
		slices.Sort(sample[:])
		for i := int(uint64(len(sample))*uint64(n)/uint64(len(all))) + 2; i < len(sample); i += i {
			if kept := front(all, -sample[i]); kept >= n {
				return kept, -sample[i]
			}
		}
	}
	last = math.Inf(1)
	for _, m := range all {
		last = min(last, m.score)
	}
	return len(all), last
}

// front brings the matches of at least the given score to the front, and returns how many they are.
func front(all []scored, last float64) int {
	n := 0
	for i, m := range all {
		all[i] = all[n]
		all[n] = m
		var one int
		if m.score >= last {
			one = 1 // in n++, it would be a branch
		}
		n += one
	}
	return n
}

// pull returns the next-best match with its id, or nil if none that was kept is left.
func (r *ranked) pull() (*search.DocumentMatch, error) {
	if r.cut && r.given == r.keep {
		return nil, nil
	}
	if r.pulled == len(r.tied) {
		if r.next == len(r.all) {
			return nil, nil
		}
		if err := r.tie(); err != nil {
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
func (r *ranked) tie() (err error) {
	if r.next == r.sorted {
		rest := r.all[r.next:]
		n, _ := best(rest, max(r.want, r.next)+1)
		r.sorted += n
		slices.SortFunc(r.all[r.next:r.sorted], byScore)
	}
	begin, score := r.next, r.all[r.next].score
	for r.next++; r.next < r.sorted && r.all[r.next].score == score; r.next++ {
	}
	r.pulled = 0
	r.tied, err = r.identify(r.tied[:0], r.all[begin:r.next])
	return err
}
