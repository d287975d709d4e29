package table_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// Pairs are joined, and have leaders, only if they are confirmed, equal ones too; and nobody is asked
// of pairs that do not meet the rule, or are of different scopes.
func TestConfirmed(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(33, 34))
	rejected, joined := 0, 0
	for range 120 {
		rule, some := mixed(rnd, []int{16, 100}, []int{-1, 3, 6, 64}, rnd.IntN(100))
		var all []signature.Signature
		for _, s := range some {
			if s != nil {
				all = append(all, *s)
			}
		}
		n := len(all)
		scopes := someScopes(rnd, n)
		salt, share := rnd.IntN(1<<20), 1+rnd.IntN(3)
		yes := func(i, j int) bool { return (min(i, j)*7919+max(i, j)*104_729+salt)%997%4 < share }
		near := func(i, j int) bool { return neartest.Duplicates(rule, &all[i], &all[j]) }
		same := func(i, j int) bool { return scopes == nil || scopes[i] == scopes[j] }

		of, err := table.Connect(context.Background(), rule, n, func(i int) (signature.Signature, bool) { return all[i], true }, scopes, func(i, j int) bool {
			if i == j || !near(i, j) || !same(i, j) {
				t.Fatalf("asked of %d and %d, which are not proposed", i, j)
			}
			return yes(i, j)
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		root := make([]int, n)
		for i := range root {
			root[i] = i
			for j := range i {
				if !near(i, j) || !same(i, j) {
					continue
				}
				if !yes(i, j) {
					rejected++
					continue
				}
				from, to := max(root[i], root[j]), min(root[i], root[j])
				for k := range i + 1 {
					if root[k] == from {
						root[k] = to
					}
				}
			}
		}
		for i, r := range root {
			if int(of[i]) != r {
				t.Fatalf("%+v: %d is joined to %d, want %d", rule, i, of[i], r)
			}
			if r != i {
				joined++
			}
		}

		leaders, err := table.Leaders(context.Background(), rule, all, func(leader, i int) bool {
			if leader >= i || !near(leader, i) {
				t.Fatalf("asked of %d and %d, which are not proposed", leader, i)
			}
			return yes(leader, i)
		})
		if err != nil {
			t.Fatal(err)
		}
		want := make([]int, n)
		for i := range want {
			want[i] = i
			for j := range i {
				if want[j] == j && near(i, j) && yes(i, j) {
					want[i] = j
					break
				}
			}
			if leaders[i] != want[i] {
				t.Fatalf("%+v: the leader of %d is %d, want %d", rule, i, leaders[i], want[i])
			}
		}
	}
	if rejected < 1000 || joined < 1000 {
		t.Errorf("%d pairs are not confirmed, %d signatures are joined: this test shows little", rejected, joined)
	}
}
