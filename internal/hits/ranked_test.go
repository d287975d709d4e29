package hits

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"
)

// shuffled is a reader whose documents' ids are not in the order of their numbers.
type shuffled struct {
	index.IndexReader
	segments int
	walks    *int // counts
}

const documents = 100_003 // a prime

func (shuffled) DocCount() (uint64, error) { return documents, nil }

func (s shuffled) Segments() []*scorch.SegmentSnapshot {
	return make([]*scorch.SegmentSnapshot, s.segments)
}

func (shuffled) InternalID(id string) (index.IndexInternalID, error) {
	if id == "" { // no document has it
		return nil, nil
	}
	n, err := strconv.ParseInt(id, 10, 64)
	inverse := new(big.Int).ModInverse(big.NewInt(7919), big.NewInt(documents)).Int64()
	return index.NewIndexInternalID(nil, uint64(n*inverse%documents)), err
}

// FieldDict returns all ids in order.
func (s shuffled) FieldDict(string) (index.FieldDict, error) {
	*s.walks++
	return new(ids), nil
}

type ids struct {
	index.FieldDict
	next int
}

func (d *ids) Next() (*index.DictEntry, error) {
	if d.next++; d.next > documents {
		return nil, nil
	}
	return &index.DictEntry{Term: fmt.Sprintf("%06d", d.next-1)}, nil
}

func (shuffled) ExternalID(id index.IndexInternalID) (string, error) {
	return fmt.Sprintf("%06d", id.Value()*7919%documents), nil
}

// TestRanked compares what is pulled with all matches sorted by score and id.
func TestRanked(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	scores := []func(int) float64{
		func(int) float64 { return rnd.ExpFloat64() },
		func(int) float64 { return float64(rnd.IntN(5)) - 2 }, // many ties
		func(i int) float64 { return float64(i) },             // each better than all before
		func(i int) float64 { return float64(-i) },
		func(int) float64 { return 1 },
		func(int) float64 { return math.Copysign(0, rnd.Float64()-.5) },
	}
	for kind, score := range scores {
		for _, n := range []int{0, 1, 30, 500, 2500, 90_000} {
			for _, keep := range []int{1, 20, 1000, 1<<30 + 1} { // the last is From and Size at most: twice as many are no int of 32 bits
				if n > 2500 && keep != 20 {
					continue
				}
				name := fmt.Sprintf("kind %d, %d matches, keep %d", kind, n, keep)
				r := newRanked(max(10, keep-1), keep)
				r.pool, r.reader = search.NewDocumentMatchPool(2, 1), shuffled{segments: 2, walks: new(int)}
				r.pool.TooSmall = r.reuse
				var want []string
				byID := map[string]float64{}
				for i := range n {
					d := r.pool.Get()
					d.Score, d.IndexInternalID = score(i), index.NewIndexInternalID(nil, uint64(i))
					id, _ := shuffled{}.ExternalID(d.IndexInternalID)
					byID[id] = d.Score
					want = append(want, id)
					if i%3 == 0 {
						d.Expl = &search.Explanation{Message: id}
					}
					if err := r.add(d); err != nil {
						t.Fatal(err)
					}
				}
				slices.SortFunc(want, func(a, b string) int {
					return cmp.Or(cmp.Compare(byID[b], byID[a]), cmp.Compare(a, b))
				})
				pulled, held := 0, len(r.all)+int(r.edge.GetCardinality())
				for ; ; pulled++ {
					d, err := r.pull()
					if err != nil {
						t.Fatal(err)
					}
					if d == nil {
						break
					}
					explained := d.IndexInternalID.Value()%3 == 0
					if d.ID != want[pulled] || d.Score != byID[d.ID] || explained != (d.Expl != nil) || explained && d.Expl.Message != d.ID {
						t.Fatalf("%s: wanted %s, score %v, at %d, got %s, score %v, explained %v", name, want[pulled], byID[want[pulled]], pulled, d.ID, d.Score, d.Expl)
					}
				}
				if pulled < min(n, keep) || len(r.full) > held {
					t.Errorf("%s: wanted %d hits or more, got %d, and %d kept in full", name, min(n, keep), pulled, len(r.full))
				}
			}
		}
	}
}

// Ids are walked through where matches are many, and segments few.
func TestWalks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ matches, segments, want int }{{2000, 2, 0}, {30_000, 2, 1}, {30_000, 20, 1}, {30_000, 2000, 0}} {
		walks := 0
		r := newRanked(10, 20)
		r.pool, r.reader = search.NewDocumentMatchPool(2, 1), shuffled{segments: tt.segments, walks: &walks}
		r.pool.TooSmall = r.reuse
		for i := range tt.matches {
			d := r.pool.Get()
			d.IndexInternalID = index.NewIndexInternalID(nil, uint64(i))
			if err := r.add(d); err != nil {
				t.Fatal(err)
			}
		}
		if d, err := r.pull(); err != nil || d.ID != "000000" || walks != tt.want {
			t.Errorf("%+v: got %v, %v, %d walks", tt, d, err, walks)
		}
	}
}

// Where too many matches that tie have more to tell, bleve has to rank.
func TestTooFull(t *testing.T) {
	t.Parallel()
	r := newRanked(10, 1)
	r.pool = search.NewDocumentMatchPool(0, 1)
	r.pool.TooSmall = r.reuse
	for i := range maxFull + 10 {
		if r.unfit != (i > maxFull+4) { // 4 are kept anyway
			t.Fatalf("after %d matches: got %v", i, r.unfit)
		}
		d := r.pool.Get()
		d.IndexInternalID, d.Expl = index.NewIndexInternalID(nil, uint64(i)), new(search.Explanation)
		if err := r.add(d); err != nil {
			t.Fatal(err)
		}
	}
}

// A match that is dropped comes back empty, whatever a searcher has put into it.
func TestReuse(t *testing.T) {
	t.Parallel()
	later := []string{"Index", "ID", "Locations", "Fragments", "DecodedSort", "IndexNames"} // bleve sets them of what it returns
	of := reflect.TypeFor[search.DocumentMatch]()
	for i := range of.NumField() {
		name := of.Field(i).Name
		if slices.Contains(later, name) {
			continue
		}
		r := newRanked(10, 10)
		r.pool, r.worst = search.NewDocumentMatchPool(0, 1), 1
		r.pool.TooSmall = r.reuse
		d := &search.DocumentMatch{IndexInternalID: index.NewIndexInternalID(nil, 7)}
		switch field := reflect.ValueOf(d).Elem().Field(i); field.Kind() {
		case reflect.Slice:
			if name != "IndexInternalID" {
				field.Set(reflect.MakeSlice(field.Type(), 1, 1))
			}
		case reflect.Map:
			field.Set(reflect.MakeMap(field.Type()))
			field.SetMapIndex(reflect.Zero(field.Type().Key()), reflect.Zero(field.Type().Elem()))
		case reflect.Pointer:
			field.Set(reflect.New(field.Type().Elem()))
		case reflect.Float64:
			field.SetFloat(-1)
		case reflect.Uint64:
			field.SetUint(1)
		default:
			t.Fatalf("bleve has changed: a match has %s, which add must empty", name)
		}
		if err := r.add(d); err != nil {
			t.Fatal(err)
		}
		again := r.pool.Get()
		if field := reflect.ValueOf(again).Elem().Field(i); again != d || !field.IsZero() && (field.Kind() != reflect.Slice || field.Len() > 0) {
			t.Errorf("%s: wanted the match again, empty, got %+v", name, again)
		}
	}
}
