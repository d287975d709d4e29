package gate_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
)

// What Ask says of the groups of many documents at once is what a dry run says of each by itself: of ids that have a
// group and of others, of texts and of documents without one, also where the name to found is taken.
func TestAsk(t *testing.T) {
	t.Parallel()
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	x, err := plugin.New("", m)
	if err == nil {
		err = plugin.SetPolicy(t.Context(), x, &admission.Policy{Group: true})
	}
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	rule, err := indexes.Rule(t.Context(), x, plugin.Field, signature.Rule{})
	if err != nil {
		t.Fatal(err)
	}
	write := func(id, text string) {
		if _, err := plugin.Submit(t.Context(), x, id, map[string]string{"body": text}); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]int{}
	ask := func(pages map[string]string) {
		t.Helper()
		ids := slices.Sorted(maps.Keys(pages))
		docs := make([]*gate.Document, len(ids))
		for i, id := range ids {
			docs[i] = &gate.Document{ID: id}
			if pages[id] == "" {
				continue
			}
			if docs[i].Signature, err = plugin.Sign(x, "", pages[id]); err != nil {
				t.Fatal(err)
			}
		}
		r, err := indexes.Reader(x)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		var names []gate.Names
		tries := make([]uint32, len(docs))
		for again := true; again; {
			if names, err = gate.Ask(t.Context(), r, plugin.Field, rule, docs, tries); err != nil {
				t.Fatal(err)
			}
			again = false
			for i := range names {
				if names[i].Taken {
					tries[i]++
					again = true
					seen["taken"]++
				}
			}
		}
		for i, d := range docs {
			b := x.NewBatch()
			if err := b.Index(d.ID, map[string]string{"body": pages[d.ID]}); err != nil {
				t.Fatal(err)
			}
			for _, id := range ids {
				if id != d.ID {
					b.Delete(id) // the old version of what is written together does not count
				}
			}
			want, err := plugin.DryRun(t.Context(), x, b)
			if err != nil {
				t.Fatal(err)
			}
			group := names[i].Choose()
			if group == "" {
				group = d.Found(tries[i])
				seen["founded"]++
			}
			if group != want[0].Group {
				t.Errorf("%s: got %s, want %s", d.ID, group, want[0].Group)
			}
		}
	}
	drift := neartest.Drift{Rand: rand.New(rand.NewPCG(6, 6)), IDs: 160}
	for range 12 {
		pages := map[string]string{"no text": "", fmt.Sprint("none of ", drift.ID()): ""}
		for range 20 {
			id := drift.ID()
			pages[id] = drift.Text(id)
		}
		ask(pages)
		for _, id := range slices.Sorted(maps.Keys(pages)) {
			write(id, pages[id])
		}
	}
	// A text comes back under its id while the group that it founded has another member, which went on step by step.
	places := make([]bool, 13)
	text := func() string { return strings.ReplaceAll(neartest.Drifted(places), "w", "v") }
	first := text()
	write("a", first)
	for n := range 8 {
		places[n] = true
		write("b", text())
	}
	if err := x.Delete("a"); err != nil {
		t.Fatal(err)
	}
	ask(map[string]string{"a": first, "b": first})
	if seen["taken"] == 0 || seen["founded"] < 20 {
		t.Errorf("%v: this test shows little", seen)
	}
}

// The fields that floods need are named once.
func TestFloodFields(t *testing.T) {
	t.Parallel()
	p := &admission.Policy{Floods: []admission.Flood{{Distinct: "from", Same: "host"}, {Same: "from"}, {}}}
	if got, want := gate.FloodFields(p), []string{"from", "host"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
