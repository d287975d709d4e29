package groups_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/resemblance"
	"github.com/neardup/bleve-neardup/analysis/signature/signaturetest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/groups"
)

// quoting is a mapping with passages of so many words.
func quoting(t testing.TB, words int, stored bool) *mapping.IndexMappingImpl {
	t.Helper()
	m := newMapping()
	if err := m.AddCustomAnalyzer("quoting", map[string]any{"type": neardup.Name, "passages": words}); err != nil {
		t.Fatal(err)
	}
	body := bleve.NewTextFieldMapping()
	body.Index, body.Store = false, stored
	m.DefaultMapping.Properties["body"].Fields = nil
	m.DefaultMapping.AddFieldMappingsAt("body", body, plugin.FieldMapping("quoting"))
	tag := bleve.NewTextFieldMapping()
	tag.Analyzer = keyword.Name
	m.DefaultMapping.AddFieldMappingsAt("tag", tag)
	return m
}

// indexOf returns an index with a mapping.
func indexOf(t testing.TB, m mapping.IndexMapping, pages []page, size int) bleve.Index {
	t.Helper()
	x, err := plugin.New("", m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	for chunk := range slices.Chunk(pages, size) {
		write(t, x, chunk)
	}
	return x
}

// quotes are texts with words of their own, and parts, copies and collections of others.
func quotes(t testing.TB, rnd *rand.Rand, n int) (pages []page) {
	t.Helper()
	docs := signaturetest.Shipped(t)
	part := func(text string, most int) string {
		words := strings.Fields(text)
		from := rnd.IntN(len(words) + 1)
		return strings.Join(words[from:min(len(words), from+rnd.IntN(most))], " ")
	}
	for i := range n {
		body := part(docs[rnd.IntN(len(docs))].Text, 150)
		for range rnd.IntN(3) {
			if i == 0 {
				break
			}
			other := pages[rnd.IntN(i)].body
			switch rnd.IntN(4) {
			case 0:
				body = other
			case 1:
				body = part(other, 200)
			default:
				body += "\n> " + other
			}
		}
		words := strings.Fields(body)
		p := newPage(fmt.Sprintf("%03d", i*7919%n), strings.Join(words[:min(len(words), 400)], " "))
		p.scope = []string{"", "a", "b"}[rnd.IntN(3)]
		pages = append(pages, p)
	}
	return pages
}

// contained compares all pairs by their sets of runs of so many words.
func contained(pages []page, least int, share float64, scoped bool, name func(page) groups.Document) (all []groups.Containment) {
	runs, has, words := make([][]string, len(pages)), make([]map[string]bool, len(pages)), make([]int, len(pages))
	for i, p := range pages {
		var own []string
		for _, token := range signature.Tokens([]byte(p.body)) {
			own = append(own, string(token.Term))
		}
		words[i], has[i] = len(own), map[string]bool{}
		for from := 0; from+least <= len(own); from++ {
			runs[i] = append(runs[i], strings.Join(own[from:from+least], " "))
			has[i][runs[i][from]] = true
		}
	}
	for i, p := range pages {
		for j, q := range pages {
			if i == j || scoped && p.scope != q.scope {
				continue
			}
			in := make([]bool, words[i])
			for from, run := range runs[i] {
				if has[j][run] {
					for k := range least {
						in[from+k] = true
					}
				}
			}
			n := 0
			for _, is := range in {
				if is {
					n++
				}
			}
			if value := float64(n) / float64(max(1, len(in))); n > 0 && value >= share {
				all = append(all, groups.Containment{Part: name(p), Whole: name(q), Share: resemblance.Estimate{Value: value}, Words: n, Verified: true})
			}
		}
	}
	slices.SortFunc(all, func(a, b groups.Containment) int {
		switch {
		case a.Part.ID != b.Part.ID:
			return strings.Compare(a.Part.ID, b.Part.ID)
		case a.Share.Value != b.Share.Value:
			if a.Share.Value > b.Share.Value {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Whole.ID, b.Whole.ID)
	})
	return all
}

func listed(t testing.TB, x bleve.Index, o groups.ContainedOptions) (all []groups.Containment) {
	t.Helper()
	for c, err := range groups.Contained(t.Context(), x, o) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

func same(t *testing.T, what string, got, want []groups.Containment) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("%s: %d are listed, want %d; the first difference is the one with the number %d:\n%+v\nwant\n%+v", what, len(got), len(want), i,
				got[min(i, len(got)):min(i+1, len(got))], want[min(i, len(want)):min(i+1, len(want))])
		}
	}
}

// Against all pairs and exact sets: by shares, in scopes, in an index and in an alias of two, after documents were written anew
// and deleted.
func TestContained(t *testing.T) {
	t.Parallel()
	const least = 12
	rnd := rand.New(rand.NewPCG(21, 22))
	n := 120
	if testing.Short() {
		n = 60
	}
	pages := quotes(t, rnd, n)
	one := indexOf(t, quoting(t, least, true), slices.Concat(pages[n/2:], pages), 25)
	for range 15 {
		last := pages[len(pages)-1]
		pages = pages[:len(pages)-1]
		if err := one.Delete(last.id); err != nil {
			t.Fatal(err)
		}
	}
	a, b := indexOf(t, quoting(t, least, true), pages[:n/3], 10), indexOf(t, quoting(t, least, true), pages[n/3:], 30)
	a.SetName("a")
	b.SetName("b")
	name := func(p page) groups.Document { return groups.Document{ID: p.id, Tokens: p.sig.Tokens} }
	inAlias := func(p page) groups.Document {
		d := name(p)
		if d.Index = "b"; slices.ContainsFunc(pages[:n/3], func(q page) bool { return q.id == p.id }) {
			d.Index = "a"
		}
		return d
	}
	found := 0
	for _, o := range []groups.ContainedOptions{
		{}, {Share: 1}, {Share: .3}, {Share: 1e-9}, {Share: .5, Least: 30}, {Share: .5, Within: within("scope")},
	} {
		share := o.Share
		if share == 0 {
			share = groups.DefaultShare
		}
		what := fmt.Sprintf("%+v", o)
		t0, scoped := max(least, o.Least), o.Within != nil
		want := contained(pages, t0, share, scoped, name)
		found += len(want)
		same(t, what, listed(t, one, o), want)
		same(t, what, listed(t, bleve.NewIndexAlias(a, b), o), contained(pages, t0, share, scoped, inAlias))
	}
	if found < 2*n {
		t.Errorf("%d are listed in all: this test shows little", found)
	}
}

// Of texts that are not stored the shares are estimates, and only documents that have a passage in common are listed.
func TestContainedUnstored(t *testing.T) {
	t.Parallel()
	const least = 12
	pages := quotes(t, rand.New(rand.NewPCG(23, 24)), 80)
	x := indexOf(t, quoting(t, least, false), pages, 25)
	any := map[[2]string]float64{}
	for _, c := range contained(pages, least, 0, false, func(p page) groups.Document { return groups.Document{ID: p.id} }) {
		any[[2]string{c.Part.ID, c.Whole.ID}] = c.Share.Value
	}
	whole := 0
	for _, c := range listed(t, x, groups.ContainedOptions{Share: 1e-9}) {
		exact, ok := any[[2]string{c.Part.ID, c.Whole.ID}]
		if c.Verified || c.Words != 0 || c.Share.Value <= 0 || !ok && c.Share.Value > .5 {
			t.Errorf("got %+v, and %v words in common", c, exact)
		}
		if exact == 1 {
			if c.Share.Value < .7 { // where two parts of the other meet, it selects what that has not
				t.Errorf("got %+v of a whole document", c)
			}
			whole++
		}
		delete(any, [2]string{c.Part.ID, c.Whole.ID})
	}
	if len(any) > 0 || whole < 50 {
		t.Errorf("%d pairs are missing, such as %v; %d documents stand whole", len(any), any, whole)
	}
}

// The guard passes over what many documents quote, and the summary says so; progress is told to the end; a caller can stop.
func TestContainedSummary(t *testing.T) {
	t.Parallel()
	text := func(n, words int) string {
		var b strings.Builder
		for i := range words {
			fmt.Fprintf(&b, "w%dx%d ", n, i)
		}
		return b.String()
	}
	footer := text(0, 40)
	var pages []page
	for i := range 503 {
		pages = append(pages, newPage(fmt.Sprintf("mail%03d", i), footer))
	}
	pages = append(pages, newPage("part", text(1000, 60)), newPage("whole", text(1000, 60)+text(1001, 20)))
	x := indexOf(t, quoting(t, 20, true), pages, 100)
	var got groups.ContainedSummary
	var told [2]int
	o := groups.ContainedOptions{
		Summary:  func(s groups.ContainedSummary) { got = s },
		Progress: func(done, total int) { told = [2]int{done, total} },
	}
	all := listed(t, x, o)
	if len(all) != 1 || all[0].Part.ID != "part" || all[0].Whole.ID != "whole" || all[0].Words != 60 {
		t.Errorf("got %d, the first is %+v", len(all), all[:min(1, len(all))])
	}
	if got.Documents != 505 || got.Compared != 2 || got.PassedOver < 503 || got.PassedOver%503 != 0 || got.Damaged != 0 || told != [2]int{505, 505} {
		t.Errorf("got %+v, told %v", got, told)
	}
	o.MaxShare = 1
	n := 0
	for c, err := range groups.Contained(t.Context(), x, o) { // 503 times 502 of them
		if err != nil || c.Part.ID != "mail000" || c.Whole.ID != fmt.Sprintf("mail%03d", n+1) {
			t.Fatalf("without a guard: got %+v, %v", c, err)
		}
		if n++; n == 502 {
			break
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range groups.Contained(ctx, x, o) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
}

func TestContainedErrors(t *testing.T) {
	t.Parallel()
	pages := []page{newPage("a", "a text")}
	x := indexOf(t, quoting(t, 20, true), pages, 1)
	for _, tt := range []struct {
		x    bleve.Index
		o    groups.ContainedOptions
		want string
	}{
		{x, groups.ContainedOptions{Share: 1.1}, "groups: share: wanted 0 to 1, got 1.1"},
		{x, groups.ContainedOptions{Least: -1}, "groups: least: wanted 0 or more words, got -1"},
		{x, groups.ContainedOptions{Least: 19}, "groups: least: wanted the 20 words of the passages of index"},
		{x, groups.ContainedOptions{MaxShare: -1}, "groups: max_share: wanted 0 to 1, got -1"},
		{x, groups.ContainedOptions{Field: "other"}, `"other"`},
		{x, groups.ContainedOptions{WithinMissing: "what"}, "what"},
		{newIndex(t, pages, 1), groups.ContainedOptions{}, `wanted an analyzer with the option "passages", got one without`},
		{nil, groups.ContainedOptions{}, "nil"},
	} {
		n := 0
		for c, err := range groups.Contained(t.Context(), tt.x, tt.o) {
			if n++; err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%+v: got %+v, %v, want %q", tt.o, c, err, tt.want)
			}
		}
		if n != 1 {
			t.Errorf("%+v: got %d errors", tt.o, n)
		}
	}
}

// What is written is read again, also with an id that is not UTF-8.
func TestWriteContained(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("one two three four five six seven. ", 5)
	x := indexOf(t, quoting(t, 20, true), []page{newPage("\xff", body), newPage("b", body+"more")}, 2)
	var out bytes.Buffer
	if err := groups.WriteContained(&out, groups.Contained(t.Context(), x, groups.ContainedOptions{Share: 1})); err != nil {
		t.Fatal(err)
	}
	var read []groups.Containment
	for dec := json.NewDecoder(&out); ; {
		var c groups.Containment
		if err := dec.Decode(&c); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		read = append(read, c)
	}
	if want := listed(t, x, groups.ContainedOptions{Share: 1}); len(want) != 1 || !reflect.DeepEqual(read, want) {
		t.Errorf("got %+v, want %+v", read, want)
	}
	if err := groups.WriteContained(&out, nil); err == nil {
		t.Error("nil is written")
	}
}
