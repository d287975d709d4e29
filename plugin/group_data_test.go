package plugin_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

var (
	groupDocs   = flag.Int("group.docs", 1000, "documents of a data set in TestGroupChurn and TestGroupsByRule, if it has as many")
	groupRounds = flag.Int("group.rounds", 3, "rounds of TestGroupChurn")
)

// named is an index of signatures alone that names groups, and what it said of its documents.
type named struct {
	*testing.T
	index bleve.Index
	texts map[string]string
	sigs  map[string]*signature.Signature
	group map[string]string
}

func newNamed(t *testing.T) *named {
	t.Helper()
	m := bleve.NewIndexMapping()
	m.DefaultMapping.Dynamic = false
	m.DefaultMapping.AddFieldMappingsAt("body", plugin.FieldMapping(neardup.Name))
	x, err := plugin.New("", m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	if err := plugin.SetPolicy(t.Context(), x, &admission.Policy{Group: true}); err != nil {
		t.Fatal(err)
	}
	return &named{t, x, map[string]string{}, map[string]*signature.Signature{}, map[string]string{}}
}

// write writes documents in an order, in batches.
func (n *named) write(ids []string, texts map[string]string) {
	n.Helper()
	for some := range slices.Chunk(ids, 200) {
		b := n.index.NewBatch()
		for _, id := range some {
			if err := b.Index(id, map[string]any{"body": texts[id]}); err != nil {
				n.Fatal(err)
			}
			s := signature.Of(signature.DefaultParams(), []byte(texts[id]))
			n.texts[id], n.sigs[id] = texts[id], &s
		}
		all, err := plugin.SubmitBatch(n.Context(), n.index, b)
		if err != nil {
			n.Fatal(err)
		}
		for _, v := range all {
			n.group[v.ID] = v.Group
		}
	}
}

func (n *named) delete(ids []string) {
	n.Helper()
	b := n.index.NewBatch()
	for _, id := range ids {
		b.Delete(id)
		delete(n.texts, id)
		delete(n.sigs, id)
		delete(n.group, id)
	}
	if err := n.index.Batch(b); err != nil {
		n.Fatal(err)
	}
}

// standing is how a document stands among the others.
type standing struct {
	group, head, least string // the name of its group, the leader of its group by the rule, and the least id of its component
	near               bool   // it is within the rule of another member of its group
	text               string
}

// look returns the ids in order, their standings, and the pairs of near-duplicates.
func (n *named) look() (ids []string, all map[string]standing, pairs [][2]int) {
	n.Helper()
	var sigs []signature.Signature
	t := table.New(signature.Rule{})
	for id := range n.sigs {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		sigs = append(sigs, *n.sigs[id])
	}
	leaders, err := table.Leaders(n.Context(), signature.Rule{}, sigs, nil)
	if err != nil {
		n.Fatal(err)
	}
	least := make([]int, len(ids)) // of the component, as far as it is known
	for i := range ids {
		least[i] = i
		for k := range t.Each(&sigs[i]) {
			pairs = append(pairs, [2]int{k, i})
		}
		t.Add(&sigs[i])
	}
	for changed := true; changed; {
		changed = false
		for _, p := range pairs {
			if a := min(least[p[0]], least[p[1]]); a != least[p[0]] || a != least[p[1]] {
				least[p[0]], least[p[1]], changed = a, a, true
			}
		}
	}
	all = map[string]standing{}
	for i, id := range ids {
		all[id] = standing{n.group[id], ids[leaders[i]], ids[least[i]], false, n.texts[id]}
	}
	for _, p := range pairs {
		a, b := all[ids[p[0]]], all[ids[p[1]]]
		if a.group == b.group {
			a.near, b.near = true, true
			all[ids[p[0]]], all[ids[p[1]]] = a, b
		}
	}
	return ids, all, pairs
}

// edited changes one word of 200, and at least one.
func edited(rnd *rand.Rand, text string) string {
	words := strings.Fields(text)
	for range max(1, len(words)/200) {
		if len(words) > 0 {
			words[rnd.IntN(len(words))] = fmt.Sprint("edit", rnd.IntN(1000))
		}
	}
	return strings.Join(words, " ")
}

// A crawl in rounds: a tenth of the documents is crawled again with small edits, and a tenth goes and comes back under
// other ids, in random order. Names stay, which heads and least ids do not.
//
//	NEARDUP_DATA=... go test -run GroupChurn -v ./plugin -group.docs=100000 -group.rounds=30
func TestGroupChurn(t *testing.T) {
	docs, rounds := neartest.FirstDocs(t, "docs-versions/docs.jsonl.gz", *groupDocs), *groupRounds
	n, rnd, texts := newNamed(t), rand.New(rand.NewPCG(1, 2)), map[string]string{}
	var ids []string
	for _, d := range docs {
		ids = append(ids, d.ID)
		texts[d.ID] = d.Text
	}
	shuffle := func(some []string) { rnd.Shuffle(len(some), func(i, k int) { some[i], some[k] = some[k], some[i] }) }
	shuffle(ids)
	n.write(ids, texts)
	stayed, names, heads, leasts, unedited := 0, 0, 0, 0, 0
	for round := range rounds {
		ids, before, _ := n.look()
		shuffle(ids)
		tenth := len(ids) / 10
		texts, written := map[string]string{}, ids[:tenth]
		for _, id := range written {
			texts[id] = edited(rnd, n.texts[id])
		}
		for _, id := range ids[tenth : 2*tenth] {
			again := fmt.Sprintf("%d/%s", round, id[strings.Index(id, "/")+1:])
			texts[again] = n.texts[id]
			written = append(slices.Clone(written), again)
		}
		n.delete(ids[tenth : 2*tenth])
		shuffle(written)
		n.write(written, texts)
		_, after, _ := n.look()
		for id, was := range before {
			is, there := after[id]
			if there && is.text == was.text && is.group != was.group {
				unedited++
			}
			if !there || !was.near || !is.near {
				continue
			}
			stayed++
			for what, changed := range map[*int]bool{&names: is.group != was.group, &heads: is.head != was.head, &leasts: is.least != was.least} {
				if changed {
					*what++
				}
			}
		}
	}
	share := func(n int) float64 { return 100 * float64(n) / float64(max(stayed, 1)) }
	t.Logf("%d documents, %d rounds: of %d that stayed near a member in a round, %.3f %% changed the name, %.2f %% the head, %.2f %% the least id",
		len(docs), rounds, stayed, share(names), share(heads), share(leasts))
	if share(names) > .1 || unedited > 0 || stayed < 100 {
		t.Errorf("%d of %d documents changed their names, %d of these without another text", names, stayed, unedited)
	}
}

// How often groups by name differ from near-duplicates by the rule: pairs of one name that are not near, as in a chain,
// and pairs that are near, and have different names.
//
//	NEARDUP_DATA=... go test -run GroupsByRule -v ./plugin -group.docs=100000
func TestGroupsByRule(t *testing.T) {
	for _, set := range []string{"docs-versions/docs.jsonl.gz", "enron-spam/docs.jsonl.gz", "licenses/project_files.jsonl.gz"} {
		t.Run(set, func(t *testing.T) {
			docs := neartest.FirstDocs(t, set, *groupDocs)
			n, texts := newNamed(t), map[string]string{}
			var order []string
			for _, d := range docs {
				order = append(order, d.ID)
				texts[d.ID] = d.Text
			}
			n.write(order, texts)
			ids, all, pairs := n.look()
			sizes, together, apart := map[string]int{}, 0, []string(nil)
			for _, id := range ids {
				sizes[all[id].group]++
			}
			for _, p := range pairs {
				if a, b := ids[p[0]], ids[p[1]]; all[a].group == all[b].group {
					together++
				} else {
					apart = append(apart, a+" and "+b)
				}
			}
			byName := 0
			for _, size := range sizes {
				byName += size * (size - 1) / 2
			}
			t.Logf("%d documents, %d groups: %d near pairs, of which %d have different names; %d pairs of one name, of which %d are not near; such as %q",
				len(ids), len(sizes), len(pairs), len(apart), byName, byName-together, apart[:min(3, len(apart))])
			if len(pairs) == 0 || 2*len(apart) > len(pairs) {
				t.Errorf("%d of %d near pairs have different names", len(apart), len(pairs))
			}
		})
	}
}
