package plugin_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

const (
	perFamily = 10 // documents
	variants  = 5  // texts of a family, each with some words more that are another's
	perBucket = 10 // families with one term in common
)

// load is an index under load, and the model of it. Texts of different families have no
// word in common; which of one family are near-duplicates was told by comparing all
// with the naive rule. An answer that was made while documents are written may have them
// or not, so it is judged by those that nobody wrote between its question and its end.
type load struct {
	x     bleve.Index
	texts [][variants]string         // by family
	near  [][variants][variants]bool // by family

	mu   sync.Mutex
	docs map[string]state
}

// state is what the model knows of one document.
type state struct {
	variant int    // of its family's text; -1 if it is not there
	changes uint64 // how often a write of it began or ended
}

func docID(family, n int) string { return fmt.Sprintf("%05d-%d", family, n) }

func newLoad(x bleve.Index, families int) *load {
	l := &load{x: x, docs: map[string]state{}}
	rnd := rand.New(rand.NewPCG(12, 13))
	for f := range families {
		words := make([]string, 120+rnd.IntN(200))
		for i := range words {
			words[i] = fmt.Sprintf("w%dx%d", f, rnd.IntN(60))
		}
		var texts [variants]string
		var sigs [variants]signature.Signature
		for v := range variants {
			texts[v] = strings.Join(words, " ")
			sigs[v] = signature.Of(signature.DefaultParams(), []byte(texts[v]))
			for range 1 + rnd.IntN(3) {
				words[rnd.IntN(len(words))] = fmt.Sprintf("w%dy%d", f, rnd.IntN(60))
			}
		}
		var near [variants][variants]bool
		for a := range variants {
			for b := range variants {
				near[a][b] = neartest.Duplicates(signature.Rule{}, &sigs[a], &sigs[b])
			}
		}
		l.texts, l.near = append(l.texts, texts), append(l.near, near)
		for n := range perFamily {
			l.docs[docID(f, n)] = state{variant: -1}
		}
	}
	return l
}

// fill writes three quarters of the documents, so that as many are deleted as are added
// from then on.
func (l *load) fill() error {
	rnd := rand.New(rand.NewPCG(14, 15))
	b := l.x.NewBatch()
	for i, id := range slices.Sorted(maps.Keys(l.docs)) {
		if v := rnd.IntN(variants); rnd.IntN(4) > 0 {
			l.docs[id] = state{variant: v}
			if err := b.Index(id, l.data(l.family(id), v)); err != nil {
				return err
			}
		}
		if i%500 == 499 || i == len(l.docs)-1 {
			if err := l.x.Batch(b); err != nil {
				return err
			}
			b.Reset()
		}
	}
	return nil
}

func (l *load) data(family, variant int) map[string]any {
	return map[string]any{"body": l.texts[family][variant], "bucket": fmt.Sprint(family / perBucket)}
}

// look copies the states of the documents of some families.
func (l *load) look(from, until int) map[string]state {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := map[string]state{}
	for f := from; f < until; f++ {
		for n := range perFamily {
			id := docID(f, n)
			all[id] = l.docs[id]
		}
	}
	return all
}

// still leaves in before the documents that nobody wrote since, and maps them to their
// variants, -1 for those that are not there.
func (l *load) still(before map[string]state, from, until int) map[string]int {
	steady := map[string]int{}
	for id, after := range l.look(from, until) {
		if before[id].changes == after.changes && after.changes%2 == 0 {
			steady[id] = after.variant
		}
	}
	return steady
}

func (l *load) family(id string) (f int) {
	fmt.Sscanf(id, "%05d-", &f)
	return f
}

// alike reports whether two documents, of these variants, are near-duplicates.
func (l *load) alike(a string, va int, b string, vb int) bool {
	f := l.family(a)
	return f == l.family(b) && l.near[f][va][vb]
}

// write writes a batch about some families of one parity, which no other writer
// touches, and checks the verdicts.
func (l *load) write(rnd *rand.Rand, parity int) error {
	f := rnd.IntN(len(l.texts)/2)*2 + parity
	there := l.look(f, f+1)
	write := map[string]int{}
	for range 1 + rnd.IntN(5) {
		id, v := docID(f, rnd.IntN(perFamily)), rnd.IntN(variants)
		if rnd.IntN(4) == 0 {
			v = -1
		}
		write[id] = v
	}
	change := func(done bool) {
		l.mu.Lock()
		defer l.mu.Unlock()
		for id, v := range write {
			s := l.docs[id]
			if s.changes++; done {
				s.variant = v
			}
			l.docs[id] = s
		}
	}
	b := l.x.NewBatch()
	var want []admission.Action // in the order of the ids
	for _, id := range slices.Sorted(maps.Keys(write)) {
		v := write[id]
		if v < 0 {
			b.Delete(id)
			delete(there, id)
			continue
		}
		if err := b.Index(id, l.data(f, v)); err != nil {
			return err
		}
		action := admission.Accept
		for other, s := range there {
			w, rewritten := write[other]
			if rewritten && other < id {
				s.variant = w
			} else if rewritten {
				continue
			}
			if s.variant >= 0 && l.near[f][v][s.variant] {
				action = admission.Tag
			}
		}
		want = append(want, action)
	}
	change(false)
	verdicts, err := plugin.SubmitBatch(context.Background(), l.x, b)
	change(true)
	if err != nil {
		return err
	}
	for i, v := range verdicts {
		if i >= len(want) || v.Action != want[i] {
			return fmt.Errorf("verdicts %v, want %q", verdicts, want)
		}
	}
	return nil
}
