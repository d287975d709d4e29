package near_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// leaving is a context that is done after so many looks at it.
type leaving struct {
	context.Context
	looks *atomic.Int64
	most  int64
}

func (l leaving) Err() error {
	if l.looks.Add(1) > l.most {
		return context.Canceled
	}
	return nil
}

// A large family is found whole, or there is an error: whenever the caller leaves, it is told
// so, and soon.
func TestLeaving(t *testing.T) {
	t.Parallel()
	const copies = 3000
	rnd := rand.New(rand.NewPCG(71, 72))
	first := random(rnd)
	docs := map[string]any{}
	for i := range copies {
		docs[fmt.Sprintf("%04d", i)] = forgedDoc(t, first)
	}
	x := forged(t, forging, "")
	put(t, x, docs)
	for _, backend := range backends {
		q := near.SimilarQuery{Signature: first, ID: "0000", Backend: backend, MaxShare: 1}
		ask := func(ctx context.Context) (int, string, error) {
			res, err := near.Similar(ctx, x, near.SimilarRequest{Query: q, Size: 1})
			if err != nil {
				return 0, "", err
			}
			return int(res.Total), res.Hits[0].ID, nil
		}
		looks := new(atomic.Int64)
		if n, id, err := ask(leaving{context.Background(), looks, 1 << 40}); err != nil || n != copies-1 || id != "0001" {
			t.Fatalf("%s: got %d, first %s, %v; want %d, first 0001", backend, n, id, err, copies-1)
		}
		looks.Store(0)
		if _, _, err := ask(leaving{context.Background(), looks, 1 << 40}); err != nil {
			t.Fatal(err)
		}
		all := looks.Load()
		if all < copies/1024 || all > copies {
			t.Errorf("%s: %d looks at the context for %d documents", backend, all, copies)
		}
		for most := range all {
			looks.Store(0)
			n, id, err := ask(leaving{context.Background(), looks, most})
			if !errors.Is(err, context.Canceled) && (err != nil || n != copies-1 || id != "0001") {
				t.Errorf("%s, left at look %d of %d: got %d, first %s, %v", backend, most+1, all, n, id, err)
			}
		}
	}
}

// What has no token is near nothing, whatever made it.
func TestForeignNothing(t *testing.T) {
	t.Parallel()
	x := texts(t, nil)
	if err := x.Index("a", map[string]any{"body": "a text"}); err != nil {
		t.Fatal(err)
	}
	for _, tokens := range []uint64{0, 9} {
		q := near.SimilarQuery{Signature: &signature.Signature{Params: 1, Tokens: tokens}}
		res, err := near.Similar(context.Background(), x, near.SimilarRequest{Query: q})
		if (err == nil) != (tokens == 0) || err == nil && res.Total != 0 {
			t.Errorf("%d tokens: got %+v, %v", tokens, res, err)
		}
	}
}
