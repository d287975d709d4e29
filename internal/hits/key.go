package hits

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/numeric"
	"github.com/blevesearch/bleve/v2/search"
)

// A place between two pages is a key, with which each hit on the way from the top is compared. A cursor has the key of
// a hit as bleve sorts by it, so nothing is decoded. A caller's key has numbers and dates as people write them.

// Parts of a key that sort before and after every "_id": for a key of an order without one,
// as bleve takes hits that tie with it neither for before it nor for after it.
const (
	beforeAllIDs = ""
	afterAllIDs  = "\xff\xff\xff\xff"
)

// keysOf returns the keys of r for an order whose last part is "_id", which r's may
// lack.
func keysOf(r *bleve.SearchRequest, order search.SortOrder) (after, before []string) {
	after, before = r.SearchAfter, r.SearchBefore
	if after != nil && len(after) < len(order) {
		after = append(slices.Clip(after), afterAllIDs)
	}
	if before != nil && len(before) < len(order) {
		before = append(slices.Clip(before), beforeAllIDs)
	}
	return after, before
}

// Keys returns the caller's keys as hits, nil for one that there is not.
func (h *Hits) Keys() (after, before *search.DocumentMatch) {
	a, b := keysOf(h.caller, h.request.Sort)
	return h.encoded(a), h.encoded(b)
}

// encoded returns a hit of that key, as bleve encodes it.
func (h *Hits) encoded(key []string) *search.DocumentMatch {
	if key == nil {
		return nil
	}
	key = slices.Clone(key)
	for i, part := range h.request.Sort {
		kind := search.SortFieldAuto
		switch part := part.(type) {
		case *search.SortGeoDistance:
			kind = search.SortFieldAsNumber
		case *search.SortField:
			kind = part.Type
		}
		switch kind { // Check has seen that these can be read
		case search.SortFieldAsNumber:
			n, _ := strconv.ParseFloat(key[i], 64)
			key[i] = string(numeric.MustNewPrefixCodedInt64(numeric.Float64ToInt64(n), 0))
		case search.SortFieldAsDate:
			at, _ := time.Parse(time.RFC3339Nano, key[i])
			key[i] = string(numeric.MustNewPrefixCodedInt64(at.UnixNano(), 0))
		}
	}
	place, _ := h.At(key, "") // a score that is none counts as 0, as in bleve
	return place
}

// Key returns the key of a hit and, where members of an alias can have the same id, its index. With score fusion a hit
// has none.
func (h *Hits) Key(hit *search.DocumentMatch) (key []string, index string) {
	if h.fusion || hit == nil {
		return nil, ""
	}
	key = make([]string, len(h.request.Sort))
	for i, part := range h.request.Sort {
		switch part.(type) {
		case *search.SortScore:
			key[i] = strconv.FormatFloat(hit.Score, 'g', -1, 64)
		case *search.SortDocID:
			key[i] = hit.ID
		default:
			if i >= len(hit.Sort) { // of an index that does not tell
				return nil, ""
			}
			key[i] = hit.Sort[i]
		}
	}
	if !one(h.index.anyIndex) {
		index = hit.Index
	}
	return key, index
}

// At returns a hit of that key, to compare others with, nil for no key.
func (h *Hits) At(key []string, index string) (*search.DocumentMatch, error) {
	if key == nil {
		return nil, nil
	}
	place := &search.DocumentMatch{Index: index, Sort: key}
	if len(key) != len(h.request.Sort) || h.fusion {
		return place, fmt.Errorf("wanted a key of the request's sort order (%d parts), got %q", len(h.request.Sort), key)
	}
	var err error
	for i, part := range h.request.Sort {
		switch part.(type) {
		case *search.SortScore:
			if place.Score, err = strconv.ParseFloat(key[i], 64); err != nil || math.IsNaN(place.Score) {
				place.Score, err = 0, fmt.Errorf("wanted a key of the request's sort order, with a score, got %q", key[i])
			}
		case *search.SortDocID:
			place.ID = key[i]
		}
	}
	return place, err
}

// Compare compares a hit with what At or Keys returned.
func (h *Hits) Compare(hit, place *search.DocumentMatch) int {
	if len(hit.Sort) < len(h.order) {
		return -1 // of an index that does not tell
	}
	if !Tie(h.order, hit, place) {
		return h.compare(hit, place)
	}
	if c := cmp.Compare(hit.ID, place.ID); c != 0 || place.Index == "" {
		return c
	}
	return cmp.Compare(hit.Index, place.Index)
}

// Moves reports whether hits have scores in their keys, which move when documents are written.
func (h *Hits) Moves() bool {
	scored := func(part search.SearchSort) bool { return part.RequiresScoring() }
	return h.request.Score != "none" && slices.ContainsFunc(h.order, scored)
}
