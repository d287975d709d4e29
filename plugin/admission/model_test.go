package admission_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
)

// page is a document of these tests.
type page struct {
	id, body, tenant string
	sent             time.Time
}

// unstored reports whether the body is signed, and not stored: of a few.
func (p page) unstored() bool {
	last := p.body[strings.LastIndex(p.body, " ")+1:]
	return len(last) == 2 && last[0] == 'v'
}

func (p page) data() map[string]any {
	m := map[string]any{"sent": p.sent.Format(time.RFC3339), "changed": p.sent.Add(-7 * time.Duration(p.sent.Hour()) * time.Hour).Format(time.RFC3339)}
	if p.body != "" {
		m[map[bool]string{false: "body", true: "unstored"}[p.unstored()]] = p.body
	}
	if p.tenant != "" {
		m["tenant"] = p.tenant
	}
	if p.from() != "" {
		m["from"] = p.from()
	}
	return m
}

// missing is the body if it is not stored.
func (p page) missing() string {
	if p.unstored() {
		return p.body
	}
	return ""
}

// from is the sender of a page, of whom there are a few; some pages have none.
func (p page) from() string {
	if p.id == "" {
		return ""
	}
	return []string{"", "Ann Lee", "Bob", "Ann Lee, Bob", "Eve"}[(int(p.id[len(p.id)-1])+7*p.sent.Hour())%5]
}

func newIndex(t testing.TB, path string) bleve.Index {
	t.Helper()
	m := bleve.NewIndexMapping()
	tenant := bleve.NewTextFieldMapping()
	tenant.Analyzer = keyword.Name
	m.DefaultMapping.AddFieldMappingsAt("tenant", tenant)
	m.DefaultMapping.AddFieldMappingsAt("from", tenant)
	bare := bleve.NewKeywordFieldMapping()
	bare.DocValues, bare.Store = false, false
	m.DefaultMapping.AddFieldMappingsAt("bare", bare)
	m.DefaultMapping.AddFieldMappingsAt("sent", bleve.NewDateTimeFieldMapping())
	unstored := bleve.NewTextFieldMapping()
	unstored.Store = false
	m.DefaultMapping.AddFieldMappingsAt("unstored", unstored)
	plugin.AddSignature(m.DefaultMapping, "body", "unstored")
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
	of    []string            // what the tag may name
	group string              // the name of its group
	timed bool                // it was written with its time
}

// model is the naive gate: plain loops over all documents.
type model struct {
	policy admission.Policy
	docs   map[string]entry
	marks  map[string]admission.Mark
	counts map[string]uint64 // what became of documents
}

// twin is a near-duplicate of a page, in the index or in the batch.
type twin struct {
	id string
	entry
	written bool
	match   signature.Match
}

// expected is a verdict, but for Of and Match, which are those of one of some twins: where
// a document has more near-duplicates than are looked at, it is not told which.
type expected struct {
	admission.Verdict
	of     []twin
	losers []twin // that it replaces
}

// is reports whether got is what was expected, in all that a verdict has.
func (e expected) is(got admission.Verdict) bool {
	want := e.Verdict
	if len(e.of) > 0 {
		if !slices.ContainsFunc(e.of, func(t twin) bool {
			return t.id == got.Of && got.Match != nil && t.match == *got.Match
		}) {
			return false
		}
		want.Of, want.Match = got.Of, got.Match
	}
	return reflect.DeepEqual(want, got)
}

func (e expected) String() string {
	var of []string
	for _, t := range e.of {
		of = append(of, t.id)
	}
	return fmt.Sprintf("%+v of %v", e.Verdict, of)
}

// submit judges and writes a batch of pages, and deletes. Verdicts are in the order of the ids.
func (m *model) submit(pages []page, deletes []string) []expected {
	verdicts, docs := m.judgeAll(pages, deletes)
	m.docs = docs
	return verdicts
}

// count counts verdicts as StatsMap does.
func (m *model) count(verdicts []expected) {
	if m.counts == nil {
		m.counts = map[string]uint64{}
	}
	for _, v := range verdicts {
		m.counts["judged"]++
		if v.Unscoped != "" {
			m.counts["unscoped"]++
		}
		if v.Founded {
			m.counts["founded"]++
		} else if v.Group != "" {
			m.counts["joined"]++
		}
		name := map[admission.Action]string{admission.Tag: "tagged", admission.Reject: "rejected", admission.Replace: "replacing"}[v.Action]
		if name == "" {
			continue
		}
		m.counts[name]++
		m.counts["by_"+v.Policy]++
		if v.Would != "" {
			m.counts["shadowed"]++
		}
	}
}

// judgeAll judges a batch, and returns the documents of the index after it.
func (m *model) judgeAll(pages []page, deletes []string) ([]expected, map[string]entry) {
	slices.SortFunc(pages, func(a, b page) int { return strings.Compare(a.id, b.id) })
	stuck := map[string]bool{}
	for {
		old, written := map[string]entry{}, map[string]entry{}
		maps.Copy(old, m.docs)
		for _, id := range deletes {
			delete(old, id)
		}
		for _, p := range pages {
			if !stuck[p.id] {
				delete(old, p.id)
			}
		}
		verdicts := make([]expected, len(pages))
		for _, i := range m.order(pages) {
			p := pages[i]
			var e entry
			verdicts[i], e = m.judge(old, written, p)
			for _, t := range verdicts[i].losers {
				delete(old, t.id)
			}
			if verdicts[i].Action != admission.Reject {
				written[p.id] = e
			}
		}
		again := false
		for _, v := range verdicts {
			if v.Action == admission.Reject && !stuck[v.ID] {
				stuck[v.ID], again = true, true
			}
		}
		if !again {
			maps.Copy(old, written)
			for i := range verdicts {
				v := &verdicts[i]
				v.Replaced = slices.DeleteFunc(v.Replaced, func(id string) bool { _, there := old[id]; return there })
			}
			return verdicts, old
		}
	}
}

// order is that of ids, or with near: replace the best first: of the pages that are left the one that none of the others beats.
func (m *model) order(pages []page) (order []int) {
	left := make([]int, len(pages))
	for i := range left {
		left[i] = i
	}
	for len(left) > 0 {
		best := 0
		for k := range left {
			one, other := pages[left[k]], pages[left[best]]
			switch {
			case m.policy.Near != admission.Replace:
			case m.policy.Prefer != nil && one.tokens() > other.tokens(), m.policy.Prefer == nil && !one.sent.Before(other.sent):
				best = k
			}
		}
		order = append(order, left[best])
		left = slices.Delete(left, best, best+1)
	}
	return order
}

func (p page) tokens() uint64 { return signature.Of(signature.DefaultParams(), []byte(p.body)).Tokens }

// judge judges one page against what is in the index and earlier in the batch.
func (m *model) judge(old, written map[string]entry, p page) (v expected, e entry) {
	pol := m.policy
	e = entry{page: p, timed: gate.Timed(&pol) && p.body != ""}
	if p.body != "" {
		e.sig = signature.Of(signature.DefaultParams(), []byte(p.body))
	}
	v.ID, v.Action = p.id, admission.Accept
	if e.sig.Tokens == 0 {
		m.named(&v.Verdict, &e, nil)
		return v, e
	}
	m.marked(&e, &v.Verdict)
	if v.Policy == "wanted" {
		pol.Near, pol.Floods = "", nil
	}
	if pol.Scope != "" && p.tenant == "" {
		if severity(pol.Unscoped) > severity(v.Action) {
			v.Verdict = admission.Verdict{ID: p.id, Action: pol.Unscoped, Policy: "unscoped"}
		}
		defer func() { v.Unscoped = m.policy.Scope }()
	}
	var twins, untagged, winners []twin
	for k, there := range []map[string]entry{old, written} {
		for id, other := range there {
			if id == p.id || pol.Scope != "" && other.tenant != p.tenant {
				continue
			}
			if neartest.Duplicates(signature.Rule{}, &e.sig, &other.sig) {
				match, _ := signature.Rule{}.Match(&other.sig, &e.sig)
				twins = append(twins, twin{id, other, k == 1, match})
			}
		}
	}
	slices.SortFunc(twins, func(a, b twin) int {
		if a.id == b.id && b.written { // what a rejected update leaves, and the update
			return -1
		}
		return strings.Compare(a.id, b.id)
	})
	for _, t := range twins {
		if t.tag == "" {
			untagged = append(untagged, t)
		}
		if t.written || pol.Prefer != nil && e.sig.Tokens <= t.sig.Tokens || pol.Prefer == nil && t.timed && p.sent.Before(t.sent) {
			winners = append(winners, t)
		}
	}
	// decide takes the verdict if it is more severe. It names the first of some twins, or
	// any of them if there are more twins than are looked at.
	most := 64
	if pol.Near == admission.Replace && pol.MaxReplaced >= 0 {
		most = cmp.Or(pol.MaxReplaced, 100) + 1
	} else if pol.Near == admission.Replace && !pol.Shadow {
		most = len(twins)
	}
	decide := func(action admission.Action, by string, of []twin) bool {
		if severity(action) <= severity(v.Action) {
			return false
		}
		if len(twins) <= most {
			of = of[:1]
		}
		v = expected{Verdict: admission.Verdict{ID: p.id, Action: action, Policy: by}, of: of}
		return true
	}
	for _, f := range pol.Floods {
		n, of := flooding(f, p, twins)
		if n >= f.Copies && decide(cmp.Or(f.Action, admission.Reject), "flood", of) {
			v.Copies, v.Distinct, v.Same = f.Copies, f.Distinct, f.Same
		}
	}
	switch {
	case len(twins) == 0:
	case pol.Near == admission.Replace && pol.MaxReplaced >= 0 && len(twins) >= most:
		if decide(admission.Reject, "near", twins) {
			v.Capped = most - 1
		}
	case pol.Near == admission.Replace && len(winners) > 0:
		decide(admission.Reject, "near", winners)
	case pol.Near == admission.Replace:
		if decide(admission.Replace, "near", twins) {
			v.losers = twins
			for _, t := range twins {
				v.Replaced = append(v.Replaced, t.id)
			}
		}
	case pol.Near == admission.Tag && len(untagged) > 0 && len(twins) <= most:
		decide(admission.Tag, "near", untagged)
	default:
		decide(pol.Near, "near", twins)
	}
	if pol.Shadow && severity(v.Action) > severity(admission.Tag) {
		v.Would, v.Action, v.Replaced, v.losers = v.Action, admission.Tag, nil, nil
	}
	if v.Action == admission.Tag {
		e.tag = v.Policy
		for _, t := range v.of {
			e.of = append(e.of, t.id)
		}
	}
	m.named(&v.Verdict, &e, twins)
	return v, e
}

// named gives a page the name of its group, unless it is rejected.
func (m *model) named(v *admission.Verdict, e *entry, twins []twin) {
	if !m.policy.Group || v.Action == admission.Reject {
		return
	}
	old := m.docs[e.id]
	if m.policy.Scope != "" && old.tenant != e.tenant {
		old.group = ""
	}
	var all []neartest.Named
	for _, t := range twins {
		all = append(all, neartest.Named{Sig: &t.sig, Group: t.group, Batch: t.written})
	}
	d := neartest.Named{ID: e.id, Sig: &e.sig}
	d.Name(neartest.Named{Sig: &old.sig, Group: old.group}, all, func(group string) (taken bool) {
		for id, other := range m.docs {
			taken = taken || id != e.id && other.group == group
		}
		return taken
	})
	v.Group, v.Founded, e.group = d.Group, d.Founded, d.Group
}

// flooding counts the twins of a page that count for a flood whose fields are "from", and returns
// them.
func flooding(f admission.Flood, p page, twins []twin) (n int, of []twin) {
	values := map[string]bool{}
	for _, t := range twins {
		if !t.timed || p.sent.Sub(t.sent).Abs() >= f.Window || f.Same != "" && t.from() != p.from() || f.Distinct != "" && t.from() == p.from() {
			continue
		}
		of = append(of, t)
		values[t.from()] = true
	}
	if f.Distinct != "" {
		return len(values), of
	}
	return len(of), of
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

// link returns the n-th text of a chain: each is a near-duplicate of the next, and of no other, and longer than the one before.
func link(n int) string {
	text := func(n int) string {
		var all []string
		for i := range 80 {
			all = append(all, fmt.Sprint("w18x", i))
		}
		for i := range n {
			all[i*9] = fmt.Sprint("edited", i)
		}
		return strings.Join(append(all, slices.Repeat([]string{"on"}, n)...), " ")
	}
	return text(n)
}

func duplicates(a, b string) bool {
	one, two := signature.Of(signature.DefaultParams(), []byte(a)), signature.Of(signature.DefaultParams(), []byte(b))
	return signature.Rule{}.Duplicates(&one, &two)
}

var policies = map[string]admission.Policy{
	"reject":          {Near: admission.Reject},
	"tag":             {Near: admission.Tag, Scope: "tenant"},
	"newest":          {Near: admission.Replace, Time: "sent", Scope: "tenant"},
	"longest":         {Near: admission.Replace, Prefer: []admission.Preference{{Keep: admission.Longest}}},
	"only of tenants": {Near: admission.Tag, Scope: "tenant", Unscoped: admission.Reject},
	"tenants, tagged": {Near: admission.Replace, Time: "sent", Scope: "tenant", Unscoped: admission.Tag},
	"tenants, shadow": {Near: admission.Reject, Scope: "tenant", Unscoped: admission.Reject, Shadow: true},
	"flood":           {Time: "sent", Floods: []admission.Flood{{Copies: 3, Window: 10 * time.Hour}}},
	"flood and tag":   {Near: admission.Tag, Scope: "tenant", Time: "sent", Floods: []admission.Flood{{Copies: 2, Window: 20 * time.Hour}}},
	"newest of all":   {Near: admission.Replace, Time: "sent"},
	"two":             {Near: admission.Replace, Time: "sent", MaxReplaced: 2},
	"shadow":          {Near: admission.Replace, Time: "sent", Shadow: true},
	"senders":         {Time: "sent", Floods: []admission.Flood{{Copies: 2, Window: 20 * time.Hour, Distinct: "from"}}},
	"one sender":      {Time: "sent", Floods: []admission.Flood{{Copies: 2, Window: 20 * time.Hour, Same: "from"}}},
	"senders and one of them": {
		Near: admission.Tag, Time: "sent", Scope: "tenant", Floods: []admission.Flood{
			{Copies: 1, Window: 4 * time.Hour, Same: "from"}, {Copies: 2, Window: 30 * time.Hour, Distinct: "from", Action: admission.Tag}, {Copies: 8, Window: 30 * time.Hour},
		},
	},
	"groups":            {Group: true},
	"groups of tenants": {Group: true, Near: admission.Tag, Scope: "tenant", Unscoped: admission.Reject},
	"groups, newest":    {Group: true, Near: admission.Replace, Time: "sent"},
	"flood and newest":  {Near: admission.Replace, Time: "sent", Floods: []admission.Flood{{Copies: 1, Window: 5 * time.Hour}}},
	"flood, tagged":     {Near: admission.Replace, Time: "sent", Floods: []admission.Flood{{Copies: 2, Window: 9 * time.Hour, Action: admission.Tag}}},
	"flood of groups":   {Group: true, Near: admission.Tag, Shadow: true, Time: "sent", Floods: []admission.Flood{{Copies: 3, Window: 4 * time.Hour}}},
	"known":             {Near: admission.Reject, Scope: "tenant", Known: admission.Tag},
	"known, longest":    {Near: admission.Replace, Prefer: []admission.Preference{{Keep: admission.Longest}}, Known: admission.Reject},
	"known, shadow":     {Near: admission.Replace, Time: "sent", Shadow: true, Known: admission.Reject, Scope: "tenant"},
	"known, flood":      {Time: "sent", Floods: []admission.Flood{{Copies: 2, Window: 4 * time.Hour}}, Known: admission.Reject},
	"known, groups":     {Group: true, Near: admission.Replace, Time: "sent", Scope: "tenant", Known: admission.Reject},
	"known by rule":     {Known: admission.Reject, KnownRule: admission.KnownRule{Lanes: 60, Contains: -1, Contained: .8, MinShingles: 20}},
}

// text is of a family, or a link of a chain; or empty, without a word, too short for shingles, or in other letters.
func text(rnd *rand.Rand, family int, chains bool) string {
	switch k := rnd.IntN(32); {
	case k == 0:
		return ""
	case k == 1:
		return " ... "
	case k == 2:
		return fmt.Sprint("short ", rnd.IntN(2))
	case k == 3:
		return "The SAME ten words in other letters do not count; Ünïcode 東京 too."
	case k == 4:
		return "the same ten words in other letters do not count ünïcode 東京 too"
	case chains:
		return link(rnd.IntN(4))
	}
	return words(rnd, family)
}

func randomPage(rnd *rand.Rand, id, body string, now time.Time) page {
	return page{id, body, []string{"", "a", "b"}[rnd.IntN(3)], now.Add(-time.Duration(rnd.IntN(8)) * time.Hour)}
}

func randomBatch(rnd *rand.Rand, now time.Time) (pages []page, deletes []string) {
	ids := rnd.Perm(40)
	id := func() (id string) {
		id, ids = fmt.Sprint("d", ids[0]), ids[1:]
		return id
	}
	first, families := 0, 8
	if rnd.IntN(3) == 0 { // many copies in one batch
		first, families = rnd.IntN(8), 1
	}
	chains := rnd.IntN(3) == 0
	for range 1 + rnd.IntN(6) {
		pages = append(pages, randomPage(rnd, id(), text(rnd, first+rnd.IntN(families), chains), now))
	}
	for range rnd.IntN(3) {
		deletes = append(deletes, id())
	}
	return pages, deletes
}

// same compares the index with the model: its documents, their tags, and the figures.
func (m *model) same(t testing.TB, x bleve.Index) {
	t.Helper()
	r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 1000, 0, false)
	r.Fields = []string{admission.TagField, admission.OfField, admission.GroupField, "body", "tenant"}
	res, err := x.Search(r)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Hits) != len(m.docs) {
		t.Fatalf("%d documents, want %d", len(res.Hits), len(m.docs))
	}
	for _, hit := range res.Hits {
		e, ok := m.docs[hit.ID]
		text := func(name string) string { s, _ := hit.Fields[name].(string); return s }
		if !ok || e.body != text("body")+e.missing() || e.tenant != text("tenant") || e.tag != text(admission.TagField) || e.group != text(admission.GroupField) {
			t.Fatalf("%s: got %v, want %+v", hit.ID, hit.Fields, e)
		}
		if of := text(admission.OfField); !slices.Contains(e.of, of) && (of != "" || e.of != nil) {
			t.Fatalf("%s: tag %q of %q, want one of %q", hit.ID, e.tag, of, e.of)
		}
	}
	stats := x.StatsMap()["index"].(map[string]any)
	for _, name := range []string{"judged", "tagged", "rejected", "replacing", "by_near", "by_flood", "by_known", "by_repetition", "by_hidden", "by_unscoped", "unscoped", "shadowed", "founded", "joined"} {
		if stats["neardup_"+name] != m.counts[name] {
			t.Fatalf("%s: %v, want %d", name, stats["neardup_"+name], m.counts[name])
		}
	}
}
