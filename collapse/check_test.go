package collapse_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
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

var searches = flag.Int("searches", 0, "searches of TestSearch; 0 for 300")

// sketchField has the signature.
var sketchField = signature.Field(signature.DefaultField).Sketch()

// orders are orders of heads and of inner hits, with what they say of two hits.
var orders = map[string]func(a, b rankedHit) int{
	"-version": func(a, b rankedHit) int { return cmp.Compare(versionOf(b), versionOf(a)) },
	"version":  func(a, b rankedHit) int { return cmp.Compare(versionOf(a), versionOf(b)) },
	"_score":   func(a, b rankedHit) int { return cmp.Compare(a.Score, b.Score) },
	"-_score":  func(a, b rankedHit) int { return cmp.Compare(b.Score, a.Score) },
}

func versionOf(hit rankedHit) float64 { return hit.Fields["version"].(float64) }

// newest shows the newest hit of each group.
var newest = search.SortOrder{&search.SortField{Field: "version", Desc: true, Type: search.SortFieldAsNumber}}

// check is one search, and what the oracle says of it.
type check struct {
	t        *testing.T
	x        bleve.Index
	r        *bleve.SearchRequest
	o        collapse.Options
	head     func(a, b rankedHit) int // nil without Head
	all      ranked
	own      map[string]string    // what bleve tells of a hit, by id; nil if it was asked for nothing
	of       map[string]rankedHit // by id
	want     truth
	in       map[string]group // the group of a hit
	complete bool             // Complete must be possible
}

// compare compares pages of several sizes with the oracle: by From, by key, and in the page form by cursor.
func compare(t *testing.T, x bleve.Index, r *bleve.SearchRequest, o collapse.Options, sizes ...int) {
	t.Helper()
	checkOf(t, rank(t, x, r), r, o).compare(sizes...)
}

func checkOf(t *testing.T, all ranked, r *bleve.SearchRequest, o collapse.Options) *check {
	t.Helper()
	s := &check{t: t, x: all.index, r: r, o: o, all: all, want: all.collapsed(o), of: map[string]rankedHit{}, in: map[string]group{}}
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
	if r.Fields != nil || r.Highlight != nil || r.Explain || r.IncludeLocations {
		own := *r
		own.Size, own.From, s.own = 1<<20, 0, map[string]string{}
		res, err := s.x.Search(&own)
		if err != nil {
			t.Fatal(err)
		}
		for _, hit := range res.Hits {
			s.own[hit.ID] = s.tells(hit)
		}
	}
	return s
}

// tells is what a hit tells beside its key, and signatures, which nobody asked for. The search for the hit that Head
// shows is a part of the explanation.
func (s *check) tells(hit *search.DocumentMatch) string {
	s.t.Helper()
	own := *hit
	if s.head != nil && hit.Expl != nil {
		own.Expl = &search.Explanation{Value: hit.Expl.Value}
	}
	own.Sort, own.DecodedSort, own.Fields = nil, nil, maps.Clone(hit.Fields)
	maps.DeleteFunc(own.Fields, func(name string, _ any) bool { return strings.HasPrefix(name, "~") })
	return string(mustJSON(s.t, &own))
}

func (s *check) compare(sizes ...int) {
	s.t.Helper()
	for _, size := range sizes {
		if !s.o.Whole { // which has no cursor
			s.pages(size, true)
		}
		if s.o.Budget == 0 { // else From cannot go beyond it
			s.pages(size, false)
			s.keys(size)
		}
	}
}

// by compares hits by an order, and then by id.
func (s *check) by(order search.SortOrder) func(a, b rankedHit) int {
	by := search.SortOrder{order[0]}
	compare := orders[strings.Trim(string(mustJSON(s.t, by[0])), `"`)]
	if compare == nil {
		s.t.Fatalf("no order %s", mustJSON(s.t, by))
	}
	return func(a, b rankedHit) int { return cmp.Or(compare(a, b), strings.Compare(a.ID, b.ID)) }
}

// pages compares all pages of a size.
func (s *check) pages(size int, byCursor bool) {
	t, o, page := s.t, s.o, *s.r
	t.Helper()
	page.Size = size
	page.AddFacet("projects", bleve.NewFacetRequest("project", 100))
	got := truth{lacking: map[string]int{}}
	listed := map[string]int{}
	at, groups := 0, 0
	for {
		asked := mustJSON(t, &page)
		res, err := collapse.Search(t.Context(), s.x, &page, o)
		if err != nil {
			t.Fatal(err)
		}
		if after := mustJSON(t, &page); string(after) != string(asked) {
			t.Fatalf("the request was %s, is %s", asked, after)
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
		status := &bleve.SearchStatus{Errors: make(bleve.IndexErrMap)} // bleve reads errors into no nil map
		read := &collapse.Result{SearchResult: &bleve.SearchResult{Status: status}}
		if err := json.Unmarshal(mustJSON(t, res), read); err != nil {
			t.Fatal(err)
		}
		checkAll(t, fmt.Sprint("at ", at), res)
		checkAll(t, fmt.Sprint("of JSON, at ", at), read)
		s.facets(res)
		if !byCursor || o.Whole { // each page has walked what those before it did
			got = truth{lacking: map[string]int{}}
		}
		got.add(res)
		groups += len(res.Groups)
		at += len(res.Hits)
		if o.Whole {
			s.end(res, got)
		}
		if o.Whole && at == len(s.want.shown) || !o.Whole && res.Next == nil {
			s.end(res, got)
			break
		}
		if len(res.Hits) == 0 && o.Budget == 0 {
			t.Fatalf("at %d: an empty page that is not the last", at)
		}
		if !o.Whole {
			s.next(res, got, groups, len(listed))
		}
		switch {
		case !byCursor:
			page.From += size
		default:
			o.Cursor = overTheWire(t, res.Next)
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

// keys compares what comes after the keys of some hits, and what comes before them.
func (s *check) keys(size int) {
	t, all := s.t, *s.r
	t.Helper()
	if len(s.o.Head) > 0 || !hasKeys(all.Sort) || all.Score != "" || len(s.want.shown) == 0 {
		return
	}
	if all.Sort = all.Sort.Copy(); !all.Sort.RequiresDocID() {
		all.Sort = append(all.Sort, &search.SortDocID{})
	}
	ask := func(r bleve.SearchRequest) (ids []string, hits search.DocumentMatchCollection) {
		res, err := collapse.Search(t.Context(), s.x, &r, s.o)
		if err != nil {
			t.Fatal(err)
		}
		for _, hit := range res.Hits {
			ids = append(ids, hit.ID)
		}
		return ids, res.Hits
	}
	all.Size = 1000
	want, hits := ask(all)
	for _, at := range []int{0, min(size, len(hits)-1), len(hits) - 1} {
		page := all
		page.Size, page.SearchAfter = size, key(hits[at])
		if got, _ := ask(page); !slices.Equal(got, want[at+1:min(at+1+size, len(want))]) {
			t.Fatalf("after %q: shows %q, want those after %s in %q", page.SearchAfter, got, want[at], want)
		}
		page.SearchAfter, page.SearchBefore = nil, page.SearchAfter
		if got, _ := ask(page); !slices.Equal(got, want[max(0, at-size):at]) {
			t.Fatalf("before %q: shows %q, want those before %s in %q", page.SearchBefore, got, want[at], want)
		}
	}
}

// hasKeys reports whether bleve reads back the keys of hits in this order: not those of documents that lack a place, a number or a date.
func hasKeys(order search.SortOrder) bool {
	return !slices.ContainsFunc(order, func(by search.SearchSort) bool {
		f, field := by.(*search.SortField)
		_, place := by.(*search.SortGeoDistance)
		return place || field && f.Type != search.SortFieldAuto
	})
}

// add adds the numbers of a page.
func (got *truth) add(res *collapse.Result) {
	got.hidden += res.Hidden
	got.unsigned += res.Unsigned
	got.foreign += res.Foreign
	for _, d := range res.Damaged {
		got.damaged = append(got.damaged, d.ID)
	}
	for name, n := range res.Valueless {
		got.lacking[name] += n
	}
}

// next compares a page that is not the last, and its cursor, with what was told so far.
func (s *check) next(res *collapse.Result, got truth, groups, taken int) {
	s.t.Helper()
	if res.TotalGroupsRelation != bleve.TotalRelationGte || res.TotalGroups != groups {
		s.t.Fatalf("%d groups (%s) before the last page, want %d (gte)", res.TotalGroups, res.TotalGroupsRelation, groups)
	}
	if looked := res.Hidden + len(res.Hits); s.o.Budget > 0 && looked > s.o.Budget {
		s.t.Fatalf("%d hits were looked at, with a budget of %d", looked, s.o.Budget)
	}
	if s.o.Missing == collapse.DropMissing {
		if s.o.By == nil || s.o.By.Or {
			taken += got.unsigned
		} else {
			taken += got.lacking[s.o.By.Field]
		}
	}
	if !s.o.Complete && res.Next.Taken != taken { // else members are listed before they are met
		s.t.Fatalf("the cursor has %d hits, want %d", res.Next.Taken, taken)
	}
	checkSize(s.t, res.Next)
}

// shown compares the hits of a page. With Head, a group shows another hit than the one at whose rank it stands.
func (s *check) shown(res *collapse.Result, at, size int) {
	s.t.Helper()
	want := s.want.shown[min(at, len(s.want.shown)):]
	if want = want[:min(size, len(want))]; s.o.Budget > 0 {
		want = want[:min(len(res.Hits), len(want))]
	}
	var ids []string
	stands := map[string]string{}
	for i, g := range res.Groups {
		if g.Stands != nil {
			stands[g.Head.ID] = g.Stands.ID
		}
		if s.o.Visible == 0 && res.Hits[i].ID != g.Head.ID {
			s.t.Fatalf("at %d: hit %s, and the group of %s", at, res.Hits[i].ID, g.Head.ID)
		}
	}
	named := slices.Contains(s.r.Fields, sketchField)
	for _, hit := range res.Hits {
		of := s.of[hit.ID]
		if ids = append(ids, cmp.Or(stands[hit.ID], hit.ID)); hit.Score != of.Score || hit.Index != of.Index {
			s.t.Fatalf("at %d: %s has score %v in %q, want %v in %q", at, hit.ID, hit.Score, hit.Index, of.Score, of.Index)
		}
		for name, value := range hit.Fields {
			text, _ := value.(string)
			if strings.HasPrefix(name, "~") && (name != sketchField || !named || text == "") {
				s.t.Fatalf("at %d: %s has %s: %v", at, hit.ID, name, value)
			}
		}
		if named && of.signed && hit.Fields[sketchField] == nil {
			s.t.Fatalf("at %d: %s has no signature", at, hit.ID)
		}
		if s.own != nil && s.tells(hit) != s.own[hit.ID] {
			s.t.Fatalf("at %d: of %s it is told\n%s\nand by bleve\n%s", at, hit.ID, s.tells(hit), s.own[hit.ID])
		}
	}
	if !slices.Equal(ids, want) {
		s.t.Fatalf("at %d: shows %q, want %q", at, ids, want)
	}
	total, groups, most := s.want.total, res.TotalGroups, s.all.max
	if s.o.Whole {
		total, groups, most = uint64(len(s.want.shown)), len(s.want.groups), 0
		for _, id := range s.want.shown {
			most = max(most, s.of[id].Score)
		}
	}
	if res.Total != total || res.TotalRelation != bleve.TotalRelationEq || res.TotalGroups != groups {
		s.t.Fatalf("at %d: total %d (%q), %d groups; want %d, %d", at, res.Total, res.TotalRelation, res.TotalGroups, total, groups)
	}
	if res.MaxScore != most {
		s.t.Fatalf("at %d: maximal score %v, want %v", at, res.MaxScore, most)
	}
	if s.complete && !res.Complete {
		s.t.Fatalf("at %d: not complete", at)
	}
}

// group compares a group of a page, and returns its members.
func (s *check) group(res *collapse.Result, g *collapse.Group) []string {
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
			if m.Hit.Fields != nil || m.Hit.Fragments != nil {
				t.Fatalf("member %s has what was loaded with it: %v, %v", m.ID, m.Hit.Fields, m.Hit.Fragments)
			}
		}
	}
	for _, inner := range s.o.InnerHits {
		s.inner(res, g, inner, slices.Clone(hidden))
	}
	return append(rest, best)[:len(rest)+1]
}

// inner compares inner hits.
func (s *check) inner(res *collapse.Result, g *collapse.Group, o collapse.InnerHits, hidden []rankedHit) {
	s.t.Helper()
	got := g.InnerHits[o.Name]
	if got == nil || got.Total != len(hidden) {
		s.t.Fatalf("inner hits %s of %s are %+v, want %d", o.Name, g.Head.ID, got, len(hidden))
	}
	if len(o.Sort) > 0 {
		slices.SortFunc(hidden, s.by(o.Sort))
	}
	hidden = hidden[min(o.From, len(hidden)):]
	hidden = hidden[:min(o.Size, len(hidden))]
	same := slices.EqualFunc(got.Hits, hidden, func(hit *search.DocumentMatch, want rankedHit) bool {
		if named := slices.Contains(o.Fields, sketchField); named && want.signed && readable(hit.Fields[sketchField]) == nil {
			return false
		}
		for name := range hit.Fields {
			if strings.HasPrefix(name, "~") && !slices.Contains(o.Fields, name) {
				return false
			}
		}
		return hit.ID == want.ID && hit.Score == want.Score && (o.Fields == nil || hit.Fields["version"] == versionOf(want))
	})
	if !same {
		s.t.Fatalf("inner hits %s of %s are %v, want %v", o.Name, g.Head.ID, got.Hits, hidden)
	}
}

// facets compares the facet of a page: of all matches, or in the whole form of the hits that are shown.
func (s *check) facets(res *collapse.Result) {
	s.t.Helper()
	want, total, missing := map[string]int{}, 0, 0
	count := func(hit rankedHit) {
		if project, ok := hit.Fields["project"].(string); ok {
			want[project]++
			total++
		} else {
			missing++
		}
	}
	for _, hit := range s.all.hits {
		if !s.o.Whole {
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
	if f := res.Facets["projects"]; !maps.Equal(got, want) || f.Field != "project" || f.Total != total || f.Missing != missing || f.Other != 0 {
		s.t.Fatalf("facets are %+v, %v, want %d, %d missing, %v", f, got, total, missing, want)
	}
}

// end compares the numbers of the last page, which by From has walked what all did.
func (s *check) end(res *collapse.Result, got truth) {
	s.t.Helper()
	w := s.want
	if res.TotalGroups != len(w.groups) || res.TotalGroupsRelation != bleve.TotalRelationEq {
		s.t.Fatalf("%d groups %s, want %d eq", res.TotalGroups, res.TotalGroupsRelation, len(w.groups))
	}
	if got.hidden != w.hidden || got.unsigned != w.unsigned || got.foreign != w.foreign || !maps.Equal(got.lacking, w.lacking) || !slices.Equal(got.damaged, w.damaged) {
		s.t.Fatalf("%d hidden, %d unsigned, %d foreign, without a value %v, damaged %q; want %d, %d, %d, %v, %q",
			got.hidden, got.unsigned, got.foreign, got.lacking, got.damaged, w.hidden, w.unsigned, w.foreign, w.lacking, w.damaged)
	}
}

// query compares the options as a Query, whose Head is the order in which matches become heads.
func (s *check) query() {
	t, o := s.t, s.o
	t.Helper()
	ranked := bleve.NewSearchRequest(s.r.Query)
	if len(o.Head) > 0 {
		ranked.Sort = o.Head.Copy()
	}
	all := rank(t, s.x, ranked)
	want := slices.Sorted(slices.Values(all.collapsed(o).shown))
	scored := slices.ContainsFunc(all.hits, func(hit rankedHit) bool { return hit.Score != all.hits[0].Score })
	o.Whole = false
	inner := collapse.NewQuery(s.r.Query, o)
	inFilter := bleve.NewBooleanQuery()
	inFilter.AddMust(bleve.NewMatchAllQuery())
	inFilter.AddFilter(inner)
	for _, q := range []query.Query{inner, inFilter} {
		if q == inFilter && (len(o.Head) == 0 || strings.Contains(string(mustJSON(t, o.Head)), "_score")) && scored {
			continue // there are no scores in a filter
		}
		r := bleve.NewSearchRequestOptions(q, 1000, 0, false)
		r.SortBy([]string{"_id"})
		res, err := s.x.Search(r)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, hit := range res.Hits {
			if got = append(got, hit.ID); q == inner && hit.Score != s.of[hit.ID].Score && s.r.Score == "" {
				t.Fatalf("query: score of %s is %v, want %v", hit.ID, hit.Score, s.of[hit.ID].Score)
			}
		}
		if !slices.Equal(got, want) || res.Total != uint64(len(want)) {
			t.Fatalf("query: %d of %d\n%q\nwant %d\n%q", len(got), res.Total, got, len(want), want)
		}
	}
}

// drawOptions draws two to four options.
func drawOptions(rnd *rand.Rand, fields []string) (o collapse.Options) {
	rnd.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	order := func() search.SortOrder {
		names := slices.Sorted(maps.Keys(orders))
		return search.ParseSortOrderStrings([]string{names[rnd.IntN(len(names))]})
	}
	set := []func(){
		func() { o.Within = fields[:1+rnd.IntN(2)] },
		func() {
			if o.By = (&collapse.By{Field: fields[2], Or: rnd.IntN(2) == 0}); o.By.Or {
				o.By.Most = rnd.IntN(4)
			}
		},
		func() { o.Head = order() },
		func() {
			o.Verify = []signature.Verify{{Resemblance: .8}, {Resemblance: .97}, {Contained: true}}[rnd.IntN(3)]
		},
		func() { o.Whole = true },
		func() { o.Whole = true },
		func() { o.Complete = true },
		func() { o.Visible = []int{2, 3, -1}[rnd.IntN(3)] },
		func() { o.Missing = collapse.DropMissing },
		func() {
			o.InnerHits = []collapse.InnerHits{
				{Name: "all", Size: 1000, Fields: [][]string{{"version"}, {"*"}, {"version", sketchField}}[rnd.IntN(3)]},
				{Name: "some", Size: 2, From: rnd.IntN(2), Sort: order()},
				{Name: "most", Size: math.MaxInt, From: 1},
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
	for _, one := range set[:2+rnd.IntN(3)] {
		one()
	}
	return o
}

// sorts are orders of hits, in JSON: of documents of which some lack the value that is sorted by.
var sorts = []string{
	"", "", `"_id"`, `"-_id"`, `"version"`, `"-version","_id"`, `"-version","-_score"`, `"word"`, `"word","-_score"`, `"_score"`, `"project","-_id"`, `"missing","-_score"`,
	`{"by":"field","field":"version","type":"number","desc":true}`, `{"by":"field","field":"missing","type":"number"}`,
	`{"by":"geo_distance","field":"place","unit":"km","location":{"lon":1,"lat":1}}`,
	`{"by":"geo_distance","field":"place","unit":"km","location":{"lon":1,"lat":1},"desc":true},"-version"`,
	`{"by":"field","field":"number","type":"number"}`, `{"by":"field","field":"number","type":"number","missing":"first"},"-version"`,
	`{"by":"field","field":"number"}`, `{"by":"field","field":"day","type":"date","desc":true}`, `{"by":"field","field":"day","type":"date","missing":"first"}`,
	`{"by":"field","field":"word","type":"string","desc":true}`,
}

// drawRequest draws a query, an order, and what bleve is asked to tell of hits.
func drawRequest(t *testing.T, rnd *rand.Rand) *bleve.SearchRequest {
	match := func(text string) query.Query {
		m := bleve.NewMatchQuery(text)
		m.SetField("body")
		return m
	}
	word := func() query.Query { return match(fmt.Sprint("w", rnd.IntN(500))) }
	var q query.Query
	switch rnd.IntN(4) {
	case 0:
		q = bleve.NewMatchAllQuery()
	case 1:
		q = match("common")
	case 2:
		q = match(fmt.Sprintf("common w%d w%d w%d", rnd.IntN(500), rnd.IntN(500), rnd.IntN(500)))
	default:
		b := bleve.NewBooleanQuery()
		b.AddMust(match("common"))
		b.AddShould(word(), word())
		b.AddMustNot(word())
		q = b
	}
	if rnd.IntN(4) == 0 {
		filter := bleve.NewTermQuery(fmt.Sprint("p", rnd.IntN(3)))
		filter.SetField("project")
		b := bleve.NewBooleanQuery()
		b.AddMust(q)
		b.AddFilter(filter)
		q = b
	}
	r := bleve.NewSearchRequest(q)
	if by := sorts[rnd.IntN(len(sorts))]; by != "" {
		r.Sort = order(t, "["+by+"]")
	} else if rnd.IntN(8) == 0 {
		r.Score = "none"
	}
	switch rnd.IntN(8) {
	case 0:
		r.Fields = []string{"*"}
	case 1:
		r.Fields, r.Highlight = []string{"project"}, bleve.NewHighlight()
	case 2:
		r.Explain = true
	case 3:
		r.IncludeLocations = true
	case 4: // bleve loads twice what is named beside "*"
		r.Fields = []string{"*", sketchField}
	}
	return r
}

// What a search shows and tells is what the oracle says, whatever two to four options it has, on indexes of all kinds:
// each page, by From, by cursor and by key, in the page form, in the whole form and as a Query.
func TestSearch(t *testing.T) {
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
		all["one"], all["few"] = piecemeal(t, docs), parts[0]
		all["nested"] = bleve.NewIndexAlias(bleve.NewIndexAlias(bleve.NewIndexAlias(parts[1:]...)), parts[0])
		all["stored"] = bleve.NewIndexAlias(afar{parts[0]}, afar{parts[1]}, afar{parts[2]})
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
	most := cmp.Or(*searches, 300)
	refused := 0
	for n := range most {
		rnd := rand.New(rand.NewPCG(uint64(n), 28))
		p := places[rnd.IntN(len(places))]
		r, o := drawRequest(t, rnd), drawOptions(rnd, slices.Clone(p.fields))
		if back := new(collapse.Options); json.Unmarshal([]byte(asText(o)), back) == nil { // a function has no JSON
			o = *back
		}
		if o.Complete || len(o.Head) > 0 || o.InnerHits != nil {
			r.Score = "" // what is looked up by id has one
		}
		local := !slices.Contains([]string{"nodes", "mixed", "remote", "stored"}, p.name)
		_, err := collapse.Search(t.Context(), p.x, r, o)
		if errors.Is(err, collapse.ErrRequest) && (strings.Contains(err.Error(), "cannot be combined") ||
			strings.Contains(err.Error(), "local index")) || o.Whole && !local {
			refused++
			continue
		}
		ok := t.Run(fmt.Sprintf("search %d: %s, sort %s, %s", n, p.name, mustJSON(t, r.Sort), asText(o)), func(t *testing.T) {
			if err != nil {
				t.Fatal(err)
			}
			s := checkOf(t, rank(t, p.x, r), r, o)
			s.complete = o.Complete && local && (o.By == nil || o.By.Most < 2)
			s.compare(1 + rnd.IntN(12))
			if _, alias := p.x.(bleve.IndexAlias); !alias && !o.Complete && o.InnerHits == nil {
				s.query()
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

// piecemeal makes an index of docs in small batches, with changes and deletions between them.
func piecemeal(t *testing.T, docs map[string]page) bleve.Index {
	t.Helper()
	x := newMappedIndex(t, withFields(newMapping("")), nil)
	ids := slices.Sorted(maps.Keys(docs))
	for i, id := range ids {
		load(t, x, map[string]page{id: docs[ids[0]], "gone": docs[id]})
		load(t, x, map[string]page{id: docs[id]})
		if i%7 == 0 {
			load(t, x, map[string]page{ids[i/2]: docs[ids[i/2]]})
		}
	}
	if err := x.Delete("gone"); err != nil {
		t.Fatal(err)
	}
	return x
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
