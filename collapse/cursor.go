package collapse

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/numeric"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/internal/idquery"
	"github.com/neardup/bleve-neardup/internal/indexes"
)

// Cursor is a place between two pages. It is plain data: it may be sent to the
// user as JSON and come back in another process; what is not UTF-8 in keys and ids is
// {"base64": "..."} there. It holds the sort key of the last
// hit that the pages before took, and names the heads they showed, so that copies
// of those stay hidden; their signatures are read from the index again.
//
// Pages may be asked for while documents come and go. A document that is there all
// the time and keeps its rank is shown or listed exactly once. One that is added
// before the place of the cursor is not shown, and copies of a head that was
// deleted since, or that the query matches no more, are no longer hidden by it. So a
// forged cursor tells nothing of documents that the query keeps from a client.
type Cursor struct {
	// After is the sort key of the last hit taken, with "_id" as the last part;
	// empty where bleve cannot continue from a key (score fusion), and then Taken
	// counts.
	After []string `json:"after,omitempty"`

	// Taken is the number of hits that the pages before took.
	Taken int `json:"taken"`

	// Heads are the heads that the pages before showed, in rank order. Index is
	// left out if all are of one.
	Heads []Ref `json:"heads"`

	// Shown is how many hits of each head's group the pages before showed; left
	// out if it is 1 for all.
	Shown []int `json:"shown,omitempty"`
}

// check returns an error for a cursor that no page of r gave.
func (c *Cursor) check(r *bleve.SearchRequest) error {
	if c.After != nil && !continuable(r, c.After) {
		return fmt.Errorf("collapse: cursor: wanted a key of the request's sort order (%d parts), got %q", len(r.Sort), c.After)
	}
	if c.Taken < 0 || c.Taken > indexes.MostHits {
		return fmt.Errorf("collapse: cursor: taken: wanted 0 to %d, got %d", indexes.MostHits, c.Taken)
	}
	if c.Shown != nil && len(c.Shown) != len(c.Heads) {
		return fmt.Errorf("collapse: cursor: shown: wanted a number for each of %d heads, got %d", len(c.Heads), len(c.Shown))
	}
	room := indexes.MostHits
	for _, n := range c.Shown {
		if n < 1 || n > room {
			return fmt.Errorf("collapse: cursor: shown: wanted numbers of 1 or more, at most %d together, got %d", indexes.MostHits, n)
		}
		room -= n
	}
	return nil
}

// sortKey returns the key of hit for SearchRequest.SearchAfter.
func sortKey(order search.SortOrder, hit *search.DocumentMatch) ([]string, error) {
	key := make([]string, len(order))
	for i, part := range order {
		switch part.(type) {
		case *search.SortScore:
			key[i] = strconv.FormatFloat(hit.Score, 'g', -1, 64)
		case *search.SortDocID:
			key[i] = hit.ID
		default:
			if i >= len(hit.Sort) {
				return nil, fmt.Errorf("collapse: hit %q: wanted a sort key of %d parts, got %d", hit.ID, len(order), len(hit.Sort))
			}
			key[i] = part.DecodeValue(hit.Sort[i])
		}
	}
	return key, nil
}

// continuable reports whether bleve takes key for one of r: a number, a distance or a
// date is where r sorts by one.
func continuable(r *bleve.SearchRequest, key []string) bool {
	probe := *r
	probe.From, probe.SearchAfter = 0, key
	return probe.Validate() == nil
}

// encodes reports whether bleve reads key back as what hit is sorted by. Of documents that
// lack the field it does not: their numbers and dates are none, and their distance is not
// a number, behind which nothing comes.
func encodes(order search.SortOrder, hit *search.DocumentMatch, key []string) bool {
	for i, part := range order {
		ok := true
		switch part := part.(type) {
		case *search.SortScore:
			score, err := strconv.ParseFloat(key[i], 64)
			ok = err == nil && score == hit.Score
		case *search.SortGeoDistance:
			ok = encodesNumber(key[i], hit.Sort[i])
		case *search.SortField:
			switch part.Type {
			case search.SortFieldAsNumber:
				ok = encodesNumber(key[i], hit.Sort[i])
			case search.SortFieldAsDate:
				at, err := time.Parse(time.RFC3339Nano, key[i])
				ok = err == nil && encodesInt(at.UnixNano(), hit.Sort[i])
			}
		}
		if !ok {
			return false
		}
	}
	return true
}

func encodesNumber(key, sorted string) bool {
	n, err := strconv.ParseFloat(key, 64)
	return err == nil && encodesInt(numeric.Float64ToInt64(n), sorted)
}

func encodesInt(n int64, sorted string) bool {
	code, err := numeric.NewPrefixCodedInt64(n, 0)
	return err == nil && string(code) == sorted
}

// recall makes the heads of the pages before known to w. A head that is no longer
// among the matches, or has no signature, hides nothing.
func (s *scan) recall(ctx context.Context, c *Cursor) error {
	hits, err := named(ctx, s.source.search, among(s.caller), c.Heads)
	if err != nil {
		return err
	}
	found := make(map[Ref]*search.DocumentMatch, 2*len(hits))
	for _, hit := range hits {
		found[refOf(hit)] = hit
		found[Ref{ID: hit.ID}] = hit
	}
	known := map[exactly]bool{}
	for i, ref := range c.Heads {
		h := head{ref: ref, sig: none, shown: 1, at: -1}
		if c.Shown != nil {
			h.shown = c.Shown[i]
		}
		s.walk.recall(h, found[ref], known)
	}
	return nil
}

// exactly tells which text a signature is of, after normalisation.
type exactly struct {
	params uint32
	exact  uint64
}

// among returns a request for matches of r, without anything else that r asks for.
func among(r *bleve.SearchRequest) bleve.SearchRequest {
	own := bleve.SearchRequest{Query: r.Query}
	copyKNN(&own, r)
	return own
}

// named searches for the documents that refs name, among the matches of r if it has a
// query, and may find other matches besides. What it finds is in r's order.
func named(ctx context.Context, find func(context.Context, *bleve.SearchRequest) (*bleve.SearchResult, error), r bleve.SearchRequest, refs []Ref) (search.DocumentMatchCollection, error) {
	if len(refs) == 0 {
		return nil, nil
	}
	ids := make([]string, len(refs))
	for i, ref := range refs {
		ids[i] = ref.ID
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	byID := idquery.New(ids)
	var q query.Query = byID
	if r.Query != nil {
		byID.SetBoost(0) // the score is that of r's query
		q = bleve.NewConjunctionQuery(r.Query, q)
	}
	// Two members of an alias may have a document of the same id.
	for r.Size = 2*len(ids) + copyKNN(&r, &r); ; {
		one := r // bleve changes what it is given
		one.Query, one.Sort = q, ranking(r.Sort)
		res, err := find(ctx, &one)
		if err != nil {
			return nil, err
		}
		if res.Total <= uint64(r.Size) {
			return res.Hits, nil
		}
		r.Size = int(res.Total)
	}
}

// recall makes h, whose hit may be nil, a head of a page before. It is no hit of
// this page, whose counts do not include it. One of a known text hides nothing that the
// first does not: only a forged cursor has thousands of these, which would be slow.
func (w *walk) recall(h head, hit *search.DocumentMatch, known map[exactly]bool) {
	if hit != nil {
		sig, err := w.read(hit)
		switch {
		case err == nil:
			if of := (exactly{sig.Params, sig.Exact}); !known[of] {
				known[of], h.sig = true, sig
			}
			if !w.signed {
				w.signed, w.first = true, sig.Params
			}
		case errors.Is(err, errUnsigned) && w.options.Missing == GroupMissing && w.bare < 0:
			w.bare = len(w.heads)
		}
	}
	w.before += h.shown
	w.add(h)
}
