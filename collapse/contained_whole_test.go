package collapse_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/signaturetest"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/templates"
)

// newQuoting has the runs of so many words of a page.
func newQuoting(id string, p page, words int) *quoting {
	q := &quoting{id: id, page: p, has: map[string]bool{}, shares: map[*quoting]float64{}, least: words}
	q.sig = signature.Of(signature.DefaultParams(), []byte(q.Body))
	var all []string
	for _, token := range signature.Tokens([]byte(q.Body)) {
		all = append(all, string(token.Term))
	}
	q.words = len(all)
	for at := 0; at+words <= len(all); at++ {
		q.runs = append(q.runs, strings.Join(all[at:at+words], " "))
		q.has[q.runs[at]] = true
	}
	return q
}

// quotedMapping fingerprints bodies with passages of so many words.
func quotedMapping(t testing.TB, words int) *mapping.IndexMappingImpl {
	t.Helper()
	m := withFields(newMapping(""))
	if err := m.AddCustomAnalyzer("quoted", map[string]any{"type": neardup.Name, "passages": words}); err != nil {
		t.Fatal(err)
	}
	m.DefaultMapping.Properties["body"].Fields = nil
	m.DefaultMapping.AddFieldMappingsAt("body", bleve.NewTextFieldMapping(), plugin.FieldMapping("quoted"))
	return m
}

// quotedSplit spreads documents over n indexes, and returns these, and one that has all.
func quotedSplit(t testing.TB, m *mapping.IndexMappingImpl, n int, all []*quoting) (members []bleve.Index, one bleve.Index) {
	t.Helper()
	docs, parts := map[string]page{}, make([]map[string]page, n)
	for i := range parts {
		parts[i] = map[string]page{}
	}
	for _, q := range all {
		docs[q.id] = q.page
		parts[hash(q.id)%uint32(n)][q.id] = q.page
	}
	for i := range n {
		members = append(members, newMappedIndex(t, m, parts[i]))
		members[i].SetName(fmt.Sprint("part", i))
	}
	return members, newMappedIndex(t, m, docs)
}

// quotedTruth is what plain loops find.
type quotedTruth struct {
	groups             []family
	hidden, unsigned   int
	rejected, promoted int
	projects           map[string]int // of the hits at whose rank groups stand
}

// quotedOracle compares each document, in the order of bleve's own result, with all heads before it: by all runs of words, lane by
// lane, and by values.
func quotedOracle(t testing.TB, x bleve.Index, docs map[string]*quoting, r *bleve.SearchRequest, o collapse.Options) (found quotedTruth) {
	t.Helper()
	type taken struct {
		*quoting
		hit  *search.DocumentMatch
		by   grouped
		bare bool
	}
	near := func(a, b *quoting) bool {
		return a.Body != "" && b.Body != "" && signaturetest.Duplicates(o.Rule, &a.sig, &b.sig)
	}
	found.projects = map[string]int{}
	var groups [][]taken
	var heads []grouped
	for _, hit := range rank(t, x, r).hits {
		if o.Keep != nil && !o.Keep(hit.DocumentMatch) {
			found.rejected++
			continue
		}
		q := docs[hit.ID]
		q.index = hit.Index
		one := taken{q, hit.DocumentMatch, groupedBy(t, hit.DocumentMatch, o), q.Body == ""}
		if one.bare {
			if found.unsigned++; o.Missing == collapse.DropMissing {
				continue
			}
		}
		full := one.by.full(heads)
		at := slices.IndexFunc(groups, func(g []taken) bool {
			head := g[0]
			return one.by.within(head.by) && (one.bare && head.bare && o.Missing == collapse.GroupMissing ||
				near(head.quoting, one.quoting) || max(one.in(head.quoting), head.in(one.quoting)) >= o.Contained || full && one.by.keyed(head.by))
		})
		if at < 0 {
			groups, heads = append(groups, []taken{one}), append(heads, one.by)
			if q.Project != "" {
				found.projects[q.Project]++
			}
			continue
		}
		found.hidden++
		groups[at] = append(groups[at], one)
	}
	for _, g := range groups {
		best := 0
		for i, m := range g {
			switch {
			case len(o.Head) > 0: // the newest
				if c := cmp.Compare(g[best].Version, m.Version); c < 0 || c == 0 && m.id < g[best].id {
					best = i
				}
			case g[0].in(m.quoting) >= o.Contained && m.sig.Tokens > g[best].sig.Tokens:
				best = i
			}
		}
		own := family{head: g[best].ref()}
		for _, m := range slices.Concat(g[:best], g[best+1:]) {
			own.members = append(own.members, excerpt{m.ref(), near(g[best].quoting, m.quoting), m.in(g[best].quoting), g[best].in(m.quoting)})
		}
		if best > 0 {
			ref := g[0].ref()
			own.stands = &ref
			found.promoted++
		}
		found.groups = append(found.groups, own)
	}
	return found
}

// checkQuoted compares all pages of the whole form with the oracle, and, where that sees all hits, the page form with the whole form.
func checkQuoted(t *testing.T, x bleve.Index, docs map[string]*quoting, r *bleve.SearchRequest, o collapse.Options) quotedTruth {
	t.Helper()
	want := quotedOracle(t, x, docs, r, o)
	page := *r
	page.AddFacet("project", bleve.NewFacetRequest("project", 1000))
	page.Fields = []string{"body"}
	o.Whole = true
	for page.From = 0; ; page.From += page.Size {
		res, err := collapse.Search(t.Context(), x, &page, o)
		if err != nil {
			t.Fatal(err)
		}
		if res.Total != uint64(len(want.groups)) || res.TotalGroups != len(want.groups) || res.TotalGroupsRelation != bleve.TotalRelationEq ||
			res.Hidden != want.hidden || res.Unsigned != want.unsigned || res.Rejected != want.rejected || res.PassedOver != 0 || res.Templates != 0 || len(res.Earlier) > 0 || res.Complete != o.Complete {
			t.Fatalf("total %d, %d groups %s, %d hidden, %d unsigned, %d rejected, %d passed over, complete is %v; want %d groups, %d, %d, %d", res.Total, res.TotalGroups, res.TotalGroupsRelation,
				res.Hidden, res.Unsigned, res.Rejected, res.PassedOver, res.Complete, len(want.groups), want.hidden, want.unsigned, want.rejected)
		}
		projects := map[string]int{}
		for _, term := range res.Facets["project"].Terms.Terms() {
			projects[term.Term] = term.Count
		}
		if !reflect.DeepEqual(projects, want.projects) {
			t.Fatalf("facet %v, want %v", projects, want.projects)
		}
		got, own := familiesOf(t, res.Groups), want.groups[min(page.From, len(want.groups)):min(page.From+page.Size, len(want.groups))]
		for i := range max(len(got), len(own)) {
			if i >= len(got) || i >= len(own) || !reflect.DeepEqual(got[i], own[i]) {
				t.Fatalf("from %d: group %d: got\n%+v\nwant\n%+v", page.From, i, got[min(i, len(got)):min(i+1, len(got))], own[min(i, len(own)):min(i+1, len(own))])
			}
			if hit := res.Hits[i]; hit.ID != own[i].head.ID || hit.Index != own[i].head.Index || docs[hit.ID].Body != "" && hit.Fields["body"] != docs[hit.ID].Body {
				t.Fatalf("hit %d is %s, want %s", i, hit.ID, own[i].head.ID)
			}
		}
		if len(res.Hits) == 0 {
			break
		}
	}
	page.From, page.Size, page.Facets, page.Fields = 0, 1000, nil, nil
	whole, err := collapse.Search(t.Context(), x, &page, o)
	o.Whole, o.CollapsedTotal = false, true
	seen, err2 := collapse.Search(t.Context(), x, &page, o)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	if a, b := fully(t, seen), fully(t, whole); a != b {
		t.Fatalf("the page form says\n%.3000s\nthe whole form\n%.3000s", a, b)
	}
	return want
}

// fully is all that a result says but its time, status, request and greatest score, which is that of all hits in the page form.
func fully(t *testing.T, r *collapse.Result) string {
	t.Helper()
	data, err := json.Marshal(r)
	var v map[string]any
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	for _, name := range []string{"took", "cost", "status", "request", "max_score", "facets"} {
		delete(v, name)
	}
	if err == nil {
		data, err = json.Marshal(v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// drawQuoted draws how to fold texts that contain each other.
func drawQuoted(rnd *rand.Rand) collapse.Options {
	o := drawOptions(rnd)
	o.Visible, o.Filter, o.Contained = 0, nil, []float64{1, .9, .6, .3}[rnd.IntN(4)]
	if o.By != nil && !o.By.Or {
		o.By.Or = rnd.IntN(2) == 0
	}
	if o.By != nil && !o.By.Or {
		o.By = nil
	}
	if rnd.IntN(4) == 0 {
		o.Head = newest
	}
	o.Complete = rnd.IntN(2) == 0
	return o
}

var quotedRounds = flag.Int("contained.rounds", 4, "how many options TestContainedWhole draws for each way to search")

// The whole form finds the groups of plain loops over all documents, of one index and of aliases of local ones, whatever the options: heads, members, shares, order,
// totals, facets, every page. The page form says the same, in all that it says, where it sees all hits.
func TestContainedWhole(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(51, 52))
	texts, pages, docs := excerpts(t, rnd, size(90, 45)), map[string]page{}, map[string]*quoting{}
	for i, q := range texts {
		if q.page.Version = float64(i % 4); i%11 == 0 {
			q.page.Body = ""
		}
		pages[q.id] = q.page
	}
	pages = drawn(rnd, pages)
	for i, q := range texts {
		texts[i] = newQuoting(q.id, pages[q.id], quotedWords)
		docs[q.id] = texts[i]
	}
	members, one := quotedSplit(t, quotedMapping(t, quotedWords), 3, texts)
	ways := map[string]bleve.Index{"one": one}
	for name, alias := range aliases(members) {
		if slices.Contains([]string{"plain", "parts", "nested"}, name) {
			ways[name] = alias
		}
	}
	promoted, folded := 0, 0
	for name, x := range ways {
		for i := range *quotedRounds {
			rnd := rand.New(rand.NewPCG(uint64(i), uint64(hash(name))))
			o := drawQuoted(rnd)
			match := bleve.NewMatchQuery("the of pass")
			match.SetField("body")
			r := bleve.NewSearchRequestOptions([]query.Query{bleve.NewMatchAllQuery(), match}[rnd.IntN(2)], 1+rnd.IntN(30), 0, false)
			r.Sort = order(t, []string{`["_id"]`, `["-_id"]`, `["-version","_id"]`, `["word","-_score"]`, `["-_score","_id"]`}[rnd.IntN(5)])
			t.Run(name+" "+asText(o), func(t *testing.T) {
				found := checkQuoted(t, x, docs, r, o)
				promoted += found.promoted
				folded += found.hidden
			})
		}
	}
	if promoted < 10 || folded < 5*len(ways)*min(*quotedRounds, 4) {
		t.Errorf("%d heads are others, %d hits fold: this test shows little", promoted, folded)
	}
}

// The same on mails with the mails that they quote, and licences, as many as -contained.texts says.
func TestContainedWholeOfRealText(t *testing.T) {
	t.Parallel()
	for _, set := range []string{"enron-spam/docs.jsonl.gz", "licenses/project_files.jsonl.gz"} {
		t.Run(strings.ReplaceAll(set, "/", " "), func(t *testing.T) {
			t.Parallel()
			var texts []*quoting
			docs := map[string]*quoting{}
			for i, d := range signaturetest.FirstDocs(t, set, *quotedTexts) {
				words := strings.Fields(d.Text)
				body := strings.Join(words[:min(len(words), 400)], " ")
				texts = append(texts, newQuoting(d.ID, page{Body: body, Version: float64(i % 4), Project: fmt.Sprint(i % 3)}, 30))
				docs[d.ID] = texts[i]
			}
			members, one := quotedSplit(t, quotedMapping(t, 30), 3, texts)
			folded := 0
			for i, x := range []bleve.Index{one, bleve.NewIndexAlias(members...)} {
				r := byID(bleve.NewMatchAllQuery())
				r.Size = 100
				folded += checkQuoted(t, x, docs, r, collapse.Options{Contained: []float64{.8, .5}[i]}).hidden
			}
			if folded == 0 {
				t.Error("nothing folds: this test shows nothing")
			}
		})
	}
}

var quotedTexts = flag.Int("contained.texts", 80, "how many texts of each set TestContainedWholeOfRealText takes")

// What a definition has to settle: with texts of which each stands in the next, of one that stands in two that have nothing else in common,
// and of one that is both a near-duplicate and contained.
func TestContainedSettled(t *testing.T) {
	t.Parallel()
	words := func(from, to int) string {
		var b strings.Builder
		for i := from; i < to; i++ {
			fmt.Fprintf(&b, "w%d ", i)
		}
		return b.String()
	}
	chain := map[string]string{"a": words(0, 30), "b": words(0, 60), "c": words(0, 120)}
	between := map[string]string{"a": words(0, 30), "b": words(0, 30) + words(100, 160), "c": words(200, 260) + words(0, 30)}
	both := map[string]string{"a": words(0, 300), "b": words(0, 298), "c": words(0, 305)}
	for i, tt := range []struct {
		docs  map[string]string
		order string
		want  string
	}{
		// The best-ranked text decides: what stands in it, and what it stands in. The longest that contains it is shown.
		{chain, `["_id"]`, "[{c a [{a false 1 0.25} {b false 1 0.5}]}]"},
		{chain, `["-_id"]`, "[{c - [{b false 1 0.5} {a false 1 0.25}]}]"},
		// b ranks first, and c contains it; a stands in b.
		{chain, `["number","_id"]`, "[{c b [{b false 1 0.5} {a false 1 0.25}]}]"},
		// The excerpt ranks first: both texts are of its group, though they have little in common.
		{between, `["_id"]`, "[{b a [{a false 1 0.3333333333333333} {c false 0.3333333333333333 0.3333333333333333}]}]"},
		// It ranks last: it is of the group of the first that contains it, and the other stands alone.
		{between, `["-_id"]`, "[{c - [{a false 1 0.3333333333333333}]} {b - []}]"},
		{both, `["_id"]`, "[{c a [{a true 1 0.9836065573770492} {b true 1 0.9770491803278688}]}]"},
	} {
		var texts []*quoting
		docs := map[string]*quoting{}
		for id, body := range tt.docs {
			p := page{Body: body, fields: values{"number": {map[string]string{"a": "3", "b": "1", "c": "2"}[id]}}}
			docs[id] = newQuoting(id, p, quotedWords)
			texts = append(texts, docs[id])
		}
		members, one := quotedSplit(t, quotedMapping(t, quotedWords), 2, texts)
		r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 10, 0, false)
		r.Sort = order(t, tt.order)
		for _, x := range []bleve.Index{one, bleve.NewIndexAlias(members...)} {
			got := "["
			for i, g := range checkQuoted(t, x, docs, r, collapse.Options{Contained: .8}).groups {
				stands := "-"
				if g.stands != nil {
					stands = g.stands.ID
				}
				if got += fmt.Sprintf("{%s %s [", g.head.ID, stands); i < 0 {
					break
				}
				for n, m := range g.members {
					if n > 0 {
						got += " "
					}
					got += fmt.Sprintf("{%s %v %v %v}", m.ref.ID, m.near, m.inHead, m.ofHead)
				}
				got += "]} "
			}
			if got = strings.TrimSuffix(got, " ") + "]"; got != tt.want {
				t.Errorf("%d: got %s, want %s", i, got, tt.want)
			}
		}
	}
}

// Fingerprints that too many documents hold are passed over, and counted alike by both forms, within a scope and over an alias.
func TestContainedPassedOver(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(53, 54))
	mail, footer := randomly(rnd, 60), randomly(rnd, 30)
	docs, few := map[string]page{"a": {Body: mail, Project: "0"}, "b": {Body: randomly(rnd, 20) + mail + footer, Project: "1"}}, map[string]page{}
	for i := range 540 {
		of := docs
		if i%18 == 0 {
			of = few
		}
		of[fmt.Sprintf("f%04d", i)] = page{Body: footer + randomly(rnd, 10), Project: fmt.Sprint(i % 2)}
	}
	one, other := newMappedIndex(t, quotedMapping(t, quotedWords), docs), newMappedIndex(t, quotedMapping(t, quotedWords), few)
	one.SetName("one")
	r := byID(bleve.NewMatchAllQuery())
	r.Size = 2000
	for _, tt := range []struct {
		x      bleve.Index
		within []string
		head   string
	}{{one, nil, "b"}, {bleve.NewIndexAlias(one, other), []string{"project"}, "a"}} {
		o := collapse.Options{Contained: .2, Within: tt.within, CollapsedTotal: true, Complete: true}
		seen, err := collapse.Search(t.Context(), tt.x, r, o)
		o.Whole = true
		whole, err2 := collapse.Search(t.Context(), tt.x, r, o)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		if fully(t, seen) != fully(t, whole) || whole.Complete || whole.TotalGroups < 50 || whole.PassedOver < 500 || whole.Groups[0].Head.ID != tt.head {
			t.Errorf("within %q: the page form has %d groups, %d passed over; the whole form %d, %d, complete is %v; the first is %s", tt.within, seen.TotalGroups, seen.PassedOver,
				whole.TotalGroups, whole.PassedOver, whole.Complete, whole.Groups[0].Head.ID)
		}
	}
}

// randomly returns so many words that stand nowhere else.
func randomly(rnd *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "w%d ", rnd.IntN(1<<30))
	}
	return b.String()
}

// What stands in a learned template alone is no passage, and is told; with the rest of a text it counts.
func TestContainedTemplates(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(55, 56))
	footer, mail := randomly(rnd, 40), randomly(rnd, 60)
	var texts []*quoting
	for i := range 60 {
		texts = append(texts, &quoting{id: fmt.Sprintf("f%02d", i), page: page{Body: randomly(rnd, 40) + footer}})
	}
	_, x := quotedSplit(t, quotedMapping(t, quotedWords), 1, texts)
	r := byID(bleve.NewMatchAllQuery())
	r.Size = 100
	o := collapse.Options{Contained: .4, Complete: true, CollapsedTotal: true}
	if res, err := collapse.Search(t.Context(), x, r, o); err != nil || res.TotalGroups != 1 || res.Templates != 0 {
		t.Fatalf("without templates: got %d groups, %v", res.TotalGroups, err)
	}
	found, err := templates.Learn(t.Context(), x, templates.Options{})
	if err == nil {
		err = templates.Use(t.Context(), x, found)
	}
	if err != nil {
		t.Fatal(err)
	}
	load(t, x, map[string]page{"a": {Body: mail + footer}, "b": {Body: randomly(rnd, 10) + mail + randomly(rnd, 10) + footer}, "f00": {Body: randomly(rnd, 50) + footer}, "f01": {Body: randomly(rnd, 50) + footer}})
	some := *r
	some.Query = bleve.NewDocIDQuery([]string{"a", "b", "f00", "f01"})
	for _, whole := range []bool{false, true} {
		o.Whole = whole
		res, err := collapse.Search(t.Context(), x, &some, o)
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Groups) != 3 || res.Groups[0].Head.ID != "b" || res.Groups[0].Stands == nil || !slices.Equal(memberIDs(res.Groups[0]), []string{"a"}) || res.Templates == 0 || res.PassedOver != 0 || res.Complete {
			t.Errorf("whole is %v: got %d groups, the first %+v; %d of templates, %d passed over, complete is %v", whole, len(res.Groups), res.Groups[0], res.Templates, res.PassedOver, res.Complete)
		} else if c := res.Groups[0].Members[0].Contained; c.InHead.Value != 1 || c.OfHead.Value != 100./120 {
			t.Errorf("whole is %v: got %+v, want templates compared with the rest", whole, c)
		}
	}
	o.Whole = false
	seen, err := collapse.Search(t.Context(), x, r, o)
	o.Whole = true
	whole, err2 := collapse.Search(t.Context(), x, r, o)
	if err := errors.Join(err, err2); err != nil || fully(t, seen) != fully(t, whole) || seen.Templates == 0 {
		t.Errorf("error %v: the page form has %d groups, %d of templates; the whole form %d, %d", err, seen.TotalGroups, seen.Templates, whole.TotalGroups, whole.Templates)
	}
	// A page that does not see all looks the members up, and says what it did not follow.
	some.Size, o.Whole = 1, false
	if res, err := collapse.Search(t.Context(), x, &some, o); err != nil || len(res.Groups) != 1 || res.Groups[0].Head.ID != "b" || res.Templates == 0 || res.Complete {
		t.Errorf("got %+v, error %v", res, err)
	}
}

// Pages by cursor are those by From, in one index and in an alias, whether the cursor names the heads or has too many; with complete groups
// they are those of the oracle.
func TestContainedCursor(t *testing.T) {
	t.Parallel()
	for _, long := range []int{0, 600} { // bytes of each id: with 600, heads soon take more than a cursor has
		rnd := rand.New(rand.NewPCG(57, 58))
		texts, docs := excerpts(t, rnd, size(60, 36)), map[string]*quoting{}
		for i, q := range texts {
			texts[i] = newQuoting(strings.Repeat("x", long)+q.id, q.page, quotedWords)
			docs[texts[i].id] = texts[i]
		}
		members, one := quotedSplit(t, quotedMapping(t, quotedWords), 2, texts)
		for _, x := range []bleve.Index{one, bleve.NewIndexAlias(members...)} {
			for i, o := range []collapse.Options{{Contained: .8}, {Contained: .5, Complete: true}, {Contained: .5, Complete: true, Head: newest}} {
				r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 3, 0, false)
				r.SortBy([][]string{{"_id"}, {"-_id"}, {"-project", "_id"}}[i])
				want := quotedOracle(t, x, docs, r, o)
				at, bare := 0, false
				members := map[string]int{}
				for o.Cursor = new(collapse.Cursor); o.Cursor != nil; {
					if at == 0 {
						o.Cursor = nil
					}
					res, err := collapse.Search(t.Context(), x, r, o)
					if err != nil {
						t.Fatal(err)
					}
					if own := want.groups[at:min(at+3, len(want.groups))]; o.Complete && !reflect.DeepEqual(familiesOf(t, res.Groups), own) {
						t.Fatalf("from %d: got\n%+v\nwant\n%+v", at, familiesOf(t, res.Groups), own)
					}
					for _, g := range slices.Concat(res.Groups, res.Earlier) {
						for _, id := range memberIDs(g) {
							members[id]++
						}
					}
					at += len(res.Groups)
					o.Cursor = res.Next
					bare = bare || res.Next != nil && len(res.Next.Heads) == 0
				}
				if at != len(want.groups) || bare != (long > 0) || want.hidden < size(10, 5) {
					t.Errorf("%+v: %d groups, want %d; a cursor without heads: %v", o, at, len(want.groups), bare)
				}
				for _, g := range want.groups {
					for _, m := range g.members {
						if n := members[m.ref.ID]; n != 1 && (o.Complete || g.stands == nil) {
							t.Errorf("%+v: %s is listed %d times", o, m.ref.ID, n)
						}
					}
				}
			}
		}
	}
}

// Beyond the texts that may be read, the page form answers, with no more hits than the caller's budget.
func TestContainedTexts(t *testing.T) {
	t.Parallel()
	texts := excerpts(t, rand.New(rand.NewPCG(59, 60)), 60)
	_, x := quotedSplit(t, quotedMapping(t, quotedWords), 1, texts)
	r := byID(bleve.NewMatchAllQuery())
	r.Size = 50
	for _, tt := range []struct {
		o    collapse.Options
		hits int // that are looked at, at most
		want string
	}{
		{collapse.Options{}, 60, bleve.TotalRelationEq},
		{collapse.Options{Texts: 200}, 60, bleve.TotalRelationEq},
		{collapse.Options{Texts: 20}, 20, bleve.TotalRelationGte},
		{collapse.Options{Budget: 30}, 30, bleve.TotalRelationGte},
		{collapse.Options{Budget: 59, Texts: 40}, 40, bleve.TotalRelationGte},
	} {
		tt.o.Contained, tt.o.Whole = .8, true
		res, err := collapse.Search(t.Context(), x, r, tt.o)
		if err != nil || res.TotalGroupsRelation != tt.want || len(res.Groups)+res.Hidden > tt.hits {
			t.Errorf("%+v: got %d groups %s, %d hidden, error %v", tt.o, len(res.Groups), res.TotalGroupsRelation, res.Hidden, err)
		}
	}
}
