package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/examples/internal/join"
	"github.com/neardup/bleve-neardup/examples/internal/markdown"
)

// unit is how many words a shingle has.
type unit struct{ words int }

func (u unit) String() string {
	if u.words == 1 {
		return "1 word"
	}
	return fmt.Sprintf("%d words", u.words)
}

// params are the default ones, with shingles of u.
func (u unit) params() signature.Params {
	p := signature.DefaultParams()
	p.Width = u.words
	return p
}

// units are the rows of the grid.
func units() (all []unit) {
	for n := 1; n <= 6; n++ {
		all = append(all, unit{words: n})
	}
	return all
}

// leastLanes, mostLanes and laneStep are its columns.
const leastLanes, mostLanes, laneStep = 50, 95, 5

func laneSteps() (all []int) {
	for n := leastLanes; n <= mostLanes; n += laneStep {
		all = append(all, n)
	}
	return all
}

// A pair of documents resembles by its exact sets of 4-word shingles, whatever the unit.
const (
	unlike = .5 // pairs below it are wrong
	alike  = .8 // pairs from it on are to be found, where nobody has labelled any
)

// gridCell is what one rule does on one set.
type gridCell struct {
	Found int `json:"found"` // pairs
	Of    int `json:"to_be_found"`
	Taken int `json:"taken"` // pairs in all
	Wrong int `json:"wrong"` // of them, pairs that are unlike
}

func (c gridCell) String() string {
	return fmt.Sprintf("%s %s %s", ratio(c.Found, c.Of), ratio(c.Taken-c.Wrong, c.Taken), comma(c.Wrong))
}

// gridOf is the grid of one set.
type gridOf struct {
	Set      string                `json:"set"`
	Docs     int                   `json:"documents"`
	All      int                   `json:"of_documents"` // before the sample, and without those that have no shingle
	Labelled bool                  `json:"labelled"`
	Cells    map[string][]gridCell `json:"cells"` // by unit, one for each step of the lanes
}

// printGrids measures every set below a folder, and prints a table for each.
func printGrids(o options, stdout, stderr io.Writer) error {
	return eachSet(o.grid, "--grid", stderr, func(c corpus) error {
		g, err := measureGrid(c, o)
		if err != nil {
			return err
		}
		return g.print(stdout, o.json)
	})
}

// eachSet reads the sets in the folders of a folder that an option names, one after the other.
func eachSet(dir, option string, stderr io.Writer, measure func(corpus) error) error {
	folders, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	sets := 0
	for _, f := range folders {
		files, err := filepath.Glob(filepath.Join(dir, f.Name(), "*.jsonl.gz"))
		if err != nil {
			return err
		}
		for _, file := range files {
			sets++
			c, err := readCorpus(file)
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			fmt.Fprintf(stderr, "%s: %d documents\n", c.name, len(c.docs))
			if err := measure(c); err != nil {
				return err
			}
		}
	}
	if sets == 0 {
		return fmt.Errorf("%s: wanted a folder of folders with files named *.jsonl.gz, got none below %q", option, dir)
	}
	return nil
}

// sample returns so many documents of c, chosen at random, in their order.
func sample(c corpus, most int, seed uint64) corpus {
	if most == 0 || len(c.docs) <= most {
		return c
	}
	order := rand.New(rand.NewPCG(seed, 1)).Perm(len(c.docs))[:most]
	slices.Sort(order)
	docs := make([]doc, most)
	for i, n := range order {
		docs[i] = c.docs[n]
	}
	c.docs = docs
	return c
}

func measureGrid(c corpus, o options) (gridOf, error) {
	g := gridOf{Set: c.name, All: len(c.docs), Cells: map[string][]gridCell{}}
	c = sample(c, o.most, o.seed)
	sets, docs, err := exactSets(c.docs)
	if err != nil {
		return g, err
	}
	g.Docs = len(docs)
	resemble := join.Pairs(sets, unlike)
	truth := labelsOf(c, docs)
	if g.Labelled = len(truth) > 0; !g.Labelled {
		for pair, r := range resemble {
			if r >= alike {
				truth[pair] = true
			}
		}
	}
	for _, u := range units() {
		sketches, err := sketchAll(docs, u.params())
		if err != nil {
			return g, err
		}
		g.Cells[u.String()] = count(sketches, truth, resemble)
	}
	return g, nil
}

// exactSets returns the sorted sets of 4-word shingles of documents, and the documents that have
// any.
func exactSets(docs []doc) (sets [][]uint64, with []doc, err error) {
	m, err := signature.NewMaker(unit{words: 4}.params())
	if err != nil {
		return nil, nil, err
	}
	for _, d := range docs {
		m.Text([]byte(d.Text))
		if set := slices.Clone(m.Shingles()); len(set) > 0 {
			slices.Sort(set)
			sets, with = append(sets, set), append(with, d)
		}
		m.Reset()
	}
	return sets, with, nil
}

// labelsOf returns the pairs that somebody has labelled, without repetitions.
func labelsOf(c corpus, docs []doc) map[join.Pair]bool {
	numbers := make(map[string]int32, len(docs))
	for i, d := range docs {
		numbers[d.ID] = int32(i)
	}
	all := map[join.Pair]bool{}
	for _, p := range c.pairs {
		a, okA := numbers[p.a]
		b, okB := numbers[p.b]
		if okA && okB {
			all[join.Of(a, b)] = true
		}
	}
	return all
}

// sketchAll returns the sketches of documents, empty for a text shorter than a shingle.
func sketchAll(docs []doc, p signature.Params) ([]sketch.Sketch, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	all := make([]sketch.Sketch, len(docs))
	each(len(docs), func(i int) { all[i] = signature.Of(p, []byte(docs[i].Text)).Sketch })
	return all, nil
}

// each calls f with the numbers below n, on all processors.
func each(n int, f func(i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	workers.Wait()
}

// count compares all pairs, and returns a cell for each step of the lanes.
func count(sketches []sketch.Sketch, truth map[join.Pair]bool, resemble map[join.Pair]float64) []gridCell {
	steps := laneSteps()
	total := make([]gridCell, len(steps))
	var lock sync.Mutex
	each(len(sketches), func(b int) {
		own := make([]gridCell, len(steps)) // of the pairs whose agreeing lanes reach a step and not the next
		for a := range b {
			if len(sketches[a]) == 0 || len(sketches[b]) == 0 || !sketch.Within(sketches[a], sketches[b], lanes-leastLanes) {
				continue
			}
			agree := lanes - sketch.Differ(sketches[a], sketches[b])
			c := &own[min((agree-leastLanes)/laneStep, len(steps)-1)]
			pair := join.Of(int32(a), int32(b))
			c.Taken++
			if truth[pair] {
				c.Found++
			}
			if _, ok := resemble[pair]; !ok {
				c.Wrong++
			}
		}
		lock.Lock()
		defer lock.Unlock()
		for i := range own {
			total[i].add(own[i])
		}
	})
	for i := len(total) - 2; i >= 0; i-- {
		total[i].add(total[i+1])
	}
	for i := range total {
		total[i].Of = len(truth)
	}
	return total
}

func (c *gridCell) add(o gridCell) {
	c.Found, c.Taken, c.Wrong = c.Found+o.Found, c.Taken+o.Taken, c.Wrong+o.Wrong
}

func (g gridOf) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return printJSON(w, g)
	}
	truth := fmt.Sprintf("pairs of r >= %.4g", alike)
	if g.Labelled {
		truth = "labelled pairs"
	}
	fmt.Fprintf(w, "\n%s: %s of %s documents. To be found: %s %s.\n\n", g.Set, comma(g.Docs), comma(g.All),
		comma(g.Cells[units()[0].String()][0].Of), truth)
	rows := [][]string{{"shingle"}}
	for _, n := range laneSteps() {
		rows[0] = append(rows[0], fmt.Sprintf("%d lanes", n))
	}
	for _, u := range units() {
		row := []string{u.String()}
		for _, c := range g.Cells[u.String()] {
			row = append(row, strings.ReplaceAll(c.String(), "0.", "."))
		}
		rows = append(rows, row)
	}
	markdown.Table(w, rows, 1)
	return nil
}
