package templates_test

import (
	"flag"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

var unscopedAll = flag.Bool("unscoped.all", false, "learn templates without scopes from all that examples/docs/templates.md counts")

// learnt is what pages of no scope share.
func learnt(t testing.TB, p signature.Params, pages []string) *template.Set {
	t.Helper()
	found, err := template.Learn(p.ID(), template.Options{}, func(yield func([][]uint64) bool) {
		for _, page := range pages {
			if !yield([][]uint64{p.Hashes(nil, []byte(page))}) {
				return
			}
		}
	})
	if err != nil || found.Unfit > 0 {
		t.Fatal(found, err)
	}
	return found.Set
}

// signed yields the signatures of pages without a template.
func signed(t testing.TB, p signature.Params, set *template.Set, pages []string) iter.Seq2[int, *signature.Signature] {
	t.Helper()
	m, err := signature.NewMaker(p)
	if err == nil {
		err = m.Without(set)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(int, *signature.Signature) bool) {
		for i, page := range pages {
			m.Text([]byte(page))
			sig := m.Signature()
			if sig.Tokens == 0 { // nothing but its template
				sig = signature.Of(p, []byte(page))
			}
			if !yield(i, &sig) {
				return
			}
		}
	}
}

func hidden(rule signature.Rule, pages iter.Seq2[int, *signature.Signature]) (n int) {
	heads := table.New(rule)
	for _, sig := range pages {
		if heads.First(sig) >= 0 {
			n++
		} else {
			heads.Add(sig)
		}
	}
	return n
}

// Pages of sites whose names are not known do not hide each other by their templates, and one text is found on all.
func TestUnscoped(t *testing.T) {
	t.Parallel()
	each, presets, numbers := 11, neardup.Presets()[:1], []int{11}
	if *unscopedAll {
		each, presets, numbers = 0, neardup.Presets(), []int{2, 5, 10, 11, 20, 50, 100, -1}
	}
	texts := bodiesOf(t, 50, 1001)
	for _, n := range numbers {
		var sites []func(string) string
		for i := range max(n, 1) {
			sites = append(sites, siteOf(t, uint64(i), 900))
		}
		var others []string
		bodies := texts[:min(len(texts)-1, max(each*n, 1000*(1-min(each, 1))))]
		if n < 0 { // 200 pages of one site beside other texts
			bodies = bodies[:200]
			for _, d := range neartest.FirstDocs(t, "enron-spam/docs.jsonl.gz", 20_000) {
				others = append(others, d.Text)
			}
		}
		var pages, mirrors []string
		for i, text := range bodies {
			pages = append(pages, sites[i%len(sites)](text))
		}
		for i := range min(len(pages), 100) {
			mirrors = append(mirrors, sites[i%len(sites)](texts[1000]))
		}
		for _, p := range presets {
			set := learnt(t, p.Params, slices.Concat(pages, mirrors, others))
			control := hidden(p.Rule, signed(t, p.Params, nil, bodies))
			got, found := hidden(p.Rule, signed(t, p.Params, set, pages)), 0
			heads := table.New(p.Rule)
			for i, sig := range signed(t, p.Params, set, mirrors) {
				if i == 0 {
					heads.Add(sig)
				} else if heads.First(sig) >= 0 {
					found++
				}
			}
			t.Logf("%s, %d sites: %d of %d hidden, %d without templates; %d of %d mirrors", p.Name, len(sites), got, len(pages), control, found, len(mirrors)-1)
			if got > control+len(pages)/50 || found < (len(mirrors)-1)*95/100 {
				t.Errorf("%s, %d sites: wanted %d hidden at most, got %d; %d mirrors", p.Name, len(sites), control+len(pages)/50, got, found)
			}
		}
	}
}

// Pairs of real versions that fold without templates, and with those that are learned from all pages.
func TestUnscopedVersions(t *testing.T) {
	if !*unscopedAll {
		t.Skip("only with -unscoped.all")
	}
	for name, least := range map[string]float64{"docs-versions": .96, "llvm-docs-versions": .985} {
		at, texts := map[string]int{}, []string(nil)
		for i, d := range neartest.Docs(t, name+"/docs.jsonl.gz") {
			at[d.ID], texts = i, append(texts, d.Text)
		}
		for _, p := range neardup.Presets() {
			var all [2][]signature.Signature
			for i, set := range []*template.Set{nil, learnt(t, p.Params, texts)} {
				for _, sig := range signed(t, p.Params, set, texts) {
					all[i] = append(all[i], *sig)
				}
			}
			var pairs, kept [2]int // all that fold without templates, and of them those with a resemblance of .95
			neartest.Lines(t, name+"/pairs.j4.tsv.gz", func(line string) error {
				names := strings.Split(line, "\t")
				a, b := at[names[0]], at[names[1]]
				if !p.Rule.Duplicates(&all[0][a], &all[0][b]) {
					return nil
				}
				for i := range pairs {
					if i == 0 || names[3] >= "0.95" {
						pairs[i]++
						if p.Rule.Duplicates(&all[1][a], &all[1][b]) {
							kept[i]++
						}
					}
				}
				return nil
			})
			t.Logf("%s, %s: %d of %d pairs still fold, of those with r >= .95 %d of %d", name, p.Name, kept[0], pairs[0], kept[1], pairs[1])
			if float64(kept[0]) < least*float64(pairs[0]) || 100*kept[1] < 99*pairs[1] {
				t.Errorf("%s, %s: wanted %.3f of the pairs, and .99 of those with r >= .95", name, p.Name, least)
			}
		}
	}
}
