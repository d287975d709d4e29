package shards_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/collapse/serve"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/cluster/shards"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// genes decide what a request asks for: how much of each part there is.
type genes [24]int

// part is a part of a request, with how much of it there may be at the most, which is as
// much as the limits allow or somewhat more.
const (
	gWords = iota // of a match
	gTerms
	gPhrase
	gPrefixes
	gWildcards
	gRegexps
	gFuzzy
	gRanges
	gString
	gSimilar
	gFilters
	gJoin
	gSize
	gFrom
	gFields
	gHighlight
	gExplain
	gLocations
	gFacets
	gSort
	gMode
	gInner
	gExplained
	gTaken
)

var most = genes{1000, 1000, 100, 20, 20, 20, 20, 20, 1000, 3, 3, 4, 1000, 1000, 4, 4, 2, 2, 20, 10, 6, 1000, 1000, 10_000}

// rep joins n parts with commas.
func rep(n int, part func(i int) string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = part(i)
	}
	return strings.Join(all, ",")
}

// body is the request that genes stand for.
func (g genes) body() string {
	var parts []string
	add := func(n int, part func(i int) string) {
		for i := range n {
			parts = append(parts, part(i))
		}
	}
	add(min(g[gWords], 1), func(int) string {
		return `{"match":"` + strings.ReplaceAll(rep(g[gWords], func(i int) string { return fmt.Sprint("w", i) }), ",", " ") + `","field":"body"}`
	})
	add(g[gTerms], func(i int) string { return fmt.Sprintf(`{"term":"w%d","field":"body"}`, i) })
	add(min(g[gPhrase], 1), func(int) string {
		return `{"match_phrase":"` + strings.ReplaceAll(rep(g[gPhrase], func(i int) string { return fmt.Sprint("w", i%3) }), ",", " ") + `","field":"body"}`
	})
	add(g[gPrefixes], func(i int) string { return fmt.Sprintf(`{"prefix":"w%d","field":"body"}`, 1000+i) })
	add(g[gWildcards], func(i int) string { return fmt.Sprintf(`{"wildcard":"*%dz*","field":"name"}`, i) })
	add(g[gRegexps], func(i int) string { return fmt.Sprintf(`{"regexp":"name.*[0-9].*%d.*x","field":"name"}`, i) })
	add(g[gFuzzy], func(i int) string {
		return fmt.Sprintf(`{"term":"name 0123456%d","fuzziness":2,"field":"name"}`, i)
	})
	add(g[gRanges], func(i int) string { return fmt.Sprintf(`{"min":%d.123,"max":%d.789,"field":"version"}`, i, 500+i) })
	add(min(g[gString], 1), func(int) string {
		return `{"query":"` + strings.ReplaceAll(rep(g[gString], func(i int) string { return fmt.Sprint("+body:w", i) }), ",", " ") + `"}`
	})
	add(g[gSimilar], func(i int) string {
		return fmt.Sprintf(`{"custom_filter":{"neardup":{"id":"d%07d","rule":{"lanes":1,"hamming":64,"mode":"either"}}}}`, i)
	})
	q := `{"match_all":{}}`
	if len(parts) > 0 {
		list := strings.Join(parts, ",")
		q = []string{`{"disjuncts":[` + list + `]}`, `{"should":{"disjuncts":[` + list + `]},"must":{"conjuncts":[{"match_all":{}}]}}`, `{"must":{"conjuncts":[{"match_all":{}}]},"must_not":{"disjuncts":[` + list + `]}}`, `{"conjuncts":[` + list + `]}`, `{"disjuncts":[{"match_all":{}},` + list + `]}`}[g[gJoin]]
	}
	for range g[gFilters] {
		q = `{"custom_filter":{"collapse":{},"query":` + q + `}}`
	}
	r := fmt.Sprintf(`{"query":%s,"size":%d,"from":%d`, q, g[gSize], g[gFrom])
	r += []string{``, `,"fields":["*"]`, `,"fields":["body"]`, `,"fields":["name","project"]`, `,"fields":["*","body"]`}[g[gFields]]
	r += []string{``, `,"highlight":{}`, `,"highlight":{"fields":["body"]}`, `,"highlight":{"style":"html"}`, `,"highlight":{"fields":["name","body"]}`}[g[gHighlight]]
	r += []string{``, `,"explain":true`, ``}[g[gExplain]] + []string{``, `,"includeLocations":true`, ``}[g[gLocations]]
	fields := []string{"body", "version", "project", "name"}
	if g[gFacets] > 0 {
		r += `,"facets":{` + rep(g[gFacets], func(i int) string {
			return fmt.Sprintf(`"f%d":{"size":1000,"field":%q}`, i, fields[i%2+i/10])
		}) + `}`
	}
	sort := rep(g[gSort], func(i int) string { return fmt.Sprintf("%q", fields[(i+2)%4]) })
	cursor := g[gMode] == 5 && g[gTaken] > 0
	if cursor {
		sort = `"_id"`
	}
	if g[gSort] > 0 || cursor {
		r += `,"sort":[` + sort + `]`
	}
	if g[gMode] == 0 {
		return r + `}`
	}
	r += `,"collapse":{"budget":10000` + []string{``, ``, `,"whole":true`, `,"visible":-1`, `,"complete":true`, ``, `,"rule":{"lanes":1,"hamming":64,"mode":"either"}`}[g[gMode]]
	if g[gInner] > 0 {
		r += fmt.Sprintf(`,"inner_hits":[{"name":"a","size":%d,"fields":["*"],"sort":["version"]}]`, g[gInner])
	}
	if g[gExplained] > 0 {
		r += fmt.Sprintf(`,"explain":{"members":%d,"shingles":1000}`, g[gExplained])
	}
	if cursor {
		r += fmt.Sprintf(`,"cursor":{"after":["d%07d"],"taken":%d}`, g[gTaken], g[gTaken])
	}
	return r + `}}`
}

// nearest is the request for near-duplicates of documents that genes stand for: of how many, by how many rules.
func (g genes) nearest(t *testing.T, x bleve.Index) string {
	t.Helper()
	var r struct {
		Queries []near.SimilarQuery `json:"queries"`
	}
	for i := range g[gWords] {
		sig, err := plugin.SignatureOf(x, "", fmt.Sprintf("d%07d", i))
		if err != nil {
			t.Fatal(err)
		}
		rule := signature.Rule{Lanes: 1 + i%(1+g[gPrefixes]), Hamming: 64, Mode: []signature.Mode{signature.Either, signature.SketchOnly}[g[gFilters]%2]}
		r.Queries = append(r.Queries, near.SimilarQuery{Signature: sig, Rule: rule})
	}
	body, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// mutated returns genes of which a few are others: none, the most, or something between.
func (g genes) mutated(r *rand.Rand) genes {
	for range 1 + r.IntN(4) {
		i := r.IntN(len(g))
		switch r.IntN(4) {
		case 0:
			g[i] = 0
		case 1:
			g[i] = most[i]
		default:
			g[i] = r.IntN(most[i] + 1)
		}
	}
	return g
}

// cost is what a request took.
type cost struct {
	status int
	took   time.Duration // until the answer
	after  time.Duration // that it went on after that
	live   int64         // the most bytes that the heap had beyond what it had before
}

// measure asks, and waits until nothing is left of that.
func measure(t *testing.T, h http.Handler, path, body string) (c cost) {
	t.Helper()
	live := func() int64 {
		s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(s)
		return int64(s[0].Value.Uint64())
	}
	runtime.GC()
	base, calm := live(), runtime.NumGoroutine()
	stop, peak := make(chan struct{}), make(chan int64)
	go func() {
		var most int64
		for {
			select {
			case <-stop:
				peak <- most
				return
			case <-time.After(2 * time.Millisecond):
				most = max(most, live()-base)
			}
		}
	}()
	w := httptest.NewRecorder()
	start := time.Now()
	h.ServeHTTP(w, httptest.NewRequest("POST", path, strings.NewReader(body)))
	c.took, c.status = time.Since(start), w.Code
	for answered := time.Now(); c.status == 503 && runtime.NumGoroutine() > calm+1; time.Sleep(time.Millisecond) {
		if c.after = time.Since(answered); c.after > 5*time.Minute {
			t.Fatalf("a search goes on %v after its answer: %.1000s", c.after, body)
		}
	}
	close(stop)
	c.live = <-peak
	if !slices.Contains([]int{200, 400, 503}, c.status) {
		t.Errorf("status %d %.300s: %.1000s", c.status, w.Body, body)
	}
	return c
}

// touch asks for a little of each part, so that what belongs to the index is in memory: tables for
// lookups, and what bleve reads of a field when it is first used.
func touch(t *testing.T, x bleve.Index) {
	t.Helper()
	h := &serve.Handler{Index: x, Guard: serve.Guard{Timeout: 5 * time.Minute}}
	for part := gWords; part <= gSimilar; part++ {
		g := genes{gSize: 10, gSort: 4, gHighlight: 1, gMode: 1}
		g[part] = 1
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader(g.body())))
		if w.Code != http.StatusOK {
			t.Fatalf("status %d: %s: %s", w.Code, w.Body, g.body())
		}
	}
}

// Among the requests that are within the limits, the dearest that a search for them finds is
// answered by the deadline, and takes no more memory than promised. On demand the index has a
// million documents:
//
//	go -C plugin/cluster test -run Dearest -v ./shards -dearest.docs 1000000 -dearest.time 5m -dearest.index /somewhere -timeout 2h
func TestDearest(t *testing.T) {
	if testing.Short() {
		t.Skip("a search for dear requests takes seconds")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(20)) // so that what lives is looked at often
	x := corpus(t, *dearestIndex, *dearestDocs)
	if _, err := collapse.Search(t.Context(), x, bleve.NewSearchRequest(bleve.NewMatchAllQuery()), collapse.Options{Whole: true}); err != nil {
		t.Fatal(err) // its columns are read
	}
	timeout, small := 2*time.Second, *dearestIndex == ""
	if small {
		timeout = 100 * time.Millisecond
	} else {
		touch(t, x)
	}
	guard := shards.NewGuard()
	guard.Timeout = timeout
	shard := shards.GuardedHandler(x, guard)
	for _, server := range []struct {
		name, path string
		handler    http.Handler
	}{
		{"serve.Handler", "/", &serve.Handler{Index: x, Guard: serve.Guard{Timeout: timeout}}},
		{"serve.Handler on an alias, as plugin/cluster has it", "/", &serve.Handler{Index: bleve.NewIndexAlias(x, x), Guard: serve.Guard{Timeout: timeout}}},
		{"as websearch asks", "/", &serve.Handler{Index: x, Guard: serve.Guard{Timeout: timeout, Limits: serve.Limits{Hits: 10_000_000, Budget: 1_000_000}}}},
		{"shards, search", "/search", shard},
		{"shards, rank", `/rank?want={"visible":1000,"per_group":1}`, shard},
		{"shards, nearest", "/nearest", shard},
	} {
		t.Run(server.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(2, 6))
			var slowest, largest cost
			var best [2]genes // of those
			var worst [2]string
			asked, accepted := 0, 0
			for end := time.Now().Add(*dearestTime); time.Now().Before(end); asked++ {
				g := best[asked%2].mutated(r)
				if r.IntN(20) == 0 {
					g = genes{}.mutated(r).mutated(r)
				}
				if server.path != "/" {
					g[gMode] = 0
				}
				body := g.body()
				if server.path == "/nearest" {
					body = g.nearest(t, x)
				}
				c := measure(t, server.handler, server.path, body)
				if c.status == 400 {
					continue
				}
				if accepted++; c.took+c.after > slowest.took+slowest.after {
					slowest, best[0], worst[0] = c, g, body
				}
				if c.live > largest.live {
					largest, best[1], worst[1] = c, g, body
				}
				allowed := timeout + 250*time.Millisecond
				if small {
					allowed += 20 * time.Second // this machine may have other work
				}
				if c.took > allowed || c.live > 256<<20 {
					t.Errorf("answered after %v, and %d MB: %s", c.took, c.live>>20, brief(body))
				}
			}
			t.Logf("%d requests, %d within the limits", asked, accepted)
			t.Logf("slowest: status %d after %v, went on for %v, %d MB: %s", slowest.status, slowest.took, slowest.after, slowest.live>>20, brief(worst[0]))
			t.Logf("largest: status %d after %v, went on for %v, %d MB: %s", largest.status, largest.took, largest.after, largest.live>>20, brief(worst[1]))
		})
	}
}

// brief is a request without what repeats.
func brief(body string) string {
	if len(body) <= 500 {
		return body
	}
	return fmt.Sprintf("%s ... %s (%d bytes)", body[:100], body[len(body)-400:], len(body))
}
