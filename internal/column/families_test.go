package column

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// kept is an index, and what it has.
type kept struct {
	bleve.Index
	*scorch.Scorch
	store *Store
	docs  map[string]*signature.Signature // nil for none that is readable
}

// seen is a snapshot, and what it has.
type seen struct {
	index.IndexReader
	*Reader
	docs map[string]*signature.Signature
}

// newKept returns an empty index at a path, in memory if it is "", where nothing is merged. Writes wait for the disk
// unless unsafe is set.
func newKept(t *testing.T, path string, unsafe bool) *kept {
	x, err := bleve.NewUsing(path, bleve.NewIndexMapping(), scorch.Name, scorch.Name, map[string]any{"unsafe_batch": unsafe})
	if err != nil {
		t.Fatal(err)
	}
	k := &kept{Index: x, store: new(Store), docs: map[string]*signature.Signature{}}
	t.Cleanup(func() { k.store.Close(); x.Close() })
	inner, err := x.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	k.Scorch = inner.(*scorch.Scorch)
	return k
}

// write writes and deletes some documents.
func (k *kept) write(t *testing.T, rnd *rand.Rand, n int, sigs []*signature.Signature) {
	t.Helper()
	batch := k.NewBatch()
	for range n {
		id, doc := fmt.Sprint(rnd.IntN(150)), map[string]any{"other": "x"}
		delete(k.docs, id)
		switch rnd.IntN(12) {
		case 0:
			batch.Delete(id)
			continue
		case 1:
			k.docs[id] = nil
		case 2:
			k.docs[id], doc[signature.Field("f").Sketch()] = nil, "damaged"
		default:
			sig := sigs[rnd.IntN(len(sigs))]
			text, _ := sig.MarshalText()
			k.docs[id], doc[signature.Field("f").Sketch()] = sig, string(text)
		}
		if err := batch.Index(id, doc); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.Index.Batch(batch); err != nil {
		t.Fatal(err)
	}
}

// see takes a snapshot.
func (k *kept) see(t *testing.T) seen {
	t.Helper()
	reader, err := k.Scorch.Reader()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { reader.Close() })
	s := seen{reader, newReader(k.store, reader.(*scorch.IndexSnapshot), "f"), map[string]*signature.Signature{}}
	maps.Copy(s.docs, k.docs)
	return s
}

// familiesOf returns the families of all documents of snapshots when they are known, by the place of the snapshot and
// the id; nil if they cannot be, as the signatures of a segment that is gone were not all read.
func familiesOf(t *testing.T, rule signature.Rule, all ...seen) map[string]Kin {
	t.Helper()
	var readers Readers
	var names []string
	var at [][2]uint64
	for i, s := range all {
		readers = append(readers, s.Reader)
		for doc := range uint64(s.Len()) {
			id, _ := s.ExternalID(Number(doc))
			names, at = append(names, fmt.Sprint(i, " ", id)), append(at, [2]uint64{uint64(i), doc})
		}
	}
	for range 10 {
		of := readers.Families(context.Background(), rule, len(at), func(i int) (int, uint64) { return int(at[i][0]), at[i][1] })
		if of != nil {
			named := map[string]Kin{}
			for i, s := range all { // an id that was written anew has deleted documents besides
				for id := range s.docs {
					number, err := s.InternalID(id)
					if err != nil {
						t.Fatal(err)
					}
					for n := range at {
						if at[n] == [2]uint64{uint64(i), number.Value()} {
							named[names[n]] = of[n]
						}
					}
				}
			}
			return named
		}
		f := readers.families(rule)
		f.mu.RLock()
		work := f.work
		f.mu.RUnlock()
		if work != nil {
			<-work
		}
	}
	for _, r := range readers {
		for _, c := range r.columns {
			if c.dropped && !c.dense.Load() {
				return nil
			}
		}
	}
	f := readers.families(rule)
	t.Fatalf("families are not known: %v; %+v", f.cover(t.Context(), readers), f.uniform)
	return nil
}

// checkFamilies compares families with what comparing all pairs says, and returns how many pairs of near-duplicates
// there are. It fails unless cliques have such pairs alone, and ranks are in the order of ids.
func checkFamilies(t *testing.T, rule signature.Rule, all ...seen) (pairs int) {
	t.Helper()
	of, sigs := familiesOf(t, rule, all...), map[string]*signature.Signature{}
	if of == nil {
		return 0
	}
	for i, s := range all {
		for id, sig := range s.docs {
			sigs[fmt.Sprint(i, " ", id)] = sig
		}
	}
	for id, sig := range sigs {
		own := of[id]
		if (sig == nil) != (own.Family == Unreadable) {
			t.Fatalf("%s: signature %v, got family %d", id, sig != nil, own.Family)
		}
		for other, that := range sigs {
			if id == other || sig == nil || that == nil {
				continue
			}
			a, b, kin := id[2:], other[2:], of[other]
			if own.Rank > 0 && kin.Rank > 0 && cmp.Compare(own.Rank, kin.Rank) != cmp.Compare(a, b) {
				t.Fatalf("ids %s and %s have the ranks %d and %d", a, b, own.Rank, kin.Rank)
			}
			near, one := neartest.Duplicates(rule, sig, that), own.Family != Alone && own.Family == kin.Family
			if near && !one || !near && one && own.Family&Clique != 0 {
				t.Fatalf("%s and %s: near-duplicates %v, of families %x and %x", id, other, near, own.Family, kin.Family)
			}
			if near {
				pairs++
			}
		}
	}
	return pairs
}

// Families hold in each snapshot, whatever was written, deleted and merged since they were found, and in which order
// snapshots ask; of two indexes, too.
func TestFamiliesAreCarried(t *testing.T) {
	t.Parallel()
	families, cliques := 0, 0
	for _, rule := range []signature.Rule{{}, {Lanes: 60, Mode: signature.SketchOnly}} {
		rnd := rand.New(rand.NewPCG(11, uint64(rule.Lanes)))
		one, other := newKept(t, t.TempDir()+"/x", true), newKept(t, t.TempDir()+"/x", true)
		var before [][]seen
		pairs := 0
		old := family(rnd, 60)
		one.write(t, rnd, 120, old) // so that what comes later is looked up
		other.write(t, rnd, 120, old)
		for round := range size(14) {
			sigs := append(family(rnd, 20), old...)
			one.write(t, rnd, 1+rnd.IntN(20), sigs)
			other.write(t, rnd, 1+rnd.IntN(20), sigs)
			if round%5 == 4 {
				if err := one.ForceMerge(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
			}
			before = append(before, []seen{one.see(t), other.see(t)})
			if rnd.IntN(3) == 0 {
				continue // nobody searches this one now
			}
			for range 2 {
				now := before[len(before)-1]
				if rnd.IntN(3) == 0 {
					now = before[max(0, len(before)-1-rnd.IntN(4))]
				}
				pairs += checkFamilies(t, rule, now[0])
				pairs += checkFamilies(t, rule, now...)
			}
		}
		for _, f := range append(one.store.families, other.store.families...) {
			for number, root := range f.parent {
				if number > Unreadable && root == uint32(number) {
					families++
				}
				if f.cliques[number] {
					cliques++
				}
			}
		}
		if pairs < 200 {
			t.Errorf("%d pairs: this test shows little", pairs)
		}
		if n := len(one.store.families); n != 2 {
			t.Errorf("%d families are kept, want those of the index and of the alias", n)
		}
	}
	if cliques < 10 || families < cliques+5 {
		t.Errorf("%d families, %d cliques: this test shows little", families, cliques)
	}
}

// A document that equals one of a segment that was merged away is new all the same, and two segments are compared
// though each was looked up without the other.
func TestFamiliesAreNotStale(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(19, 20))
	sigs := family(rnd, 1)
	put := func(one *kept, sig *signature.Signature, ids ...string) {
		text, _ := sig.MarshalText()
		batch := one.NewBatch()
		for _, id := range ids {
			if err := batch.Index(id, map[string]any{signature.Field("f").Sketch(): string(text)}); err != nil {
				t.Fatal(err)
			}
			one.docs[id], sig = sig, family(rnd, 1)[0]
			text, _ = sig.MarshalText()
		}
		if err := one.Index.Batch(batch); err != nil {
			t.Fatal(err)
		}
	}
	ids := []string{"a"}
	for i := range 40 {
		ids = append(ids, fmt.Sprint(i))
	}
	merged, apart := newKept(t, t.TempDir()+"/x", false), newKept(t, "", true)
	for _, one := range []*kept{merged, apart} {
		put(one, sigs[0], ids...)
		checkFamilies(t, signature.Rule{}, one.see(t))
		put(one, sigs[0], "b")
	}
	if err := merged.ForceMerge(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	both := apart.see(t)
	last := *both.Reader // as if the others were merged away
	last.segments, last.columns, last.ends = last.segments[1:], last.columns[1:], []uint64{last.ends[1] - last.ends[0]}
	f := Readers{both.Reader}.families(signature.Rule{})
	if err := f.cover(t.Context(), Readers{&last}); err != nil || last.Len() != 1 {
		t.Fatal(err, last.Len())
	}
	for _, one := range []*kept{merged, apart} {
		if pairs := checkFamilies(t, signature.Rule{}, one.see(t)); pairs != 2 {
			t.Errorf("%d pairs, want a and b: this test shows nothing", pairs)
		}
	}
}

// Where they were found just now, families are no larger than chains of near-duplicates make them.
func TestFamiliesAreSmall(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(13, 14))
	one := newKept(t, t.TempDir()+"/x", true)
	one.write(t, rnd, 150, family(rnd, 100))
	now := one.see(t)
	of := familiesOf(t, signature.Rule{}, now)
	alone := 0
	for id, sig := range now.docs {
		joined, queue := map[string]bool{id: true}, []string{id}
		for ; len(queue) > 0 && sig != nil; queue = queue[1:] {
			for other, that := range now.docs {
				if that != nil && !joined[other] && neartest.Duplicates(signature.Rule{}, now.docs[queue[0]], that) {
					joined[other], queue = true, append(queue, other)
				}
			}
		}
		if len(joined) == 1 {
			alone++
		}
		for other := range now.docs {
			if a, b := of["0 "+id].Family, of["0 "+other].Family; sig != nil && a != Alone && (a == b) != joined[other] {
				t.Fatalf("%s and %s: one family %v, joined %v", id, other, a == b, joined[other])
			}
		}
	}
	if alone == 0 || alone == len(now.docs) {
		t.Errorf("%d of %d documents are alone: this test shows little", alone, len(now.docs))
	}
}

// Searches do not find families of their own before they have looked at a share of the documents, nor where there
// are no places for all signatures, nor among signatures of different parameters; and they are told so.
func TestFamiliesAreNotKnown(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(15, 16))
	one := newKept(t, t.TempDir()+"/x", true)
	one.write(t, rnd, 140, family(rnd, 100))
	ask := func(s seen, n int) (known bool) {
		readers := Readers{s.Reader}
		for range 3 {
			known = readers.Families(t.Context(), signature.Rule{}, n, func(i int) (int, uint64) { return 0, uint64(i) }) != nil
			f := readers.families(signature.Rule{})
			f.mu.RLock()
			work := f.work
			f.mu.RUnlock()
			if work != nil {
				<-work
			}
		}
		return known
	}
	s := one.see(t)
	if ask(s, s.Len()/share/4) {
		t.Error("known though searches have hardly looked")
	}
	if !ask(s, s.Len()) {
		t.Error("not known though searches have looked at all")
	}
	one.store.Close()
	if ask(s, s.Len()) {
		t.Error("known though the index is closed")
	}
	one.store = &Store{most: 10}
	if s := one.see(t); ask(s, s.Len()) {
		t.Error("known though there are 10 places")
	}
	odd := family(rnd, 1)
	odd[0].Params++
	one.store = new(Store)
	one.write(t, rnd, 10, odd)
	if s := one.see(t); ask(s, s.Len()) {
		t.Error("known though parameters differ")
	}
	if (Readers{s.Reader}).Find(signature.Rule{}); len(s.store.families) != 1 {
		t.Errorf("%d families are kept", len(s.store.families))
	}
}

// Few new documents join the families that there are. Many have all families found anew.
func TestFamiliesAreFoundAnew(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(21, 22))
	one := newKept(t, "", true)
	one.write(t, rnd, 120, family(rnd, 100))
	var kin any // made whenever all are found
	for _, step := range []struct {
		docs int
		anew bool
	}{{0, true}, {3, false}, {3, false}, {60, true}} {
		if step.docs > 0 {
			one.write(t, rnd, step.docs, family(rnd, 60))
		}
		now := one.see(t)
		checkFamilies(t, signature.Rule{}, now)
		f := Readers{now.Reader}.families(signature.Rule{})
		if anew := f.kin != kin; anew != step.anew {
			t.Errorf("after %d more documents: found anew %v, want %v", step.docs, anew, step.anew)
		}
		kin = f.kin
	}
}

// What is kept of rules is bounded.
func TestManyRules(t *testing.T) {
	one := newKept(t, t.TempDir()+"/x", true)
	one.write(t, rand.New(rand.NewPCG(17, 18)), 20, family(rand.New(rand.NewPCG(17, 18)), 10))
	s := one.see(t)
	for i := range 2 * maxFamilies {
		Readers{s.Reader}.Find(signature.Rule{Hamming: i})
	}
	if n := len(one.store.families); n != maxFamilies {
		t.Errorf("%d are kept, want %d", n, maxFamilies)
	}
}

// size is n, or fewer with -short.
func size(n int) int {
	if testing.Short() {
		return n / 2
	}
	return n
}

// A rule fits signatures of one kind that have as many lanes as it asks for.
func TestFits(t *testing.T) {
	sig := family(rand.New(rand.NewPCG(23, 24)), 1)[0]
	other := *sig
	other.Params++
	var none, one, two Uniform
	one.See(sig)
	two.See(sig)
	two.See(&other)
	for lanes, want := range map[int][3]bool{0: {true, true, false}, 100: {true, true, false}, 101: {true, false, false}} {
		rule := signature.Rule{Lanes: lanes}
		if got := [3]bool{none.Fits(rule), one.Fits(rule), two.Fits(rule)}; got != want {
			t.Errorf("%d lanes: got %v, want %v", lanes, got, want)
		}
	}
}
