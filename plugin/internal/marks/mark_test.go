package marks

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// onDisk returns a store of no marks.
func onDisk(t *testing.T) *Store {
	queue := index.NewAnalysisQueue(1)
	s := NewStore(map[string]any{"path": t.TempDir()}, queue, func(*index.Batch) error { return nil })
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		queue.Close()
	})
	return s
}

func markOf(name string, rnd *rand.Rand) admission.Mark {
	sig := signature.Of(signature.DefaultParams(), fmt.Append(nil, "a text that is marked, number ", rnd.Uint64()))
	m := admission.Mark{Name: name, Label: admission.Spam, Signature: &sig}
	if rnd.IntN(3) == 0 {
		m.Label, m.Scope = admission.Wanted, []string{name, strings.Repeat("s", rnd.IntN(2000))}
	}
	return m
}

// Whatever marks are set, set anew and removed, in whatever batches: a gate that has followed all changes knows what
// one knows that reads the marks anew. Both compare a document with the same marks.
func TestMarksFollowed(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(18, 4))
	store, model := onDisk(t), map[string]admission.Mark{}
	g := Of(store)
	texts := map[string]bool{}
	for step := range 60 {
		set, removed := map[string]admission.Mark{}, map[string]bool{}
		for range rnd.IntN(30) {
			name := fmt.Sprint("\u00ff", rnd.IntN(80))
			if grows := step/10%2 == 0; rnd.IntN(4) == 0 == grows {
				removed[name] = true
				delete(set, name)
				delete(model, name)
				continue
			}
			m := markOf(name, rnd)
			if old, ok := model[name]; ok && rnd.IntN(4) == 0 {
				m = old // as it is
			}
			set[name], model[name] = m, m
			delete(removed, name)
		}
		before := maps.Clone(g.all)
		if err := g.Set(slices.Collect(maps.Values(set)), slices.Collect(maps.Keys(removed))); err != nil {
			t.Fatal(err)
		}
		for name, k := range before {
			if _, ok := set[name]; !ok && !removed[name] && g.all[name] != k {
				t.Fatalf("mark %q was read again", name)
			}
		}
		fresh := Of(store)
		for _, own := range []*Marks{g, fresh} {
			all, err := own.All()
			if err != nil || len(all) != len(model) {
				t.Fatalf("got %d marks, error %v, want %d", len(all), err, len(model))
			}
			for _, m := range all {
				if want := model[m.Name]; !reflect.DeepEqual(m, want) {
					t.Fatalf("got %+v, want %+v", m, want)
				}
			}
		}
		for name, k := range g.all {
			if other := fresh.all[name]; other.key != k.key {
				t.Fatalf("mark %q: with uses %x, read anew with %x", name, k.key, other.key)
			}
		}
		p := &admission.Policy{Known: admission.Reject}
		for name, m := range model {
			like := func(g *Marks) *admission.Mark {
				found, _, err := g.Like(p, signature.Rule{}, time.Now(), Text{Signatures: []*signature.Signature{m.Signature}})
				if err != nil {
					t.Fatal(err)
				}
				return found
			}
			one, two := like(g), like(fresh)
			if one == nil != (two == nil) || one != nil && one.Name != two.Name {
				t.Fatalf("the text of %q is like %v, read anew like %v", name, one, two)
			}
			if one != nil {
				texts[one.Name] = true
			}
		}
	}
	if len(texts) < 40 {
		t.Errorf("%d marks were found: this test shows little", len(texts))
	}
}

// What is no mark is an error that changes nothing. What is damaged in the store is an error and not a panic.
func TestMarksDamaged(t *testing.T) {
	t.Parallel()
	rnd, store := rand.New(rand.NewPCG(18, 6)), onDisk(t)
	g, m := Of(store), markOf("a", rnd)
	m.Scope = nil
	if err := g.Set([]admission.Mark{m}, nil); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []admission.Mark{{Name: "x"}, {Name: "y", Label: admission.Spam}, {Label: admission.Spam, Signature: m.Signature}} {
		if err := g.Set([]admission.Mark{m, wrong}, []string{"b", "a"}); err == nil {
			t.Errorf("%+v: got no error", wrong)
		}
		if all, err := Of(store).All(); err != nil || len(all) != 1 {
			t.Errorf("after %+v: %d marks, %v", wrong, len(all), err)
		}
	}
	var good []byte
	if _, err := store.Read(func(_ string, value []byte) error { good = value; return nil }); err != nil {
		t.Fatal(err)
	}
	for n := range good {
		wrong := bytes.Clone(good)
		wrong[n] ^= byte(1 + rnd.IntN(255))
		for _, damaged := range [][]byte{good[:n], wrong} {
			if _, err := parseMark("a", damaged); !errors.Is(err, signature.ErrMalformed) || !strings.Contains(err.Error(), `mark "a"`) {
				t.Errorf("damaged at %d: got %v", n, err)
			}
		}
	}
	if _, err := parseMark("b", good); !errors.Is(err, signature.ErrMalformed) {
		t.Errorf("of another name: got %v", err)
	}
	if err := store.Write(map[string][]byte{"a": good[1:]}); err != nil {
		t.Fatal(err)
	}
	if _, err := Of(store).All(); !errors.Is(err, signature.ErrMalformed) {
		t.Errorf("a damaged store: got %v", err)
	}
}
