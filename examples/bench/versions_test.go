package main

import (
	"flag"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/examples/internal/markdown"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// generated is the name of the set of pages that programs fill in.
const generated = "generated reference pages"

var allVersions = flag.Bool("versions.all", false, "TestVersions chooses among rules")

// leastTried is the least number of lanes that is tried.
const leastTried = 66

// labelledDocs are the labelled documents of the shared data, and how their ids name a set.
var labelledDocs = []struct {
	docs, pairs string
	set         func(id string) string
}{
	{"docs-versions/docs.jsonl.gz", "docs-versions/pairs.j4.tsv.gz", func(id string) string {
		project, _, _ := strings.Cut(id, "/")
		if project == "karmada" && strings.Contains(id, "/reference/") {
			return generated
		}
		return project
	}},
	{"llvm-docs-versions/docs.jsonl.gz", "llvm-docs-versions/pairs.j4.tsv.gz", func(id string) string {
		if strings.Contains(id, "/AMDGPU/gfx") {
			return generated
		}
		project, _, _ := strings.Cut(id, "/")
		return project
	}},
	{"mccormick-plagiarism/docs_2500.jsonl.gz", "mccormick-plagiarism/pairs_2500.j4.tsv.gz", func(string) string { return "plagiarism" }},
}

// labelledSet is documents that are in labelled pairs, in order of their groups: all pairs of a group are the same page.
type labelledSet struct {
	name   string
	docs   []neartest.Doc
	group  []int    // of each document
	copies [5]int   // pairs of one group, by fold, which is the group modulo 5
	groups []string // the first document of each
}

func labelledSets(t *testing.T) (sets []*labelledSet) {
	for _, kind := range labelledDocs {
		group := map[string]string{} // by id: the first document of its group
		neartest.Lines(t, kind.pairs, func(line string) error {
			f := strings.Split(line, "\t")
			a, b := f[0], f[1]
			if group[a] == "" {
				group[a] = a
			}
			if old := group[b]; old != "" && old != group[a] {
				for id := range group {
					if group[id] == old {
						group[id] = group[a]
					}
				}
			}
			group[b] = group[a]
			return nil
		})
		for _, d := range neartest.Docs(t, kind.docs) {
			if group[d.ID] == "" {
				continue
			}
			name := kind.set(d.ID)
			i := slices.IndexFunc(sets, func(s *labelledSet) bool { return s.name == name })
			if i < 0 {
				i = len(sets)
				sets = append(sets, &labelledSet{name: name})
			}
			s := sets[i]
			g := slices.Index(s.groups, group[d.ID])
			if g < 0 {
				g = len(s.groups)
				s.groups = append(s.groups, group[d.ID])
			}
			for _, other := range s.group {
				if other == g {
					s.copies[g%5]++
				}
			}
			s.docs, s.group = append(s.docs, d), append(s.group, g)
		}
	}
	return sets
}

// takenPairs counts pairs by fold and by the number of lanes up to which a rule takes them: right and wrong ones.
type takenPairs struct{ right, wrong [5][]int }

// take compares the documents of a set. Pairs of other groups whose texts are equal, or that have one file name, count
// for neither: pages were moved.
func (s *labelledSet) take(p signature.Params) (all takenPairs) {
	for fold := range 5 {
		all.right[fold], all.wrong[fold] = make([]int, p.Lanes+1), make([]int, p.Lanes+1)
	}
	rule := signature.Rule{Lanes: leastTried}
	before, sigs := table.New(rule), []signature.Signature{}
	for i, d := range s.docs {
		sigs = append(sigs, signature.Of(p, []byte(d.Text)))
		for j := range before.Each(&sigs[i]) {
			m, _ := rule.Match(&sigs[i], &sigs[j])
			if m.By&^signature.BySketch != 0 {
				m.Agree = p.Lanes
			}
			fold := s.group[i] % 5
			switch {
			case s.group[i] == s.group[j]:
				all.right[fold][m.Agree]++
			case m.By&signature.ByExact == 0 && path.Base(d.ID) != path.Base(s.docs[j].ID):
				all.wrong[fold][m.Agree]++
			}
		}
		before.Add(&sigs[i])
	}
	return all
}

// score returns the precision and the recall at so many lanes in the folds for which in is true.
func (s *labelledSet) score(all takenPairs, lanes int, in func(fold int) bool) (precision, recall float64) {
	right, wrong, copies := 0, 0, 0
	for fold := range 5 {
		if in(fold) {
			copies += s.copies[fold]
			for n := lanes; n < len(all.right[fold]); n++ {
				right += all.right[fold][n]
				wrong += all.wrong[fold][n]
			}
		}
	}
	return float64(right) / float64(max(1, right+wrong)), float64(right) / float64(max(1, copies))
}

// Preset versions is chosen by the pages of four folds, and measured by those of the fifth, which none of the four has.
//
//	NEARDUP_DATA=DIRECTORY go -C examples test -v -run Versions ./bench -versions.all
func TestVersions(t *testing.T) {
	if !*allVersions {
		t.Skip("it signs 7,748 pages three times: see -versions.all")
	}
	sets := labelledSets(t)
	pairs := map[int][]takenPairs{} // by width, of each set
	for _, width := range []int{2, 3, 4} {
		p := signature.DefaultParams()
		p.Width = width
		for _, s := range sets {
			pairs[width] = append(pairs[width], s.take(p))
		}
	}
	// worst returns the least precision on a set, and the mean recall.
	worst := func(width, lanes int, in func(fold int) bool) (precision, recall float64) {
		precision = 1
		for i, s := range sets {
			if s.name != generated {
				p, r := s.score(pairs[width][i], lanes, in)
				precision, recall = min(precision, p), recall+r/float64(len(sets)-1)
			}
		}
		return precision, recall
	}
	presets := slices.DeleteFunc(neardup.Presets(), func(p neardup.Preset) bool { return p.Params.Lanes != 100 })
	versions := presets[slices.IndexFunc(presets, func(p neardup.Preset) bool { return p.Name == neardup.Versions })].Rule.Need(100, 0)
	for fold := range 5 {
		others, own := func(f int) bool { return f != fold }, func(f int) bool { return f == fold }
		for _, width := range []int{2, 3, 4} {
			lanes := 100
			for p, _ := worst(width, lanes-1, others); p >= .98 && lanes > leastTried; p, _ = worst(width, lanes-1, others) {
				lanes--
			}
			precision, recall := worst(width, lanes, own)
			t.Logf("fold %d: of %d words %d lanes; on the fold the least precision is %.3f, the mean recall %.3f", fold, width, lanes, precision, recall)
		}
		precision, recall := worst(4, versions, own)
		if _, pages := worst(4, 90, own); precision < .98 || recall < pages+.03 {
			t.Errorf("fold %d: preset versions has a precision of %.3f and a recall of %.3f, the default one of %.3f", fold, precision, recall, pages)
		}
	}
	rows := [][]string{{"set", "pairs"}}
	for _, p := range presets {
		rows[0] = append(rows[0], p.Name)
	}
	for i, s := range sets {
		copies := 0
		for _, n := range s.copies {
			copies += n
		}
		row := []string{s.name, fmt.Sprint(copies)}
		for _, p := range presets {
			precision, recall := s.score(pairs[p.Params.Width][i], p.Rule.Need(100, 0), func(int) bool { return true })
			row = append(row, fmt.Sprintf("%.3f, %.2f", precision, recall))
		}
		rows = append(rows, row)
	}
	var out strings.Builder
	markdown.Table(&out, rows, 1)
	t.Log("precision, recall\n" + out.String())
}
