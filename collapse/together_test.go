package collapse_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
)

var searches = flag.Int("searches", 0, "searches of TestTogether; 0 for 200")

// orders are orders of heads and of inner hits, with what they say of two hits.
var orders = map[string]func(a, b rankedHit) int{
	"-version": func(a, b rankedHit) int { return cmp.Compare(versionOf(b), versionOf(a)) },
	"version":  func(a, b rankedHit) int { return cmp.Compare(versionOf(a), versionOf(b)) },
	"_score":   func(a, b rankedHit) int { return cmp.Compare(a.Score, b.Score) },
	"-_score":  func(a, b rankedHit) int { return cmp.Compare(b.Score, a.Score) },
}

func versionOf(hit rankedHit) float64 { return hit.Fields["version"].(float64) }

// together is one search with options that were drawn, and what the oracle says of it.
type together struct {
	t    *testing.T
	x    bleve.Index
	r    *bleve.SearchRequest
	o    collapse.Options
	head func(a, b rankedHit) int // nil without Head
	all  ranked
	of   map[string]rankedHit // by id
	want truth
	in   map[string]group // the group of a hit
}

// drawTogether draws two or three options.
func drawTogether(rnd *rand.Rand, fields []string) (o collapse.Options) {
	rnd.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	order := func() search.SortOrder {
		names := slices.Sorted(maps.Keys(orders))
		return search.ParseSortOrderStrings([]string{names[rnd.IntN(len(names))]})
	}
	filter := bleve.NewTermQuery(fmt.Sprint("p", rnd.IntN(3)))
	filter.SetField("project")
	set := []func(){
		func() { o.Within = fields[:1+rnd.IntN(2)] },
		func() {
			if o.By = (&collapse.By{Field: fields[2], Or: rnd.IntN(2) == 0}); o.By.Or {
				o.By.Most = rnd.IntN(4)
			}
		},
		func() { o.Head = order() },
		func() { o.Filter = filter },
		func() {
			some := func(_ context.Context, hit *search.DocumentMatch) (bool, error) {
				return hit.Fields["version"] != 2., nil
			}
			o.Filter = query.NewCustomFilterQueryWithFilter(bleve.NewMatchAllQuery(), some, []string{"version"}, nil)
		},
		func() {
			o.Verify = []signature.Verify{{Resemblance: .8}, {Resemblance: .97}, {Contained: true}}[rnd.IntN(3)]
		},
		func() { o.Whole = true },
		func() { o.Complete = true },
		func() { o.Visible = []int{2, 3, -1}[rnd.IntN(3)] },
		func() { o.Missing = []collapse.Missing{collapse.DropMissing, collapse.GroupMissing}[rnd.IntN(2)] },
		func() {
			o.InnerHits = []collapse.InnerHits{
				{Name: "all", Size: 1000, Fields: []string{"version"}},
				{Name: "some", Size: 2, From: rnd.IntN(2), Sort: order()},
				{Name: "none"},
			}
		},
		func() {
			o.Rule = []signature.Rule{
				{Lanes: 95, Mode: signature.SketchOnly},
				{Mode: signature.ExactOnly},
				{Lanes: 70},
				{Hamming: 8, Mode: signature.SimhashOnly},
				{Lanes: 80, Hamming: 6, Mode: signature.Both},
			}[rnd.IntN(5)]
		},
	}
	rnd.Shuffle(len(set), func(i, j int) { set[i], set[j] = set[j], set[i] })
	for _, one := range set[:2+rnd.IntN(2)] {
		one()
	}
	return o
}

// drawRequest draws a query and an order.
func drawRequest(rnd *rand.Rand) *bleve.SearchRequest {
	match := func(text string) query.Query {
		m := bleve.NewMatchQuery(text)
		m.SetField("body")
		return m
	}
	word := func() query.Query { return match(fmt.Sprint("w", rnd.IntN(500))) }
	var q query.Query
	switch rnd.IntN(3) {
	case 0:
		q = bleve.NewMatchAllQuery()
	case 1:
		q = match("common")
	default:
		b := bleve.NewBooleanQuery()
		b.AddMust(match("common"))
		b.AddShould(word(), word())
		b.AddMustNot(word())
		q = b
	}
	r := bleve.NewSearchRequest(q)
	if by := [][]string{nil, {"_id"}, {"-version", "_id"}, {"word"}, {"_score"}}[rnd.IntN(5)]; by != nil {
		r.SortBy(by)
	}
	return r
}

// Two or three options at once are what the oracle says, on indexes of all kinds: each page by From and by cursor,
// with all that it tells.
func TestTogether(t *testing.T) {
	t.Parallel()
	type place struct {
		name   string
		x      bleve.Index
		fields []string
	}
	var asked atomic.Int64
	var places []place
	for seed := range 3 {
		docs := fieldDocs(uint64(seed+30), 8+8*seed)
		parts := partsOf(t, 3, docs)
		all := layouts(parts, &asked)
		all["one"], all["few"] = newMappedIndex(t, withFields(newMapping("")), docs), parts[0]
		stored := bleve.NewIndexAlias(afar{parts[0]}, afar{parts[1]}, afar{parts[2]})
		all["stored"] = stored
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if alias, ok := all[name].(interface {
				SetIndexMapping(mapping.IndexMapping) error
			}); ok {
				if err := alias.SetIndexMapping(withFields(newMapping(""))); err != nil {
					t.Fatal(err)
				}
			}
			fields := slices.Sorted(maps.Keys(fieldKinds))
			if name == "stored" {
				fields = slices.DeleteFunc(fields, func(name string) bool { return name == "unstored" })
			}
			places = append(places, place{name, all[name], fields})
		}
	}
	most := cmp.Or(*searches, 200)
	refused := 0
	for n := range most {
		rnd := rand.New(rand.NewPCG(uint64(n), 28))
		p := places[rnd.IntN(len(places))]
		one := together{t: t, x: p.x, r: drawRequest(rnd), o: drawTogether(rnd, slices.Clone(p.fields))}
		_, err := collapse.Search(t.Context(), one.x, one.r, one.o)
		if errors.Is(err, collapse.ErrRequest) && (strings.Contains(err.Error(), "cannot be combined") ||
			strings.Contains(err.Error(), "local index")) ||
			one.o.Whole && slices.Contains([]string{"nodes", "mixed", "remote", "stored"}, p.name) {
			refused++
			continue
		}
		name := fmt.Sprintf("search %d: %s, sort %v, %s", n, p.name, one.r.Sort, asText(one.o))
		ok := t.Run(name, func(t *testing.T) {
			if err != nil {
				t.Fatal(err)
			}
			one.t = t
			one.know()
			size := 1 + rnd.IntN(12)
			one.pages(size, false)
			if !one.o.Whole {
				one.pages(size, true)
			}
		})
		if !ok && *searches == 0 {
			return
		}
	}
	if refused > most/2 {
		t.Errorf("%d of %d are refused: this test shows little", refused, most)
	}
	t.Logf("%d searches, %d refused", most, refused)
}

// know asks the oracle.
func (s *together) know() {
	s.all = rank(s.t, s.x, s.r)
	s.want, s.of, s.in = s.all.collapsed(s.o), map[string]rankedHit{}, map[string]group{}
	for _, hit := range s.all.hits {
		s.of[hit.ID] = hit
	}
	for _, g := range s.want.groups {
		for _, id := range g {
			s.in[id] = g
		}
	}
	if len(s.o.Head) > 0 {
		s.head = s.by(s.o.Head)
	}
}

// by compares hits by an order, and then by id.
func (s *together) by(order search.SortOrder) func(a, b rankedHit) int {
	name := strings.Trim(string(mustJSON(s.t, order[0])), `"`)
	return func(a, b rankedHit) int { return cmp.Or(orders[name](a, b), strings.Compare(a.ID, b.ID)) }
}

// pages compares all pages of a size.
func (s *together) pages(size int, byCursor bool) {
	t, o, page := s.t, s.o, *s.r
	t.Helper()
	page.Size = size
	page.AddFacet("projects", bleve.NewFacetRequest("project", 100))
	got := truth{lacking: map[string]int{}}
	listed := map[string]int{}
	at := 0
	for {
		res, err := collapse.Search(t.Context(), s.x, &page, o)
		if err != nil {
			t.Fatal(err)
		}
		s.shown(res, at, size)
		for i := range res.Groups {
			for _, id := range s.group(res, &res.Groups[i]) {
				listed[id]++
			}
		}
		for i := range res.Earlier {
			g := &res.Earlier[i]
			for n := range g.Members {
				m := &g.Members[n]
				if of := s.in[m.ID]; of == nil || of[0] != g.Head.ID || toldOf(m) != s.want.members[m.ID] {
					t.Fatalf("at %d: earlier %s: member %+v, want %+v of %q", at, g.Head.ID, toldOf(m), s.want.members[m.ID], of)
				}
				listed[m.ID]++
			}
		}
		s.facets(res)
		if !byCursor {
			got = truth{lacking: map[string]int{}}
		}
		got.add(res)
		if at += len(res.Hits); o.Whole && at == len(s.want.shown) || !o.Whole && res.Next == nil { // Whole has no cursor
			s.end(res, got)
			break
		}
		if len(res.Hits) == 0 {
			t.Fatalf("at %d: an empty page that is not the last", at)
		}
		if byCursor {
			o.Cursor = overTheWire(t, res.Next)
		} else {
			page.From += size
		}
	}
	if at != len(s.want.shown) {
		t.Fatalf("%d hits are shown, want %d", at, len(s.want.shown))
	}
	for id := range s.want.members {
		if n := listed[id]; n == 0 || n > 1 && !s.o.Whole {
			t.Fatalf("member %s is listed %d times, by cursor %v", id, n, byCursor)
		}
	}
}

// add adds the numbers of a page.
func (got *truth) add(res *collapse.Result) {
	got.hidden += res.Hidden
	got.unsigned += res.Unsigned
	for name, n := range res.Valueless {
		got.lacking[name] += n
	}
}

// shown compares the hits of a page. With Head, a group shows another hit than the one at whose rank it stands.
func (s *together) shown(res *collapse.Result, at, size int) {
	s.t.Helper()
	want := s.want.shown[min(at, len(s.want.shown)):]
	want = want[:min(size, len(want))]
	var ids []string
	stands := map[string]string{}
	for _, g := range res.Groups {
		if g.Stands != nil {
			stands[g.Head.ID] = g.Stands.ID
		}
	}
	for _, hit := range res.Hits {
		of := s.of[hit.ID]
		if ids = append(ids, cmp.Or(stands[hit.ID], hit.ID)); hit.Score != of.Score || hit.Index != of.Index {
			s.t.Fatalf("at %d: %s has score %v in %q, want %v in %q", at, hit.ID, hit.Score, hit.Index, of.Score, of.Index)
		}
	}
	if !slices.Equal(ids, want) {
		s.t.Fatalf("at %d: shows %q, want %q", at, ids, want)
	}
	total, groups := s.want.total, res.TotalGroups
	if s.o.Whole {
		total, groups = uint64(len(s.want.shown)), len(s.want.groups)
	}
	if res.Total != total || res.TotalGroups != groups {
		s.t.Fatalf("at %d: total %d, %d groups; want %d, %d", at, res.Total, res.TotalGroups, total, groups)
	}
}

// group compares a group of a page, and returns its members.
func (s *together) group(res *collapse.Result, g *collapse.Group) []string {
	t := s.t
	t.Helper()
	stand := g.Head.ID
	if g.Stands != nil {
		stand = g.Stands.ID
	}
	want, ids := s.in[stand], append(memberIDs(*g), g.Head.ID)
	if len(want) == 0 || want[0] != stand || len(ids) > len(want) {
		t.Fatalf("group of %s, stands %v, has %q; want %q", g.Head.ID, g.Stands, ids, want)
	}
	full := s.o.Whole || res.Complete || res.TotalGroupsRelation == bleve.TotalRelationEq
	if full && len(ids) < len(want) {
		t.Fatalf("group of %s has %q, want all of %q", g.Head.ID, ids, want)
	}
	want = want[:len(ids)] // those that were met: they come in rank order
	best := stand
	if s.head != nil {
		best = slices.MinFunc(want, func(a, b string) int { return s.head(s.of[a], s.of[b]) })
	}
	rest := slices.DeleteFunc(slices.Clone(want), func(id string) bool { return id == best })
	if g.Head.ID != best || !slices.Equal(memberIDs(*g), rest) {
		t.Fatalf("group of %s, stands for %s, has %q; want %s with %q", g.Head.ID, stand, memberIDs(*g), best, rest)
	}
	var hidden []rankedHit
	for i := range g.Members {
		m := &g.Members[i]
		told := s.want.members[m.ID]
		if best != stand {
			told = tellOf(s.o, s.of[best], s.of[m.ID])
			told.Key = m.Key
		}
		if toldOf(m) != told {
			t.Fatalf("of %s under %s it is told %+v, want %+v", m.ID, best, toldOf(m), told)
		}
		if !m.Visible {
			hidden = append(hidden, s.of[m.ID])
		}
	}
	for _, inner := range s.o.InnerHits {
		s.inner(res, g, inner, slices.Clone(hidden))
	}
	return append(rest, best)[:len(rest)+1]
}

// inner compares inner hits.
func (s *together) inner(res *collapse.Result, g *collapse.Group, o collapse.InnerHits, hidden []rankedHit) {
	s.t.Helper()
	got := g.InnerHits[o.Name]
	relation := res.TotalGroupsRelation
	if res.Complete {
		relation = bleve.TotalRelationEq
	}
	if got == nil || got.Total != len(hidden) || got.TotalRelation != relation {
		s.t.Fatalf("inner hits %s of %s are %+v, want %d %s", o.Name, g.Head.ID, got, len(hidden), relation)
	}
	if len(o.Sort) > 0 {
		slices.SortFunc(hidden, s.by(o.Sort))
	}
	hidden = hidden[min(o.From, len(hidden)):]
	hidden = hidden[:min(o.Size, len(hidden))]
	same := slices.EqualFunc(got.Hits, hidden, func(hit *search.DocumentMatch, want rankedHit) bool {
		return hit.ID == want.ID && hit.Score == want.Score && (o.Fields == nil || hit.Fields["version"] == versionOf(want))
	})
	if !same {
		s.t.Fatalf("inner hits %s of %s are %v, want %v", o.Name, g.Head.ID, got.Hits, hidden)
	}
}

// facets compares the facet of a page: of all matches, or in the whole form of the hits that are shown.
func (s *together) facets(res *collapse.Result) {
	s.t.Helper()
	want := map[string]int{}
	count := func(hit rankedHit) {
		if project, ok := hit.Fields["project"].(string); ok {
			want[project]++
		}
	}
	passes := filtered(s.t, s.x, s.o)
	for _, hit := range s.all.hits {
		if !s.o.Whole && passes(hit.DocumentMatch) {
			count(hit)
		}
	}
	for _, id := range s.want.shown {
		if !s.o.Whole {
			break
		}
		if s.head != nil {
			id = slices.MinFunc(s.in[id], func(a, b string) int { return s.head(s.of[a], s.of[b]) })
		}
		count(s.of[id])
	}
	got := map[string]int{}
	for _, term := range res.Facets["projects"].Terms.Terms() {
		got[term.Term] = term.Count
	}
	if !maps.Equal(got, want) {
		s.t.Fatalf("facets are %v, want %v", got, want)
	}
}

// end compares the numbers of the last page, which by From has walked what all did.
func (s *together) end(res *collapse.Result, got truth) {
	s.t.Helper()
	w := s.want
	if res.TotalGroups != len(w.groups) || res.TotalGroupsRelation != bleve.TotalRelationEq {
		s.t.Fatalf("%d groups %s, want %d eq", res.TotalGroups, res.TotalGroupsRelation, len(w.groups))
	}
	same := got.hidden == w.hidden && got.unsigned == w.unsigned
	if !same || !maps.Equal(got.lacking, w.lacking) {
		s.t.Fatalf("%d hidden, %d unsigned, without a value %v; want %d, %d, %v",
			got.hidden, got.unsigned, got.lacking, w.hidden, w.unsigned, w.lacking)
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
