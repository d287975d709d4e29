package hits

import (
	"cmp"
	"slices"

	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/internal/column"
)

// To sort by "_id", even as the last tie-break, bleve reads the id of every match: a search takes up to four times as
// long. So Hits leaves "_id" out of the sort as long as it can, and settle brings hits that tie into the order of their
// ids. Those that tie with the last might have lost others to the request's size. They are left for the next request,
// which starts at the top again. If it brings nothing new, Hits goes on with "_id"; it begins with "_id" if manyTie.

// manyTie reports whether an order is by fields alone that have few values, for 200 documents of reader or more each. A
// value counts again in each segment. bleve's FieldCardinality says the same, but opens segments in goroutines, where a
// panic at a damaged file would end the process.
func manyTie(reader index.IndexReader, order search.SortOrder) (many bool) {
	names := order.RequiredFields()
	snapshot, ok := reader.(*scorch.IndexSnapshot)
	if !ok || len(order) == 0 || len(names) != len(order) { // others are scores and ids
		return false
	}
	docs, err := snapshot.DocCount()
	defer column.Guard("terms", &err) // a search that needs them says so
	for _, name := range names {
		terms := 0
		for _, s := range snapshot.Segments() {
			dict, none := s.Segment().Dictionary(name)
			if none != nil {
				return false
			}
			terms += dict.Cardinality()
		}
		docs /= uint64(max(1, terms/max(1, len(snapshot.Segments()))))
	}
	return err == nil && docs >= 200
}

// Order returns a copy of order, or the order by score, as bleve has it, if it is empty. bleve's own copies of a sort
// by field share the memory that values are collected in, which members of an alias would write to at the same time.
func Order(order search.SortOrder) search.SortOrder {
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
		for end < len(hits) && Tie(order, hits[begin], hits[end]) {
			end++
		}
		if end == len(hits) && !all {
			return hits[:begin]
		}
		slices.SortStableFunc(hits[begin:end], ByID)
		begin = end
	}
	return hits
}

// ByID compares hits by their ids, and where two indexes have the same id by the names of these.
func ByID(a, b *search.DocumentMatch) int {
	return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Index, b.Index))
}

// Tie reports whether a and b are equal by order.
func Tie(order search.SortOrder, a, b *search.DocumentMatch) bool {
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

// ByIDAtLast returns order with "_id" as its last part, if it is not among them.
func ByIDAtLast(order search.SortOrder) search.SortOrder {
	if slices.ContainsFunc(order, func(k search.SearchSort) bool { _, ok := k.(*search.SortDocID); return ok }) {
		return order
	}
	return append(slices.Clip(order), &search.SortDocID{})
}

// Compare compares hits in an order, by their ids where they tie.
func Compare(order search.SortOrder) func(a, b *search.DocumentMatch) int {
	byScore, desc := order.CacheIsScore(), order.CacheDescending()
	return func(a, b *search.DocumentMatch) int {
		if Tie(order, a, b) {
			return ByID(a, b)
		}
		return order.Compare(byScore, desc, a, b)
	}
}
