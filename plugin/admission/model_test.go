package admission_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/signaturetest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// page is a document of these tests.
type page struct {
	id, body, tenant string
	sent             time.Time
}

func (p page) data() map[string]any {
	m := map[string]any{"sent": p.sent.Format(time.RFC3339)}
	if p.body != "" {
		m["body"] = p.body
	}
	if p.tenant != "" {
		m["tenant"] = p.tenant
	}
	return m
}

func newIndex(t testing.TB, path string) bleve.Index {
	t.Helper()
	m := bleve.NewIndexMapping()
	tenant := bleve.NewTextFieldMapping()
	tenant.Analyzer = keyword.Name
	m.DefaultMapping.AddFieldMappingsAt("tenant", tenant)
	m.DefaultMapping.AddFieldMappingsAt("sent", bleve.NewDateTimeFieldMapping())
	plugin.Map(m.DefaultMapping, "body")
	x, err := plugin.New(path, m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// entry is a document in the model.
type entry struct {
	page
	sig   signature.Signature // of no tokens if there is no text
	tag   string              // the part of the policy that tagged it
	timed bool                // it was written with its time
}

// model is the naive gate: plain loops over all documents.
type model struct {
	policy admission.Policy
	docs   map[string]entry
	marks  map[string]admission.Mark
}

// submit judges a batch of pages, in the order of their ids, and deletes.
func (m *model) submit(pages []page, deletes []string) []admission.Action {
	slices.SortFunc(pages, func(a, b page) int { return strings.Compare(a.id, b.id) })
	stuck := map[string]bool{}
	for {
		old, written := map[string]entry{}, map[string]entry{}
		for id, e := range m.docs {
			old[id] = e
		}
		for _, id := range deletes {
			delete(old, id)
		}
		for _, p := range pages {
			if !stuck[p.id] {
				delete(old, p.id)
			}
		}
		actions := make([]admission.Action, len(pages))
		for i, p := range pages {
			var e entry
			var inOld, inWritten []string
			actions[i], e, inOld, inWritten = m.judge(old, written, p)
			for _, id := range inOld {
				delete(old, id)
			}
			for _, id := range inWritten {
				delete(written, id)
				actions[slices.IndexFunc(pages, func(p page) bool { return p.id == id })] = admission.Reject
			}
			if actions[i] != admission.Reject {
				written[p.id] = e
			}
		}
		again := false
		for i, p := range pages {
			if actions[i] == admission.Reject && !stuck[p.id] {
				stuck[p.id], again = true, true
			}
		}
		if !again {
			for id, e := range written {
				old[id] = e
			}
			m.docs = old
			return actions
		}
	}
}

// judge judges one page against what is in the index and earlier in the batch, and
// tells which of either it replaces.
func (m *model) judge(old, written map[string]entry, p page) (a admission.Action, e entry, inOld, inWritten []string) {
	pol := m.policy
	e = entry{page: p, timed: pol.Timed() && p.body != ""}
	if p.body != "" {
		e.sig = signature.Of(signature.DefaultParams(), []byte(p.body))
	}
	a, by := m.marked(&e)
	if e.sig.Tokens == 0 || by == admission.ByWanted {
		return admission.Accept, e, nil, nil
	}
	copies, twins, beaten := 0, 0, false
	for k, there := range []map[string]entry{old, written} {
		for id, other := range there {
			if id == p.id || pol.Scope != "" && other.tenant != p.tenant || !signaturetest.Duplicates(signature.DefaultRule(), &e.sig, &other.sig) {
				continue
			}
			twins++
			if f := pol.Flood; f != nil && other.timed && p.sent.Sub(other.sent).Abs() < time.Duration(f.Window) {
				copies++
			}
			beaten = beaten || pol.Keep == admission.Longest && e.sig.Tokens <= other.sig.Tokens ||
				pol.Keep != admission.Longest && other.timed && p.sent.Before(other.sent)
			if k == 0 {
				inOld = append(inOld, id)
			} else {
				inWritten = append(inWritten, id)
			}
		}
	}
	if f := pol.Flood; f != nil && copies >= f.Copies {
		if action := cmp.Or(f.Action, admission.Reject); severity(action) > severity(a) {
			a, by = action, admission.ByFlood
		}
	}
	near := pol.Near
	if near == admission.Replace && beaten {
		near = admission.Reject
	}
	if twins > 0 && severity(near) > severity(a) {
		a, by = near, admission.ByNear
	}
	if pol.Shadow && severity(a) > severity(admission.Tag) {
		a = admission.Tag
	}
	if a == admission.Tag {
		e.tag = by
	}
	if a != admission.Replace {
		inOld, inWritten = nil, nil
	}
	return a, e, inOld, inWritten
}

// words makes pages of families: each family's text is its own, and each page has
// some words at the end that may make it no near-duplicate of the others any more.
func words(rnd *rand.Rand, family int) string {
	own := rand.New(rand.NewPCG(7, uint64(family)))
	var text []string
	for range 80 {
		text = append(text, fmt.Sprint("w", own.IntN(1000)))
	}
	for range rnd.IntN(6) {
		text = append(text, fmt.Sprint("v", rnd.IntN(50)))
	}
	return strings.Join(text, " ")
}

var policies = map[string]admission.Policy{
	"reject":           {Near: admission.Reject},
	"tag":              {Near: admission.Tag, Scope: "tenant"},
	"newest":           {Near: admission.Replace, Time: "sent", Scope: "tenant"},
	"longest":          {Near: admission.Replace, Keep: admission.Longest},
	"flood":            {Time: "sent", Flood: &admission.Flood{Copies: 3, Window: admission.Duration(10 * time.Hour)}},
	"flood and tag":    {Near: admission.Tag, Scope: "tenant", Time: "sent", Flood: &admission.Flood{Copies: 2, Window: admission.Duration(20 * time.Hour)}},
	"flood and newest": {Near: admission.Replace, Time: "sent", Flood: &admission.Flood{Copies: 1, Window: admission.Duration(5 * time.Hour)}},
}

// Random batches, updates and deletes, on disk and in memory, against the model.
func TestAgainstModel(t *testing.T) {
	t.Parallel()
	for name, policy := range policies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newIndex(t, "")
			if err := plugin.SetPolicy(x, &policy); err != nil {
				t.Fatal(err)
			}
			m := model{policy: policy, docs: map[string]entry{}}
			rnd := rand.New(rand.NewPCG(1, uint64(len(name))))
			start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			seen := map[admission.Action]int{}
			for round := range 60 {
				pages, deletes := randomBatch(rnd, start.Add(time.Duration(round)*time.Hour))
				b := x.NewBatch()
				for _, p := range pages {
					if err := b.Index(p.id, p.data()); err != nil {
						t.Fatal(err)
					}
				}
				for _, id := range deletes {
					b.Delete(id)
				}
				dry, err := plugin.DryRun(x, b)
				if err != nil {
					t.Fatal(err)
				}
				got, err := plugin.SubmitBatch(x, b)
				if err != nil {
					t.Fatal(err)
				}
				want := m.submit(pages, deletes)
				for i, v := range got {
					seen[v.Action]++
					if v.Action != want[i] || v.ID != pages[i].id || dry[i].String() != v.String() {
						t.Fatalf("round %d: got %v, dry %v; want %s to be %s", round, v, dry[i], pages[i].id, want[i])
					}
				}
				same(t, x, m.docs)
			}
			if policy.Near != "" && seen[policy.Near] < 20 || seen[admission.Accept] < 20 {
				t.Errorf("%v: this test shows little", seen)
			}
		})
	}
}

func randomBatch(rnd *rand.Rand, now time.Time) (pages []page, deletes []string) {
	used := map[string]bool{}
	id := func() string {
		for {
			if id := fmt.Sprint("d", rnd.IntN(60)); !used[id] {
				used[id] = true
				return id
			}
		}
	}
	for range 1 + rnd.IntN(6) {
		p := page{id: id(), body: words(rnd, rnd.IntN(12)), sent: now.Add(-time.Duration(rnd.IntN(8)) * time.Hour)}
		if rnd.IntN(2) == 0 {
			p.tenant = fmt.Sprint("t", rnd.IntN(2))
		}
		pages = append(pages, p)
	}
	for range rnd.IntN(3) {
		deletes = append(deletes, id())
	}
	return pages, deletes
}

// same compares the index with the model: its documents, and their tags.
func same(t testing.TB, x bleve.Index, docs map[string]entry) {
	t.Helper()
	r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 1000, 0, false)
	r.Fields = []string{admission.TagField, admission.OfField, "body"}
	res, err := x.Search(r)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Hits) != len(docs) {
		t.Fatalf("%d documents, want %d", len(res.Hits), len(docs))
	}
	for _, hit := range res.Hits {
		e, ok := docs[hit.ID]
		tag, _ := hit.Fields[admission.TagField].(string)
		body, _ := hit.Fields["body"].(string)
		if !ok || e.body != body || e.tag != tag {
			t.Fatalf("%s: got %v, want %+v", hit.ID, hit.Fields, e)
		}
		if (hit.Fields[admission.OfField] != nil) != (tag != "" && tag != admission.ByKnown) {
			t.Fatalf("%s: tag %q of %v", hit.ID, tag, hit.Fields[admission.OfField])
		}
	}
}
