package collapse

import (
	"cmp"
	"slices"

	"github.com/blevesearch/bleve/v2/search"
)

// To sort by "_id", even as the last tie-break, bleve reads the id of every match,
// where otherwise it needs those of the hits alone: a search of 1,216 documents then
// takes four times as long. So it is asked without, as long as that goes. Hits that
// tie then come in the order of bleve's document numbers, which settle turns into
// the order of ids. Those that tie with the last may have lost others to the
// request's size; they are left for the next request, which starts at the top again
// and must bring the same hits first: if the index has changed, or all that comes
// ties, scan.more goes on with "_id" behind the last hit that was taken.

// ranking returns a copy of order, or that by score, bleve's own, if it is empty.
//
// Of a sort by field that a search has used, bleve's copies share the memory that values
// are collected in: the members of an alias would then write to it at the same time.
func ranking(order search.SortOrder) search.SortOrder {
	if len(order) == 0 {
		return search.SortOrder{&search.SortScore{Desc: true}}
	}
	own := order.Copy()
	for i, part := range own {
		if f, ok := part.(*search.SortField); ok {
			own[i] = &search.SortField{Field: f.Field, Desc: f.Desc, Type: f.Type, Mode: f.Mode, Missing: f.Missing}
		}
	}
	return own
}

// settle orders hits, which are sorted by order, by id where they tie. Unless they
// are all there is, it leaves out the last of them and all that tie with it.
func settle(order search.SortOrder, hits search.DocumentMatchCollection, all bool) search.DocumentMatchCollection {
	for begin := 0; begin < len(hits); {
		end := begin + 1
		for end < len(hits) && tie(order, hits[begin], hits[end]) {
			end++
		}
		if end == len(hits) && !all {
			return hits[:begin]
		}
		slices.SortStableFunc(hits[begin:end], byID)
		begin = end
	}
	return hits
}

func byID(a, b *search.DocumentMatch) int { return cmp.Compare(a.ID, b.ID) }

// tie reports whether a and b are equal by order.
func tie(order search.SortOrder, a, b *search.DocumentMatch) bool {
	for i, part := range order {
		if _, ok := part.(*search.SortScore); ok {
			if a.Score != b.Score {
				return false
			}
		} else if i >= len(a.Sort) || i >= len(b.Sort) || a.Sort[i] != b.Sort[i] {
			return false
		}
	}
	return true
}

// unseen returns the hits behind those that were taken already, and false if those
// are not the ones that hits begins with.
func (s *scan) unseen(hits search.DocumentMatchCollection) (search.DocumentMatchCollection, bool) {
	if len(hits) < len(s.seen) {
		return nil, false
	}
	for i, ref := range s.seen {
		if refOf(hits[i]) != ref {
			return nil, false
		}
	}
	return hits[len(s.seen):], true
}
