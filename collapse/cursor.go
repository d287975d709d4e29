package collapse

import (
	"context"
	"fmt"
	"strconv"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
)

// Cursor is a place between two pages. It is plain data: it may be sent to the
// user as JSON and come back in another process. It holds the sort key of the last
// hit that the pages before took, and names the heads they showed, so that copies
// of those stay hidden; their signatures are read from the index again.
//
// Pages may be asked for while documents come and go. A document that is there all
// the time and keeps its rank is shown or listed exactly once. One that is added
// before the place of the cursor is not shown, and copies of a head that was
// deleted since are no longer hidden by it.
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

// continuable reports whether bleve can continue behind key: numbers and dates of
// documents that lack the field have a key that it does not read back.
func continuable(r *bleve.SearchRequest, key []string) bool {
	probe := *r
	probe.From, probe.SearchAfter = 0, key
	return probe.Validate() == nil
}

// recall makes the heads of the pages before known to w. A head that is no longer
// in the index, or has no signature, hides nothing.
func (s *scan) recall(ctx context.Context, c *Cursor) error {
	if len(c.Heads) == 0 {
		return nil
	}
	wanted := make(map[Ref]bool, len(c.Heads))
	ids := make([]string, 0, len(c.Heads))
	for _, ref := range c.Heads {
		if !wanted[ref] {
			wanted[ref] = true
			ids = append(ids, ref.ID)
		}
	}
	// Two members of an alias may have a document of the same id.
	r := bleve.NewSearchRequestOptions(bleve.NewDocIDQuery(ids), 2*len(ids), 0, false)
	found := make(map[Ref]*search.DocumentMatch, len(ids))
	for {
		res, err := s.source.search(ctx, r)
		if err != nil {
			return err
		}
		for _, hit := range res.Hits {
			found[refOf(hit)] = hit
			found[Ref{ID: hit.ID}] = hit
		}
		if res.Total <= uint64(r.Size) {
			break
		}
		r.Size = int(res.Total)
	}
	// These are not hits of this page: its counts do not include them.
	w := *s.walk
	for _, ref := range c.Heads {
		h := head{ref: ref, sig: none}
		if hit := found[ref]; hit != nil {
			h.sig = w.signature(hit)
		}
		s.walk.add(h)
	}
	s.walk.first, s.walk.signed = w.first, w.signed
	return nil
}
