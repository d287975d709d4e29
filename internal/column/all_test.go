package column

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/index/scorch"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// All has what Signature reads one by one, whether the store has room for it or not.
func TestAll(t *testing.T) {
	t.Parallel()
	x, inner := plainIndex(t, "", keyword.Name)
	sigs, batch := family(rand.New(rand.NewPCG(3, 4)), 300), x.NewBatch()
	for i, s := range sigs {
		d := map[string]any{"scope": []string{"a", fmt.Sprint(i % 2)}}
		if i%7 != 0 {
			text, _ := s.MarshalText()
			d[signature.Field("f").Sketch()] = string(text)
		}
		if err := batch.Index(fmt.Sprint(i), d); err != nil {
			t.Fatal(err)
		}
		if i%50 == 49 {
			if i == 299 {
				for i := range 50 {
					batch.Delete(fmt.Sprint(i))
				}
			}
			if err := x.Batch(batch); err != nil {
				t.Fatal(err)
			}
			batch = x.NewBatch() // scorch still reads one that deletes, after it has written it
		}
	}
	reader, err := inner.Reader()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for _, most := range []int64{0, 100} {
		store := &Store{most: most}
		r := newReader(store, reader.(*scorch.IndexSnapshot), "f")
		for doc := range uint64(20) { // some are known before
			if _, err := r.Signature(doc); err != nil && err != stored.ErrNone {
				t.Fatal(err)
			}
		}
		done := 0
		all, err := Readers{r}.All(context.Background(), func(n int) { done += n })
		if err != nil {
			t.Fatal(err)
		}
		if most != 0 && store.kept > most {
			t.Errorf("the store keeps %d signatures, more than %d", store.kept, most)
		}
		var scopes []uint64
		for _, segment := range r.segments {
			own, err := scopesOf(segment, "scope")
			if err != nil {
				t.Fatal(err)
			}
			scopes = append(scopes, own...)
		}
		if done != all.Len() || len(scopes) != all.Len() {
			t.Errorf("%d documents were read and %d have scopes, of %d", done, len(scopes), all.Len())
		}
		seen := 0
		for doc := range all.Len() {
			id, err := reader.ExternalID(Number(uint64(doc)))
			var n int
			fmt.Sscan(id, &n)
			got, ok := all.At(doc)
			if err != nil || n < 50 || n%7 == 0 {
				if ok {
					t.Errorf("%s has a signature", id)
				}
				continue
			}
			seen++
			if want := sigs[n]; !ok || fmt.Sprint(got) != fmt.Sprint(*want) {
				t.Errorf("%s: got %v, want %v", id, got, *want)
			}
			if want := ScopeOf("a", fmt.Sprint(n%2)); scopes[doc] != want {
				t.Errorf("%s: got scope %x, want %x", id, scopes[doc], want)
			}
		}
		if seen != 250-35 { // 56, 63 … 294 have none
			t.Errorf("%d documents have a signature", seen)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (Readers{newReader(new(Store), reader.(*scorch.IndexSnapshot), "f")}).All(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that is done: got %v", err)
	}
}
