package gate

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/markstore"
)

// ofMarks returns a gate of marks alone.
func ofMarks(store *markstore.Store) *Gate { return New(nil, store) }

func markOf(name string, rnd *rand.Rand) admission.Mark {
	sig := signature.Of(signature.DefaultParams(), fmt.Append(nil, "a text that is marked, number ", rnd.Uint64()))
	m := admission.Mark{Name: name, Label: admission.Spam, Signature: &sig}
	if rnd.IntN(3) == 0 {
		m.Label, m.Scope = admission.Wanted, []string{name, strings.Repeat("s", rnd.IntN(2000))}
	}
	return m
}

// carry returns what a batch carries that sets some marks.
func carry(t testing.TB, marks ...admission.Mark) map[string][]byte {
	t.Helper()
	batch := map[string][]byte{}
	for _, m := range marks {
		key, value, err := EncodeMark(&m)
		if err != nil {
			t.Fatal(err)
		}
		batch[string(key)] = value
	}
	return batch
}

// Whatever marks are set, set anew and removed, in whatever batches: a gate that has followed all changes knows what one
// knows that reads the marks anew. Both compare a document with the same marks.
func TestMarksFollowed(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(18, 4))
	store, model := markstore.New(nil, nil, nil), map[string]admission.Mark{}
	g := ofMarks(store)
	texts := map[string]bool{}
	for step := range 60 {
		batch := map[string][]byte{}
		for range rnd.IntN(30) {
			name := fmt.Sprint("\xff", rnd.IntN(80))
			if grows := step/10%2 == 0; rnd.IntN(4) == 0 == grows {
				batch[MarkPrefix+name] = nil
				delete(model, name)
				continue
			}
			m := markOf(name, rnd)
			if old, ok := model[name]; ok && rnd.IntN(4) == 0 {
				m = old // as it is
			}
			maps.Copy(batch, carry(t, m))
			model[name] = m
		}
		before := maps.Clone(g.marks.all)
		if err := g.WriteMarks(index.NewBatch(), batch, false); err != nil {
			t.Fatal(err)
		}
		for name, k := range before {
			if _, ok := batch[MarkPrefix+name]; !ok && g.marks.all[name] != k {
				t.Fatalf("mark %q was read again", name)
			}
		}
		fresh := ofMarks(store)
		for _, own := range []*Gate{g, fresh} {
			all, err := own.Marks()
			if err != nil || len(all) != len(model) {
				t.Fatalf("got %d marks, error %v, want %d", len(all), err, len(model))
			}
			for _, m := range all {
				if want := model[m.Name]; !reflect.DeepEqual(m, want) {
					t.Fatalf("got %+v, want %+v", m, want)
				}
			}
		}
		for name, k := range g.marks.all {
			if other := fresh.marks.all[name]; other.key != k.key {
				t.Fatalf("mark %q: with uses %x, read anew with %x", name, k.key, other.key)
			}
		}
		j := &judgement{policy: &policy{Policy: &admission.Policy{Known: admission.Reject}}, rule: signature.Rule{}}
		for name, m := range model {
			one, _ := g.marks.like(j, &Document{Signature: m.Signature})
			two, _ := fresh.marks.like(j, &Document{Signature: m.Signature})
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

// What is no mark, in a batch, is an error that changes nothing. What is damaged in the store is an error and not a panic.
func TestMarksDamaged(t *testing.T) {
	t.Parallel()
	rnd, store := rand.New(rand.NewPCG(18, 6)), markstore.New(nil, nil, nil)
	g, m := ofMarks(store), markOf("a", rnd)
	m.Scope = nil
	batch := carry(t, m)
	if err := g.WriteMarks(index.NewBatch(), batch, false); err != nil {
		t.Fatal(err)
	}
	value := batch[MarkPrefix+"a"]
	for name, wrong := range map[string][]byte{"x": []byte("{"), "y": value, "z": []byte(`{"name":"z","label":"spam"}`)} {
		if err := g.WriteMarks(index.NewBatch(), map[string][]byte{MarkPrefix + "b": nil, MarkPrefix + "a": nil, MarkPrefix + name: wrong}, false); err == nil {
			t.Errorf("%q: got no error", wrong)
		}
		if all, err := ofMarks(store).Marks(); err != nil || len(all) != 1 {
			t.Errorf("after %q: %d marks, %v", wrong, len(all), err)
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
	if _, err := ofMarks(store).Marks(); !errors.Is(err, signature.ErrMalformed) {
		t.Errorf("a damaged store: got %v", err)
	}
}
