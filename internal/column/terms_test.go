package column

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/standard"
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"
)

// joinTerms is an Encode.
func joinTerms(b []byte, terms [][]byte) []byte {
	slices.SortFunc(terms, bytes.Compare)
	return append(b, bytes.Join(terms, []byte{','})...)
}

// termsByBleve reads terms as bleve does, document by document.
func termsByBleve(t *testing.T, reader index.IndexReader, field string) map[string]string {
	t.Helper()
	values, err := reader.DocValueReader([]string{field})
	if err != nil {
		t.Fatal(err)
	}
	ids, err := reader.DocIDReaderAll()
	if err != nil {
		t.Fatal(err)
	}
	defer ids.Close()
	of := make(map[string]string)
	for {
		id, err := ids.Next()
		if err != nil {
			t.Fatal(err)
		}
		if id == nil {
			return of
		}
		var terms [][]byte
		if err := values.VisitDocValues(id, func(_ string, term []byte) { terms = append(terms, bytes.Clone(term)) }); err != nil {
			t.Fatal(err)
		}
		of[string(id)] = string(joinTerms(nil, terms))
	}
}

// Terms in memory equal bleve's: with missing and several values, several blocks and segments,
// deleted documents, few places, and several searches at a time. What a Store no longer needs
// takes no places.
func TestTerms(t *testing.T) {
	t.Parallel()
	for _, most := range []int64{0, 4, -1} {
		t.Run(fmt.Sprint(most), func(t *testing.T) {
			t.Parallel()
			testTerms(t, &Store{most: most})
		})
	}
}

func testTerms(t *testing.T, s *Store) {
	x, _ := plainIndex(t, "", keyword.Name)
	for round, size := range []int{1100, 10, 3} {
		batch := x.NewBatch()
		for i := range size {
			doc := map[string]any{"price": i % 7}
			switch i % 5 {
			case 1:
				doc["host"] = fmt.Sprint("host ", i%50)
			case 2:
				doc["host"] = []string{"b", "a", fmt.Sprint(i)}
			case 3:
				doc["host"] = ""
			}
			if err := batch.Index(fmt.Sprint(round, "-", i), doc); err != nil {
				t.Fatal(err)
			}
		}
		for i := range round {
			batch.Delete(fmt.Sprint(0, "-", 3*i+1))
		}
		if err := x.Batch(batch); err != nil {
			t.Fatal(err)
		}
		compareTerms(t, x, s)
	}
	places := termPlaces(s)
	if kept := s.kept; kept != places || s.most == 0 && kept == 0 || s.most < 0 && kept != 0 || s.most > 0 && kept > s.most {
		t.Errorf("got %d places of at most %d, wanted %d", kept, s.most, places)
	}
}

func compareTerms(t *testing.T, x bleve.Index, s *Store) {
	t.Helper()
	reader := newest(t, x)
	defer reader.Close()
	s.Adopt(reader)
	var searches sync.WaitGroup
	for _, field := range []string{"host", "price", "absent"} {
		want := termsByBleve(t, reader, field)
		for range 3 {
			searches.Go(func() {
				terms := TermsOf(reader, field, joinTerms)
				if terms == nil {
					t.Error("no Store was adopted")
					return
				}
				known := 0
				for id, want := range want {
					got, ok := terms.Of(index.IndexInternalID(id).Value())
					if !ok {
						continue
					}
					if known++; string(got) != want {
						t.Errorf("%s of %x: got %q, wanted %q", field, id, got, want)
						return
					}
				}
				if s.most == 0 && known != len(want) {
					t.Errorf("%s: %d of %d documents are in memory", field, known, len(want))
				}
				if _, ok := terms.Of(1 << 40); ok {
					t.Errorf("%s: got terms of a document that is not there", field)
				}
			})
		}
	}
	searches.Wait()
}

// The terms of segments that were merged away take no places.
func TestTermsOfOldSegments(t *testing.T) {
	t.Parallel()
	s := new(Store)
	x, inner := plainIndex(t, t.TempDir()+"/x", standard.Name)
	for n := range 3 {
		write(t, x, map[string]int{fmt.Sprint("a", n): 1, fmt.Sprint("b", n): 2})
		compareTerms(t, x, s)
	}
	reader, err := inner.Reader()
	if err != nil {
		t.Fatal(err)
	}
	several := len(reader.(*scorch.IndexSnapshot).Segments()) > 1 // unless bleve has merged them already
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	before := s.kept
	if err := inner.ForceMerge(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	compareTerms(t, x, s)
	s.mu.Lock()
	defer s.mu.Unlock()
	if after := s.kept; before == 0 || after > before || several && after == before || after != termPlaces(s) {
		t.Errorf("%d places are taken after the merge, %d before, %d by terms", after, before, termPlaces(s))
	}
}

// termPlaces is how many places all terms take.
func termPlaces(s *Store) (places int64) {
	for _, t := range s.terms {
		places += t.places
	}
	return places
}
