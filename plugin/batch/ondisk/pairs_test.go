package ondisk_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/batch/ondisk"
)

// TestPairs acts as another engine: it joins the rows by a map and returns all pairs.
func TestPairs(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(11, 12))
	for range 40 {
		rule, k, all := mixed(rnd, rnd.IntN(120))
		rule.Hamming = min(rule.Hamming, 5)
		by := ways[rnd.IntN(2)]
		j := open(t, t.TempDir(), k, rule, by)
		j.Small(int64(5000 + rnd.IntN(50_000)))
		add(t, j, all)
		var keys bytes.Buffer
		if err := j.WriteKeys(context.Background(), &keys); err != nil {
			t.Fatal(err)
		}
		of := map[string][]string{}
		for in := bufio.NewScanner(&keys); in.Scan(); {
			key, doc, ok := strings.Cut(in.Text(), "\t")
			if !ok || len(key) != 16 {
				t.Fatalf("got %q", in.Text())
			}
			of[key] = append(of[key], doc)
		}
		var pairs strings.Builder
		for _, docs := range of {
			for i, a := range docs {
				for _, b := range docs[:i] {
					fmt.Fprintf(&pairs, "%s\t%s\n", a, b)
				}
			}
		}
		if err := j.JoinPairs(context.Background(), strings.NewReader(pairs.String())); err != nil {
			t.Fatal(err)
		}
		if _, err := j.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		hold(t, j, rule, by, all)
		wants(t, j.JoinPairs(context.Background(), strings.NewReader("")), "pairs: cannot be joined after Run has joined keys")
		j.Close()
	}
}

// The lines are as the comment of WriteKeys says.
func TestKeysGolden(t *testing.T) {
	t.Parallel()
	j := open(t, t.TempDir(), 16, signature.Rule{Lanes: 15, Hamming: -1}, ondisk.Leaders)
	s := &signature.Signature{Params: params(16).ID(), Exact: 1, Simhash: 2, Tokens: 20, Shingles: 17, Lanes: 16, Sketch: []uint64{3, 4, 5, 6}}
	add(t, j, []document{{"a", s}, {"b", &signature.Signature{}}, {"c", s}})
	var out bytes.Buffer
	if err := j.WriteKeys(context.Background(), &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	var want []string
	for _, doc := range []string{"0", "2"} {
		for _, line := range lines[:4] {
			want = append(want, line[:16]+"\t"+doc)
		}
	}
	if len(lines) != 8 || !slices.Equal(lines, want) || len(slices.Compact(slices.Sorted(slices.Values(lines)))) != 8 {
		t.Errorf("got\n%s", out.String())
	}
}
