package hits

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"
)

// bleve finishes every hit that it returns, but how many hits a page needs is known only
// after the copies among them are. So a local index is asked for none. In place of bleve's
// collector of the best hits, which sees every match, a ranked keeps the scores and document
// numbers of some hundreds, far more than most pages need: 16 bytes each. It brings them in
// order and reads their ids one after the other, as they are pulled. If they are used up, the
// index is searched again for more.
//
// Hits that tie need their ids first, to be ordered. If too many tie, and where bleve's hits
// are more than a score and a number, bleve's collector has to do: see order.go.

// scored is a document that matches.
type scored struct {
	rank uint64 // less for a greater score
	doc  uint64
}

// rankOf maps scores to numbers in the opposite order, equal ones to the same.
func rankOf(score float64) uint64 {
	if score == 0 {
		score = 0 // not -0
	}
	return flip(math.Float64bits(score))
}

// scoreOf is the inverse of rankOf.
func scoreOf(rank uint64) float64 { return math.Float64frombits(flip(rank)) }

// flip inverts all bits but the sign, if that is not set: it is its own inverse.
func flip(bits uint64) uint64 {
	if bits>>63 == 0 {
		bits ^= 1<<63 - 1
	}
	return bits
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
	worst float64 // all that score as much are kept
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

// rankeds has those that no search uses, to use their memory again.
var rankeds = sync.Pool{New: func() any { return new(ranked) }}

// mostKept is more matches than there is memory for, of which multiples can be counted: with 32 bits, From and
// Size together are up to a half of the greatest int.
const mostKept = math.MaxInt / 16

// newRanked returns a ranked for n matches or more. It must be released.
func newRanked(n int) *ranked {
	n = min(n, mostKept)
	r := rankeds.Get().(*ranked)
	*r = ranked{keep: n, most: 2 * n, worst: math.Inf(-1), all: r.all[:0], tied: r.tied[:0]}
	return r
}

// release gives the memory back.
func (r *ranked) release() {
	clear(r.tied)
	r.full, r.pool = nil, nil
	rankeds.Put(r)
}

// add is a search.DocumentMatchHandler.
func (r *ranked) add(d *search.DocumentMatch) error {
	switch {
	case d == nil:
		return nil
	case d.Score < r.worst || r.unfit:
	case len(d.IndexInternalID) != 8: // of a search for vectors
		r.unfit = true
	default:
		m := scored{rankOf(d.Score), d.IndexInternalID.Value()}
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
	kept, last := best(r.all, r.keep)
	r.worst = scoreOf(last)
	for _, m := range r.all[kept:] {
		if d := r.full[m.doc]; d != nil {
			r.pool.Put(d)
			delete(r.full, m.doc)
		}
	}
	r.all = r.all[:kept]
	r.most = max(r.most, 2*kept)
	r.unfit = kept > 4*r.keep+maxTied
}

// best brings the n best of all to the front, or some more, with all that tie with
// the last of these, and returns how many they are, and the last one's rank.
//
// A sample of the ranks says which rank to cut at. front moves the matches without a branch that
// depends on the comparison: a processor would guess it wrong every other time.
func best(all []scored, n int) (kept int, last uint64) {
	var sample [32]uint64
	if n <= len(all)/2 && len(all) >= 2*len(sample) {
		for i := range sample {
			sample[i] = all[i*len(all)/len(sample)].rank
		}
		slices.Sort(sample[:])
		for i := int(uint64(len(sample))*uint64(n)/uint64(len(all))) + 2; i < len(sample); i += i {
			if kept := front(all, sample[i]); kept >= n {
				return kept, sample[i]
			}
		}
	}
	for _, m := range all {
		last = max(last, m.rank)
	}
	return len(all), last
}

// front brings the matches of at most the given rank to the front, and returns how many
// they are.
func front(all []scored, last uint64) int {
	n := 0
	for i, m := range all {
		all[i] = all[n]
		all[n] = m
		if m.rank <= last {
			n++
		}
	}
	return n
}

// pull returns the next-best match with its id, or nil if none is left of those that were
// kept. want is a hint: how many the caller expects to pull.
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
		d.Score = scoreOf(m.rank)
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
		n, _ := best(rest, max(want, r.next)+1)
		r.sorted += n
		slices.SortFunc(r.all[r.next:r.sorted], func(a, b scored) int { return cmp.Compare(a.rank, b.rank) })
	}
	r.tied, r.pulled = r.tied[:0], 0
	for rank := r.all[r.next].rank; ; {
		m := r.all[r.next]
		id, err := reader.ExternalID(index.NewIndexInternalID(r.key[:0], m.doc))
		if err != nil {
			return err
		}
		r.tied = append(r.tied, identified{m, id})
		if r.next++; r.next == r.sorted || r.all[r.next].rank != rank {
			break
		}
	}
	if len(r.tied) > 1 {
		slices.SortFunc(r.tied, func(a, b identified) int { return cmp.Compare(a.id, b.id) })
	}
	return nil
}
