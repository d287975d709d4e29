package serve_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/numeric"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/collapse/serve"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// The parsers are in bleve's place for them before any test: tests in parallel read it.
func init() { query.CustomFilterQueryParser = serve.Parser(near.Parser(nil)) }

// rep joins n parts with commas.
func rep(n int, part func(i int) string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = part(i)
	}
	return strings.Join(all, ",")
}

// same repeats a part.
func same(part string) func(int) string { return func(int) string { return part } }

// Each limit lets pass what is within it and names itself where it is passed, and by how
// much, wherever in the request that is.
func TestLimits(t *testing.T) {
	t.Parallel()
	x := newIndex(t, map[string]page{"a": {Body: sentence, Project: "p"}, "b": {Body: "another quick fox"}})
	asked := func(q string) string { return `{"query":` + q + `,"size":2,"collapse":{}}` }
	with := func(rest string) string { return `{"query":{"match_all":{}},"size":2,` + rest + `}` }
	const match = `{"term":"fox","field":"body"}`
	for _, tt := range []struct {
		name  string
		set   serve.Limits
		limit string
		most  int
		body  func(n int) string
	}{
		{"hits", serve.Limits{Hits: 5}, "hits", 5, func(n int) string { return with(fmt.Sprintf(`"size":2,"from":%d`, n-2)) }},
		{"within and by", serve.Limits{Fields: 50}, "fields", 5, func(n int) string {
			return with(`"collapse":{"by":{"field":"project"},"within":[` + rep(n-1, func(i int) string { return fmt.Sprintf(`"f%d"`, i) }) + `]}`)
		}},
		{"inner hits", serve.Limits{Hits: 5}, "hits", 5, func(n int) string {
			return with(fmt.Sprintf(`"collapse":{"inner_hits":[{"name":"a","size":1,"from":%d}]}`, n-1))
		}},
		{"explained members", serve.Limits{Hits: 5}, "hits", 5, func(n int) string {
			return with(fmt.Sprintf(`"collapse":{"explain":{"members":%d}}`, n))
		}},
		{"shingles", serve.Limits{Hits: 5}, "hits", 5, func(n int) string {
			return with(fmt.Sprintf(`"collapse":{"explain":{"shingles":%d}}`, n))
		}},
		{"budget", serve.Limits{Budget: 7}, "budget", 7, func(n int) string { return with(fmt.Sprintf(`"collapse":{"budget":%d}`, n)) }},
		{"a query's budget", serve.Limits{Budget: 7}, "budget", 7, func(n int) string {
			return asked(fmt.Sprintf(`{"must":{"conjuncts":[{"custom_filter":{"collapse":{"budget":%d},"query":%s}}]}}`, n, match))
		}},
		{"the window of fusion", serve.Limits{Budget: 7}, "budget", 7, func(n int) string {
			return with(fmt.Sprintf(`"score":"rrf","params":{"score_window_size":%d,"score_rank_constant":60},"collapse":{}`, n))
		}},
		{"taken", serve.Limits{Budget: 9}, "budget", 9, func(n int) string {
			return with(fmt.Sprintf(`"collapse":{"cursor":{"taken":%d}}`, n))
		}},
		{"the default of taken", serve.Limits{}, "budget", 10_000, func(n int) string {
			return with(fmt.Sprintf(`"collapse":{"cursor":{"taken":%d}}`, n))
		}},
		{"loads of inner hits", serve.Limits{Loads: 24}, "loads", 24, func(n int) string { // 2 groups, 3 fields
			return with(fmt.Sprintf(`"collapse":{"inner_hits":[{"name":"a","size":%d,"fields":["body","version"],"highlight":{"fields":["body"]}}]}`, (n+5)/6))
		}},
		{"loads of explanations", serve.Limits{Loads: 10}, "loads", 10, func(n int) string { // 2 groups
			return with(fmt.Sprintf(`"collapse":{"explain":{"members":%d}}`, (n+1)/2-1))
		}},
		{"texts", serve.Limits{Loads: 8}, "loads", 8, func(n int) string {
			return with(fmt.Sprintf(`"collapse":{"budget":%d,"verify":{"resemblance":0.8}}`, n))
		}},
		{"texts of the whole form", serve.Limits{Loads: 8}, "loads", 8, func(n int) string {
			return with(fmt.Sprintf(`"collapse":{"whole":true,"budget":%d,"verify":{"resemblance":0.8}}`, n))
		}},
		{"a query's texts", serve.Limits{Loads: 8}, "loads", 8, func(n int) string {
			return asked(fmt.Sprintf(`{"custom_filter":{"collapse":{"budget":%d,"verify":{"resemblance":0.8}},"query":%s}}`, n, match))
		}},
		{"fields", serve.Limits{Fields: 4}, "fields", 4, func(n int) string { return with(`"fields":[` + rep(n, same(`"body"`)) + `]`) }},
		{"highlights", serve.Limits{Fields: 40}, "fields", 4, func(n int) string {
			return with(`"highlight":{"fields":[` + rep(n, same(`"body"`)) + `]}`)
		}},
		{"inner highlights", serve.Limits{Fields: 40}, "fields", 4, func(n int) string {
			return with(`"collapse":{"inner_hits":[{"name":"a","highlight":{"fields":[` + rep(n, same(`"body"`)) + `]}}]}`)
		}},
		{"sort", serve.Limits{Fields: 30}, "fields", 3, func(n int) string { return with(`"sort":[` + rep(n, same(`"version"`)) + `]`) }},
		{"inner sort", serve.Limits{Fields: 30}, "fields", 3, func(n int) string {
			return with(`"collapse":{"inner_hits":[{"name":"a","sort":[` + rep(n, same(`"version"`)) + `]}]}`)
		}},
		{"head", serve.Limits{Fields: 30}, "fields", 3, func(n int) string {
			return asked(`{"conjuncts":[{"custom_filter":{"collapse":{"head":[` + rep(n, same(`"version"`)) + `]},"query":` + match + `}}]}`)
		}},
		{"facets", serve.Limits{Values: 30_000}, "values", 3, func(n int) string {
			return with(`"facets":{` + rep(n, func(i int) string { return fmt.Sprintf(`"f%d":{"size":1,"field":"project"}`, i) }) + `}`)
		}},
		{"ranges of a facet", serve.Limits{Values: 10_000}, "values", 1000, func(n int) string {
			return with(`"facets":{"f":{"size":1,"field":"version","numeric_ranges":[` + rep(n, func(i int) string { return fmt.Sprintf(`{"name":"%d","min":%d}`, i, i) }) + `]}}`)
		}},
		{"clauses", serve.Limits{Clauses: 9}, "clauses", 9, func(n int) string {
			return asked(`{"should":{"disjuncts":[{"must":{"conjuncts":[` + rep(n-4, same(match)) + `]}}]}}`)
		}},
		{"clauses in filters", serve.Limits{Clauses: 300}, "clauses", 300, func(n int) string { // the filter has three objects
			return asked(`{"custom_filter":{"collapse":{},"query":{"disjuncts":[` + rep(n-4, same(match)) + `]}}}`)
		}},
		{"words of a phrase", serve.Limits{Clauses: 9}, "clauses", 9, func(n int) string {
			return asked(`{"field":"body","terms":[` + rep(n-1, same(`"fox"`)) + `]}`)
		}},
		{"ids", serve.Limits{Clauses: 4}, "clauses", 4, func(n int) string { return asked(`{"conjuncts":[{"ids":[` + rep(10*n-9, same(`"a"`)) + `]}]}`) }},
		{"filters", serve.Limits{Clauses: 800}, "clauses", 1, func(n int) string {
			return asked(strings.Repeat(`{"custom_filter":{"collapse":{},"query":`, n+2) + match + strings.Repeat(`}}`, n+2))
		}},
		{"filters side by side", serve.Limits{Clauses: 800}, "clauses", 1, func(n int) string {
			return asked(`{"disjuncts":[` + rep(n+2, same(`{"custom_filter":{"neardup":{"text":"a quick fox"}}}`)) + `]}`)
		}},
		{"query string", serve.Limits{Clauses: 3}, "clauses", 3, func(n int) string {
			return asked(`{"query":"` + strings.Repeat("a", 10*n-9) + `"}`)
		}},
		{"query strings", serve.Limits{Clauses: 7}, "clauses", 7, func(n int) string {
			return asked(`{"conjuncts":[{"query":"` + strings.Repeat("a", 30) + `"},{"query":"` + strings.Repeat("a", 10*n-39) + `"}]}`)
		}},
		{"text of a match", serve.Limits{Clauses: 3}, "clauses", 3, func(n int) string {
			return asked(`{"match":"` + strings.Repeat("a", 100*n-99-len("body")) + `","field":"body"}`)
		}},
		{"text of a match in a filter", serve.Limits{Clauses: 300}, "clauses", 300, func(n int) string {
			return asked(`{"custom_filter":{"collapse":{},"query":{"match":"` + strings.Repeat("a", 100*n-99-len("body")) + `","field":"body"}}}`)
		}},
		{"a long fuzzy term", serve.Limits{Terms: 101}, "terms", 75, func(n int) string {
			return asked(`{"term":"` + strings.Repeat("a", n) + `","fuzziness":2,"field":"body"}`)
		}},
		{"a facet's pattern", serve.Limits{Terms: 5}, "terms", 48, func(n int) string {
			return with(`"facets":{"f":{"size":2147483647,"field":"project","term_pattern":"` + strings.Repeat("p", n) + `"}}`)
		}},
		{"depth", serve.Limits{Depth: 10}, "depth", 10, func(n int) string {
			return asked(strings.Repeat(`{"filter":`, n-2) + match + strings.Repeat(`}`, n-2))
		}},
		{"patterns", serve.Limits{Terms: 200}, "terms", 4, func(n int) string {
			return asked(`{"disjuncts":[` + rep(n, func(i int) string {
				return []string{`{"wildcard":"z*","field":"body"}`, `{"prefix":"z","field":"body"}`, `{"regexp":"z+","field":"body"}`, `{"term":"zzzz","fuzziness":1,"field":"body"}`, `{"min":1,"max":2,"field":"none"}`}[i%5]
			}) + `]}`)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := unhurried(x, tt.set)
			if code, answer := ask(h, "POST", tt.body(tt.most)); code != 200 {
				t.Errorf("within: got %d %.300s, want 200: %.300s", code, answer, tt.body(tt.most))
			}
			unlimited, bound := tt.set, tt.most
			f := reflect.ValueOf(&unlimited).Elem()
			for i := range f.NumField() {
				if name, _, _ := strings.Cut(f.Type().Field(i).Tag.Get("json"), ","); name == tt.limit {
					bound = cmp.Or(int(f.Field(i).Int()), bound)
					f.Field(i).SetInt(-1)
				}
			}
			want := regexp.MustCompile(fmt.Sprintf(`limit %s: wanted at most %d, got (\d+).*too many`, tt.limit, bound))
			code, answer := ask(h, "POST", tt.body(tt.most+1))
			if code != 400 || !want.MatchString(answer) {
				t.Errorf("beyond: got %d %.300s, want 400 with %s", code, answer, want)
			}
			if code, answer := ask(unhurried(x, unlimited), "POST", tt.body(tt.most+1)); code != 200 {
				t.Errorf("no limit: got %d %.300s, want 200", code, answer)
			}
		})
	}
}

// How often neighbours are asked for is counted before bleve reads it, which it does with the
// build tag vectors alone.
func TestNeighbours(t *testing.T) {
	t.Parallel()
	h := unhurried(newIndex(t, map[string]page{"a": {Body: sentence}}), serve.Limits{})
	body := func(k ...int) string {
		return `{"query":{"match_none":{}},"knn":[` + rep(len(k), func(i int) string { return fmt.Sprintf(`{"field":"v","vector":[1,2,3],"k":%d}`, k[i]) }) + `]}`
	}
	if _, answer := ask(h, "POST", body(500, 500)); strings.Contains(answer, "limit") {
		t.Errorf("within: %s", answer)
	}
	if code, answer := ask(h, "POST", body(500, 501)); code != 400 || !strings.Contains(answer, "limit hits: wanted at most 1000, got 1001, 1 too many") {
		t.Errorf("beyond: %d %s", code, answer)
	}
}

// words is an index of documents of many words, numbers and dates, and the terms of its
// fields.
func words(t *testing.T) (x bleve.Index, terms map[string][]string) {
	docs := map[string]page{}
	r := rand.New(rand.NewPCG(4, 4))
	for i := range 300 {
		var body strings.Builder
		for range 10 {
			fmt.Fprintf(&body, "%c%c%d ", 'a'+rune(r.IntN(4)), 'a'+rune(r.IntN(4)), r.IntN(30))
		}
		docs[fmt.Sprint(i)] = page{Body: body.String(), Version: float64(r.IntN(2000)) / 8}
	}
	x = newIndex(t, docs)
	terms = map[string][]string{}
	for _, field := range []string{"body", "version"} {
		d, err := x.FieldDict(field)
		if err != nil {
			t.Fatal(err)
		}
		for {
			e, err := d.Next()
			if err != nil {
				t.Fatal(err)
			}
			if e == nil {
				break
			}
			terms[field] = append(terms[field], e.Term)
		}
		d.Close()
	}
	return x, terms
}

// The number of terms that a query is priced at is that of those in the index which it
// stands for, found here by looking at each.
func TestTerms(t *testing.T) {
	t.Parallel()
	x, terms := words(t)
	count := func(field string, is func(term string) bool) (n int) {
		for _, term := range terms[field] {
			if is(term) {
				n++
			}
		}
		return n
	}
	like := func(re string) int {
		return count("body", regexp.MustCompile("^(?:"+re+")$").MatchString)
	}
	alike := func(word string, most int) int {
		return count("body", func(term string) bool { return distance(word, term) <= most })
	}
	fox := terms["body"][7]
	q := func(s string) query.Query {
		parsed, err := query.ParseQuery([]byte(s))
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	a, ab := q(`{"prefix":"a","field":"body"}`), q(`{"prefix":"ab","field":"body"}`)
	for name, tt := range map[string]struct {
		query query.Query
		want  int
	}{
		"prefix":      {ab, like("ab.*")},
		"wildcard":    {q(`{"wildcard":"?b*1","field":"body"}`), like(".b.*1")},
		"regexp":      {q(`{"regexp":"(a|c)[a-d]1[0-9]?","field":"body"}`), like("(a|c)[a-d]1[0-9]?")},
		"fuzzy":       {q(`{"term":"ab1","fuzziness":1,"field":"body"}`), alike("ab1", 1)},
		"fuzzy match": {q(`{"match":"ab1 dd22","fuzziness":2,"field":"body"}`), alike("ab1", 2) + alike("dd22", 2)},
		"words":       {q(`{"match":"ab1 zz zz ab1 cd","field":"body"}`), 5},
		"phrase":      {q(`{"match_phrase":"ab1 zz cd","field":"body"}`), 3},
		"terms":       {q(`{"terms":["ab1","zz"],"field":"body"}`), 2},
		"term":        {q(`{"term":"` + fox + `","field":"body"}`), 1},
		"string":      {q(`{"query":"+body:ab* -body:zz body:/c+d.*/ nothing"}`), like("ab.*") + 1 + like("c+d.*") + 1},
		"range":       {q(`{"min":"ab","max":"b","field":"body"}`), count("body", func(s string) bool { return s >= "ab" && s < "b" })},
		"boolean":     {bleve.NewBooleanQuery(), 0},
		"nested": {
			query.NewBooleanQuery([]query.Query{a}, []query.Query{bleve.NewDisjunctionQuery(a, bleve.NewMatchAllQuery())}, []query.Query{a}),
			3*like("a.*") + 1,
		},
		"collapsed":      {collapse.NewQuery(ab, collapse.Options{}), like("ab.*")},
		"near-duplicate": {bleve.NewConjunctionQuery(&near.SimilarQuery{Text: []string{"ab1 ab2 cd3"}}, ab), like("ab.*")},
		"numbers":        {q(`{"min":20,"max":100.5,"field":"version"}`), covering(terms["version"], 20, 100.5)},
		"all numbers":    {q(`{"min":-1e300,"field":"version"}`), -1},
	} {
		r := bleve.NewSearchRequest(tt.query)
		price := func(most int) error {
			return serve.Limits{Terms: most}.Price(context.Background(), x, &serve.Request{SearchRequest: r})
		}
		if tt.want < 0 {
			if err := price(1000); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if tt.want == 0 && name != "boolean" {
			t.Errorf("%s: stands for no terms, and shows nothing", name)
		}
		if tt.want > 0 {
			if err := price(tt.want); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if tt.want < 2 {
			continue
		}
		var exceeded *serve.Exceeded
		if err := price(tt.want - 1); !errors.As(err, &exceeded) || exceeded.Limit != "terms" || exceeded.Got != tt.want || !errors.Is(err, collapse.ErrRequest) {
			t.Errorf("%s: got error %v, want one of %d terms", name, err, tt.want)
		}
	}
	explained := bleve.NewSearchRequest(collapse.NewQuery(ab, collapse.Options{}))
	explained.Explain = true
	if err := (serve.Limits{Terms: 2*like("ab.*") - 1}).Price(context.Background(), x, &serve.Request{SearchRequest: explained}); err == nil {
		t.Error("what is found twice counts once")
	}
}

// distance is how many letters have to be left out, put in, changed, or swapped with the next
// one, to make b of a.
func distance(a, b string) int {
	switch {
	case a == "" || b == "":
		return len(a) + len(b)
	case a[0] == b[0]:
		return distance(a[1:], b[1:])
	}
	least := 1 + min(distance(a[1:], b), distance(a, b[1:]), distance(a[1:], b[1:]))
	if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
		least = min(least, 1+distance(a[2:], b[2:]))
	}
	return least
}

// covering is the number of terms among those of a numeric field that bleve's range takes:
// the fewest that stand for all numbers from min until before max.
func covering(terms []string, min, max float64) (n int) {
	from, to := numeric.Float64ToInt64(min), numeric.Float64ToInt64(max)-1
	for _, term := range terms {
		code := numeric.PrefixCoded(term)
		shift, err := code.Shift()
		if err != nil {
			continue
		}
		begin, err := code.Int64()
		if err != nil {
			continue
		}
		end := begin | (1<<shift - 1)
		if begin < from || end > to {
			continue
		}
		// Its parent stands for sixteen times as many numbers, and must not be within.
		if shift < 60 {
			mask := int64(1)<<(shift+4) - 1
			if begin&^mask >= from && begin|mask <= to {
				continue
			}
		}
		n++
	}
	return n
}

// Regexps whose automata take bleve seconds, or minutes, are refused at once, and those that
// people write are not.
func TestAutomata(t *testing.T) {
	t.Parallel()
	x := newIndex(t, map[string]page{"a": {Body: sentence}})
	h := unhurried(x, serve.Limits{})
	for _, re := range []string{`.*a.{12}`, `\\pL+`, `(\\pL|\\pN|\\pS){1,20}`, `\\PL{1,30}`, `(a|b)*a(a|b){14}`, `(.?){60}.?.?` + strings.Repeat(".?", 60), `.*x` + strings.Repeat("x.", 100)} {
		code, answer := ask(h, "POST", `{"query":{"regexp":"`+re+`","field":"body"}}`)
		if code != 400 || !strings.Contains(answer, "limit terms") {
			t.Errorf("%s: %d %s", re, code, answer)
		}
	}
	for _, q := range []string{
		`{"regexp":"[a-z0-9._-]+@[a-z]+\\.(com|org|net)","field":"body"}`, `{"regexp":"[a-zà-ÿ]+","field":"body"}`, `{"wildcard":"*a*b*c*d*","field":"body"}`,
		`{"disjuncts":[` + rep(20, same(`{"wildcard":"*fo?x*","field":"body"}`)) + `]}`, `{"regexp":"(abc|def|ghi)?[0-9]{1,10}","field":"body"}`,
	} {
		if code, answer := ask(h, "POST", `{"query":`+q+`}`); code != 200 {
			t.Errorf("%s: %d %s", q, code, answer)
		}
	}
	for pattern, fine := range map[string]bool{"the|fo+x.*": true, strings.TrimSuffix(strings.Repeat(`(?:.?){1000}x|`, 35), "|"): false} {
		code, answer := ask(h, "POST", `{"query":{"match_all":{}},"facets":{"f":{"field":"body","size":9,"term_pattern":"`+pattern+`"}}}`)
		if fine != (code == 200) || !fine && (code != 400 || !strings.Contains(answer, "limit terms")) {
			t.Errorf("facet of %.40s: %d %.300s", pattern, code, answer)
		}
	}
	one := `{"wildcard":"` + strings.Repeat("*ab", 10) + `","field":"body"}`
	if code, answer := ask(h, "POST", `{"query":{"disjuncts":[`+rep(20, same(one))+`]}}`); code != 400 || !strings.Contains(answer, "limit terms") {
		t.Errorf("they are not added up: %d %.300s", code, answer)
	}
}

// Boosts that make scores infinite, or no numbers, are refused wherever they stand.
func TestBoosts(t *testing.T) {
	t.Parallel()
	h := unhurried(newIndex(t, map[string]page{"a": {Body: sentence}, "b": {Body: "a fox"}}), serve.Limits{})
	for _, q := range []string{
		`{"match":"fox","field":"body","boost":%s}`, `{"must":{"conjuncts":[{"term":"fox","field":"body","boost":%s}]}}`,
		`{"conjuncts":[{"disjuncts":[{"custom_filter":{"collapse":{},"query":{"term":"fox","field":"body","boost":%s}}}]}]}`,
		`{"query":"body:fox^%s"}`, `{"match_all":{},"boost":%s}`, `{"custom_filter":{"neardup":{"text":"a fox","boost":%s}}}`,
	} {
		for boost, fine := range map[string]bool{"1": true, "1000000": true, "0.000001": true, "1e7": false, "1e308": false, "1e-200": false, "1e-7": false} {
			code, answer := ask(h, "POST", fmt.Sprintf(`{"query":`+q+`,"explain":true,"collapse":{}}`, boost))
			if fine != (code == 200) || !fine && (code != 400 || !strings.Contains(answer, "boost: wanted 0, or a size from 1e-06 to 1e+06, got")) {
				t.Errorf(q+": %d %s", boost, code, answer)
			}
		}
	}
	if code, answer := ask(h, "POST", `{"query":{"match":"fox","field":"body","boost":0}}`); code != 400 || !strings.Contains(answer, "wanted a query with scores that are numbers") {
		t.Errorf("every boost 0: %d %s", code, answer)
	}
}

// A field without doc values makes bleve read all its terms into memory, to sort or count
// by: only few documents may be read so.
func TestUninverted(t *testing.T) {
	t.Parallel()
	docs := map[string]page{}
	for i := range 600 {
		docs[fmt.Sprint(i)] = page{Body: sentence, Project: "p"}
	}
	x := newIndex(t, docs)
	for body, fine := range map[string]bool{
		`"sort":["_all"]`: false, `"facets":{"f":{"field":"_all","size":1}}`: false, `"collapse":{"inner_hits":[{"name":"a","sort":["_all"]}]}`: false,
		`"collapse":{"within":["_all"]}`: false, `"collapse":{"by":{"field":"_all"}}`: false, `"collapse":{"by":{"field":"project"},"within":["version"]}`: true,
		`"sort":["project","version","-_score","_id","none"]`: true, `"facets":{"f":{"field":"body","size":1}}`: true,
	} {
		code, answer := ask(unhurried(x, serve.Limits{Values: 11_999}), "POST", `{"query":{"match_all":{}},`+body+`}`)
		if fine != (code == 200) || !fine && !strings.Contains(answer, "limit values: wanted at most 11999, got 12000, 1 too many") {
			t.Errorf("%s: %d %.300s", body, code, answer)
		}
		if code, answer := ask(unhurried(x, serve.Limits{}), "POST", `{"query":{"match_all":{}},`+body+`}`); code != 200 {
			t.Errorf("%s: %d %.300s", body, code, answer)
		}
	}
}

// The terms of the fields of all facets are added up, as the index has them.
func TestFacetTerms(t *testing.T) {
	t.Parallel()
	x := newIndex(t, map[string]page{"a": {Body: rep(11_000, func(i int) string { return fmt.Sprint("w", i) }), Project: "p"}})
	body := `{"query":{"match_all":{}},"facets":{"a":{"field":"body","size":2147483647},"b":{"field":"body","size":1},"c":{"field":"project","size":1}}}`
	for most, fine := range map[int]bool{30_000: true, 29_999: false} {
		code, answer := ask(unhurried(x, serve.Limits{Values: most}), "POST", strings.Replace(body, "project", "none", 1))
		if fine != (code == 200) {
			t.Errorf("%d: %d %.300s", most, code, answer)
		}
	}
	body = strings.Replace(body, `"c":{"field":"project"`, `"c":{"field":"body"`, 1)
	for most, fine := range map[int]bool{33_000: true, 32_999: false} {
		code, answer := ask(unhurried(x, serve.Limits{Values: most}), "POST", body)
		if fine != (code == 200) || !fine && !strings.Contains(answer, "limit values: wanted at most 32999, got 33000, 1 too many") {
			t.Errorf("%d: %d %.300s", most, code, answer)
		}
	}
}

// What no limit of a request in itself tells is told of the members of an alias.
func TestAliasPriced(t *testing.T) {
	t.Parallel()
	x, _ := words(t)
	alias := bleve.NewIndexAlias(newIndex(t, map[string]page{"a": {Body: sentence}}), bleve.NewIndexAlias(x))
	h := unhurried(alias, serve.Limits{Terms: 50})
	if code, answer := ask(h, "POST", `{"query":{"prefix":"a","field":"body"},"collapse":{}}`); code != 400 || !strings.Contains(answer, "limit terms: wanted at most 50, got 51 or more, at least 1 too many") {
		t.Errorf("%d %s", code, answer)
	}
	if code, answer := ask(h, "POST", `{"query":{"prefix":"ab1","field":"body"},"collapse":{}}`); code != 200 {
		t.Errorf("%d %s", code, answer)
	}
}

// A collapse.Query without a budget of its own has the limit.
func TestQueryBudget(t *testing.T) {
	t.Parallel()
	x, _ := words(t)
	for most, fine := range map[int]bool{299: false, 300: true, 0: true} {
		h := unhurried(x, serve.Limits{Budget: most})
		code, answer := ask(h, "POST", `{"query":{"conjuncts":[{"custom_filter":{"collapse":{},"query":{"match_all":{}}}}]},"size":1}`)
		if fine != (code == 200) || !fine && (code != 400 || !strings.Contains(answer, "wanted at most 299 matches")) {
			t.Errorf("budget %d: %d %.300s", most, code, answer)
		}
	}
}

// Requests without a member "collapse" are collapsed as the handler says, unless they say not
// to.
func TestDefaultCollapse(t *testing.T) {
	t.Parallel()
	x := newIndex(t, map[string]page{"a": {Body: sentence}, "b": {Body: strings.ToUpper(sentence)}})
	own := &collapse.Options{}
	h := unhurried(x, serve.Limits{})
	h.Collapse = own
	for rest, want := range map[string]int{``: 1, `,"collapse":{}`: 1, `,"collapse":null`: 1, `,"collapse":false`: 2, `,"collapse":{"visible":2}`: 2} {
		var got struct{ Hits []any }
		code, answer := ask(h, "POST", `{"query":{"match_all":{}}`+rest+`}`)
		if err := json.Unmarshal([]byte(answer), &got); err != nil || code != 200 || len(got.Hits) != want {
			t.Errorf("%s: %d, %d hits, want %d, error %v", rest, code, len(got.Hits), want, err)
		}
	}
	if own.Budget != 0 {
		t.Errorf("the handler's options have changed: %+v", own)
	}
}

// presearched is what an index that asks its parts sends, which no client may.
func TestPreSearchData(t *testing.T) {
	t.Parallel()
	h := unhurried(newIndex(t, map[string]page{"a": {Body: sentence}}), serve.Limits{})
	code, answer := ask(h, "POST", `{"query":{"match_all":{}},"pre_search_data":{"_bm25_pre_search_data_key":{"doc_count":1e308}}}`)
	if code != 400 || !strings.Contains(answer, "pre_search_data: wanted none") {
		t.Errorf("%d %s", code, answer)
	}
}
