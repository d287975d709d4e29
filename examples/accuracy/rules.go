package main

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/examples/internal/join"
)

// rule is a rule of this library, over the signatures of one of widths.
type rule struct {
	name  string
	width int // index into widths
	rule  signature.Rule
}

// widths are the numbers of tokens in a feature of the simhash.
var widths = [...]int{4, 1}

// single is how many of the rules have one test.
const single = 3

// rules are those that are compared, the ones of a single test first.
func rules() []rule {
	of := func(mode signature.Mode) signature.Rule {
		r := signature.Rule{}
		r.Mode = mode
		return r
	}
	return []rule{
		{"sketch", 0, of(signature.SketchOnly)},
		{"simhash, 4-shingles", 0, of(signature.SimhashOnly)},
		{"simhash, words", 1, of(signature.SimhashOnly)},
		{"either, 4-shingles", 0, of(signature.Either)},
		{"either, words", 1, of(signature.Either)},
		{"both, 4-shingles", 0, of(signature.Both)},
		{"both, words", 1, of(signature.Both)},
	}
}

// edges are the resemblances at which bins begin; the last bin is for equal sets of
// shingles.
var edges = []float64{0, .5, .6, .7, .8, .85, .9, .95, 1}

// bin is the number of the bin of resemblance r.
func bin(r float64) int {
	i, found := slices.BinarySearch(edges, r)
	if !found {
		i--
	}
	return i
}

// measured is what the rules did on one corpus.
type measured struct {
	name    string
	docs    int // that have a shingle; the others are left out
	without int
	pairs   []int   // of all documents, by bin
	taken   [][]int // for duplicates, by rule and bin
	labels  []label
}

// label is what the rules did on the pairs of a corpus that bear one label.
type label struct {
	name  string
	pairs int
	taken []int // by rule
}

// texts are the documents of a corpus that have shingles, as signatures by widths
// and as sorted sets of the fingerprints of 4-shingles. Two shingles share a
// fingerprint with probability 2^-61, so the sets are as good as the text.
type texts struct {
	ids        []string
	signatures [len(widths)][]signature.Signature
	shingles   [][]uint64
}

func read(c corpus) (t texts, err error) {
	var makers [len(widths)]*signature.Maker
	for i, width := range widths {
		p := signature.DefaultParams()
		p.SimhashWidth = width
		if makers[i], err = signature.NewMaker(p); err != nil {
			return t, err
		}
	}
	for _, d := range c.docs {
		for i, m := range makers {
			m.Text([]byte(d.Text))
			if i == 0 {
				if len(m.Shingles()) == 0 {
					m.Reset()
					break
				}
				set := slices.Clone(m.Shingles())
				slices.Sort(set)
				t.shingles = append(t.shingles, set)
				t.ids = append(t.ids, d.ID)
			}
			t.signatures[i] = append(t.signatures[i], m.Signature())
		}
	}
	return t, nil
}

// measure compares the rules with the exact resemblance of all pairs of documents.
func measure(c corpus) (measured, error) {
	all := rules()
	t, err := read(c)
	if err != nil {
		return measured{}, err
	}
	n := len(t.ids)
	m := measured{name: c.name, docs: n, without: len(c.docs) - n, pairs: make([]int, len(edges))}
	exact := join.Pairs(t.shingles, edges[1])
	m.pairs[0] = n*(n-1)/2 - len(exact)
	for _, r := range exact {
		m.pairs[bin(r)]++
	}
	taken := takenPairs(t, all)
	for i := range all {
		m.taken = append(m.taken, make([]int, len(edges)))
		for p, by := range taken {
			if by>>i&1 != 0 {
				m.taken[i][bin(exact[p])]++ // 0 for pairs that resemble less
			}
		}
	}
	m.labels = measureLabels(c, t, taken, len(all))
	return m, nil
}

// takenPairs asks every rule about every pair. Bit i of the result says that rule
// i took the pair for duplicates.
func takenPairs(t texts, all []rule) map[join.Pair]uint8 {
	taken := make(map[join.Pair]uint8)
	var lock sync.Mutex
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for {
				b := int(next.Add(1)) - 1
				if b >= len(t.ids) {
					return
				}
				for a := range b {
					var by uint8
					for i, r := range all {
						// The rules that combine tests ask for one of the tests.
						if i == single && by == 0 {
							break
						}
						s := t.signatures[r.width]
						if r.rule.Duplicates(&s[a], &s[b]) {
							by |= 1 << i
						}
					}
					if by != 0 {
						lock.Lock()
						taken[join.Of(int32(a), int32(b))] = by
						lock.Unlock()
					}
				}
			}
		})
	}
	workers.Wait()
	return taken
}

// measureLabels counts the labelled pairs whose documents both have shingles.
func measureLabels(c corpus, t texts, taken map[join.Pair]uint8, rules int) (labels []label) {
	numbers := make(map[string]int32)
	for i, id := range t.ids {
		numbers[id] = int32(i)
	}
	for _, p := range c.pairs {
		a, okA := numbers[p.a]
		b, okB := numbers[p.b]
		if !okA || !okB {
			continue
		}
		i := slices.IndexFunc(labels, func(l label) bool { return l.name == p.label })
		if i < 0 {
			i = len(labels)
			labels = append(labels, label{name: p.label, taken: make([]int, rules)})
		}
		labels[i].pairs++
		for rule := range rules {
			labels[i].taken[rule] += int(taken[join.Of(a, b)] >> rule & 1)
		}
	}
	slices.SortFunc(labels, func(a, b label) int { return b.pairs - a.pairs })
	return labels
}
