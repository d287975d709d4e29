package shards_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/cluster/shards"
)

func newNamed(t *testing.T, all ...bleve.Index) *shards.Set {
	t.Helper()
	c, err := shards.New(newMapping(), shards.Options{Group: true}, all...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// named has the names of the groups of all documents, as a search by name shows them.
func named(t *testing.T, c *shards.Set) map[string]string {
	t.Helper()
	r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 1000, 0, false)
	r.Fields = []string{admission.GroupField}
	res, err := c.Search(t.Context(), r, collapse.Options{By: &collapse.By{Field: admission.GroupField}})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for i, g := range res.Groups {
		name, _ := res.Hits[i].Fields[admission.GroupField].(string)
		all[g.Head.ID] = name
		for _, m := range g.Members {
			all[m.ID] = name
		}
	}
	return all
}

// Names are those of plain loops over all shards, whatever was written, updated and deleted, in batches, with families
// of more near-duplicates than are compared.
func TestNames(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]*shards.Set{
		"one": newNamed(t, locals(t, 1)...), "local": newNamed(t, locals(t, 4)...), "remote": newNamed(t, overHTTP(t, locals(t, 3))...),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			drift := neartest.Drift{Rand: rand.New(rand.NewPCG(3, 8)), IDs: 160}
			model := neartest.Names{}
			joined, founded, many := 0, 0, 0
			rounds := 60
			if testing.Short() {
				rounds = 30
			}
			for round := range rounds {
				texts := map[string]string{}
				for range 1 + drift.IntN(40) {
					id := drift.ID()
					if texts[id] = ""; drift.IntN(30) > 0 {
						texts[id] = drift.Text(id)
					}
				}
				deletes := []string{drift.ID(), drift.ID()}
				var docs []neartest.Named
				for id, text := range texts {
					sig := signature.Of(signature.DefaultParams(), []byte(text))
					docs = append(docs, neartest.Named{ID: id, Sig: &sig})
				}
				after, want := model.Write(docs)
				var all []shards.Document
				for _, d := range want {
					data := map[string]any{"project": "p"}
					if texts[d.ID] != "" {
						data["text"] = texts[d.ID]
					}
					all = append(all, shards.Document{ID: d.ID, Data: data})
				}
				got, err := c.Submit(t.Context(), all...)
				if err != nil {
					t.Fatal(err)
				}
				for i, o := range got {
					if w := want[i]; o.ID != w.ID || o.Group != w.Group || o.Founded != w.Founded || !o.Written || o.Of != nil {
						t.Fatalf("round %d: got %+v, want %+v", round, o, w)
					}
				}
				if err := c.Write(shards.Document{ID: deletes[0]}, shards.Document{ID: deletes[1]}); err != nil {
					t.Fatal(err)
				}
				model, _ = after.Write(nil, deletes...)
				sizes, names := map[string]int{}, map[string]string{}
				for id, d := range model {
					names[id] = d.Group
					sizes[d.Group]++
				}
				if got := named(t, c); !maps.Equal(got, names) {
					t.Fatalf("round %d: got %v, want %v", round, got, names)
				}
				for _, d := range want {
					if d.Founded {
						founded++
					} else {
						joined++
					}
					if sizes[d.Group] > 65 {
						many++
					}
				}
			}
			if founded < 10 || joined < 100 || !testing.Short() && many < 50 {
				t.Errorf("%d joined, %d founded, %d into large groups: this test shows little", joined, founded, many)
			}
		})
	}
}

// A name that a document would found again is another one while the old group has members on another shard.
func TestNameTaken(t *testing.T) {
	t.Parallel()
	c := newNamed(t, overHTTP(t, locals(t, 2))...)
	other := ""
	for i := 0; other == "" || c.Owner(other) == c.Owner("a"); i++ {
		other = fmt.Sprint("b", i)
	}
	write := func(id string, differ int) shards.Outcome {
		t.Helper()
		places := make([]bool, 13)
		for i := range differ {
			places[i] = true
		}
		all, err := c.Submit(t.Context(), shards.Document{ID: id, Data: map[string]any{"text": neartest.Drifted(places)}})
		if err != nil {
			t.Fatal(err)
		}
		return all[0]
	}
	first := write("a", 0)
	for n := 1; n <= 8; n++ { // step by step, so that both keep the name
		if a, b := write("a", n), write(other, n); !first.Founded || a.Group != first.Group || b.Group != first.Group {
			t.Fatal(first, a, b)
		}
	}
	for _, id := range []string{"a", other} {
		if err := c.Write(shards.Document{ID: id}); err != nil {
			t.Fatal(err)
		}
		o := write("a", 0)
		if taken := id == "a"; !o.Founded || (o.Group == first.Group) == taken {
			t.Errorf("without %s: got %+v after %+v", id, o, first)
		}
		if err := c.Write(shards.Document{ID: "a"}); err != nil {
			t.Fatal(err)
		}
	}
}

// While a shard does not answer nothing is named, and nothing written.
func TestNamesOfPart(t *testing.T) {
	t.Parallel()
	all := locals(t, 2)
	c := newNamed(t, all[0], shards.NewRemote("gone", "http://127.0.0.1:1", shards.RemoteOptions{}))
	if v, err := submit(t.Context(), c, "a", map[string]any{"text": letter}); !errors.Is(err, shards.ErrPartial) || v.Written {
		t.Errorf("got %+v, error %v", v, err)
	}
	if n, err := all[0].DocCount(); n != 0 || err != nil {
		t.Errorf("%d documents, error %v", n, err)
	}
	if _, err := shards.New(newMapping(), shards.Options{Group: true, Partial: shards.FailOpen}, all...); err == nil {
		t.Error("open: got no error")
	}
}
