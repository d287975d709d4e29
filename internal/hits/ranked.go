package hits

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/internal/indexes"
)

// How many hits a page needs is known only after the copies among them are, and bleve finishes every hit that it
// returns. So in place of bleve's collector a ranked keeps the scores and document numbers of some hundreds of matches:
// 16 bytes each. It brings them in order and reads their ids as they are pulled. Of a query that scores all alike, such
// as a term of a category, it keeps all matches, a bit each. If hits are used up, the index is searched again for more.

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
	edge  roaring.Bitmap                   // many others that score worst; then all has none of these in the end
	unfit bool                             // a match has no score or number of 32 bits, or too many have more to tell
	pool  *search.DocumentMatchPool
	spare []*search.DocumentMatch // emptied, for reuse

	reader index.IndexReader
	ids    index.FieldDict // of all documents, from the last of edge on that was given; nil before the first

	sorted int // the first of all, which are in order
	next   int // position in all
	tied   []identified
	pulled int // of tied
	given  int // in all
	key    [8]byte
}

// maxFull is of how many matches, besides those that are kept anyway, there is memory for all that they have to tell.
const maxFull = 1 << 16

// newRanked returns a ranked that keeps n matches or more.
func newRanked(want, n int) *ranked {
	n = min(n, indexes.MostHits)
	return &ranked{
		want: want, keep: n, most: 4 * n, worst: math.Inf(-1),
		all: make([]scored, 0, min(4*n, 1<<10)), full: map[uint64]*search.DocumentMatch{},
	}
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
	h.first = cmp.Or(h.first, res)
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
			if h.last = uint64(o.given) == o.total; h.last {
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
	res.Hits = make(search.DocumentMatchCollection, 0, int(min(uint64(request.Size), o.total)))
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
func (r *ranked) add(d *search.DocumentMatch) error {
	switch {
	case d == nil:
		return nil
	case d.Score < r.worst || r.unfit:
	case len(d.IndexInternalID) != 8 || math.IsNaN(d.Score): // of a search for vectors, or with a boost of 0
		r.unfit = true
	default:
		m := scored{d.Score, d.IndexInternalID.Value()}
		r.all = append(r.all, m)
		r.unfit = m.doc > math.MaxUint32 // which edge has no bit for
		full := d.Expl != nil || d.Fields != nil ||
			len(d.FieldTermLocations) > 0 || len(d.ScoreBreakdown) > 0 || len(d.Descendants) > 0
		if full {
			r.full[m.doc] = d
			r.unfit = r.unfit || len(r.full) > 4*r.keep+maxFull
		}
		if len(r.all) >= r.most {
			r.drop()
		}
		if full {
			return nil
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

// drop drops the worst. Those that tie with the last that is kept are kept, too, in edge if there are many.
func (r *ranked) drop() {
	kept, last := best(r.all, r.keep)
	if last > r.worst {
		r.worst = last
		r.edge.Clear()
		for doc, d := range r.full {
			if d.Score < last {
				r.pool.Put(d)
				delete(r.full, doc)
			}
		}
	}
	if r.all = r.all[:kept]; kept > 4*r.keep || !r.edge.IsEmpty() {
		r.toEdge()
	}
	r.most = max(r.most, 2*len(r.all))
}

// toEdge moves the matches that score worst from all to edge.
func (r *ranked) toEdge() {
	better := front(r.all, math.Nextafter(r.worst, math.Inf(1)))
	docs := make([]uint32, 0, len(r.all)-better)
	for _, m := range r.all[better:] {
		docs = append(docs, uint32(m.doc))
	}
	r.edge.AddMany(docs)
	r.all = r.all[:better]
}

// identify adds matches to tied, and brings all in the order of their ids.
func (r *ranked) identify(some []scored) error {
	for _, m := range some {
		id, err := r.reader.ExternalID(index.NewIndexInternalID(r.key[:0], m.doc))
		if err != nil {
			return err
		}
		r.tied = append(r.tied, identified{m, id})
	}
	slices.SortFunc(r.tied, func(a, b identified) int { return cmp.Compare(a.id, b.id) })
	return nil
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
	if r.pulled == len(r.tied) {
		if err := r.tie(); err != nil || len(r.tied) == 0 {
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

// tie makes tied the next match and those that tie with it, in the order of ids; at the end some of edge, or all.
func (r *ranked) tie() error {
	if r.given == 0 && !r.edge.IsEmpty() {
		r.toEdge()
	}
	if r.pulled, r.tied = 0, r.tied[:0]; r.next == len(r.all) {
		if r.edge.IsEmpty() {
			return nil
		}
		return r.tieEdge()
	}
	if r.next == r.sorted {
		rest := r.all[r.next:]
		n, _ := best(rest, max(r.want, r.next)+1)
		r.sorted += n
		slices.SortFunc(r.all[r.next:r.sorted], func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	}
	begin, score := r.next, r.all[r.next].score
	for r.next++; r.next < r.sorted && r.all[r.next].score == score; r.next++ {
	}
	return r.identify(r.all[begin:r.next])
}

// tieEdge moves the first of edge to tied, or all. To walk through the ids of all documents, until enough are of edge,
// can take much less than to read the ids of many. It walks if it can expect that, and for twice as long at most: a
// step takes, for each segment, as long as to read an id or two.
func (r *ranked) tieEdge() error {
	n, many, steps := uint64(max(r.want, r.given)+1), r.edge.GetCardinality(), uint64(0)
	docs, err := r.reader.DocCount()
	if s, ok := r.reader.(interface {
		Segments() []*scorch.SegmentSnapshot
	}); ok && err == nil {
		if step := 4*uint64(len(s.Segments())) + 1; n*docs <= many*many/step {
			steps = 2 * many / step
		}
	}
	if steps > 0 && r.ids == nil {
		// FieldDict opens segments in goroutines, where a panic at a damaged file would end the process. So it is met here.
		if _, err = r.reader.InternalID(""); err == nil {
			r.ids, err = r.reader.FieldDict("_id") // to close it does nothing
		}
	}
	if err != nil {
		return err
	}
	for ; steps > 0 && uint64(len(r.tied)) < n; steps-- {
		entry, err := r.ids.Next()
		if err != nil {
			return err
		}
		if entry == nil {
			break
		}
		id, err := r.reader.InternalID(entry.Term)
		if err != nil {
			return err
		}
		if id != nil && r.edge.CheckedRemove(uint32(id.Value())) { // else it is deleted, or no match
			r.tied = append(r.tied, identified{scored{r.worst, id.Value()}, entry.Term})
		}
	}
	if uint64(len(r.tied)) < n {
		var rest []scored
		for _, doc := range r.edge.ToArray() {
			rest = append(rest, scored{r.worst, uint64(doc)})
		}
		err = r.identify(rest)
		r.edge.Clear()
	}
	return err
}
