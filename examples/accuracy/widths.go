package main

import (
	"fmt"
	"io"
	"sync"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/examples/internal/join"
	"github.com/neardup/bleve-neardup/examples/internal/markdown"
)

// somewhat is the least resemblance of copies of which a tenth was rewritten: what most people
// still call the same text. Pairs of less are shown apart.
const somewhat = .65

// widthRow is what the default rule does on one set, with shingles and simhash features of other
// widths.
type widthRow struct {
	Width        int `json:"width"`
	SimhashWidth int `json:"simhash_width"`
	Taken        int `json:"taken"`           // pairs
	Unlike       int `json:"below_.5"`        // of them, by exact resemblance
	Half         int `json:"from_.5_to_.65"`  // likewise
	Near         int `json:"from_.65_to_.8"`  // likewise
	Found        int `json:"labelled"`        // of them, labelled pairs
	Of           int `json:"labelled_in_all"` // 0 where nobody has labelled any
}

// widthsOf is a table for one set.
type widthsOf struct {
	Set       string     `json:"set"`
	Documents int        `json:"documents"`
	Rows      []widthRow `json:"rows"`
}

func (w widthRow) params() signature.Params {
	p := signature.DefaultParams()
	p.Width, p.SimhashWidth = w.Width, w.SimhashWidth
	return p
}

// printWidths measures the default rule with several widths, on every set below a folder.
func printWidths(o options, stdout, stderr io.Writer) error {
	return eachSet(o.widths, "--widths", stderr, func(c corpus) error {
		m := widthsOf{Set: c.name}
		c = sample(c, o.most, o.seed)
		sets, docs, err := exactSets(c.docs)
		if err != nil {
			return err
		}
		m.Documents = len(docs)
		resemble, truth := join.Pairs(sets, unlike), labelsOf(c, docs)
		for _, row := range []widthRow{{Width: 4, SimhashWidth: 4}, {Width: 3, SimhashWidth: 4}, {Width: 2, SimhashWidth: 4}, {Width: 2, SimhashWidth: 2}} {
			m.Rows = append(m.Rows, row.measure(docs, truth, resemble))
		}
		return m.print(stdout, o.json)
	})
}

// measure compares all pairs.
func (w widthRow) measure(docs []doc, truth map[join.Pair]bool, resemble map[join.Pair]float64) widthRow {
	w.Of = len(truth)
	signatures := make([]signature.Signature, len(docs))
	each(len(docs), func(i int) { signatures[i] = signature.Of(w.params(), []byte(docs[i].Text)) })
	var rule signature.Rule
	var lock sync.Mutex
	each(len(docs), func(b int) {
		var own widthRow
		for a := range b {
			if rule.Duplicates(&signatures[a], &signatures[b]) {
				pair := join.Of(int32(a), int32(b))
				own.add(resemble[pair], truth[pair])
			}
		}
		lock.Lock()
		defer lock.Unlock()
		w.Taken, w.Unlike, w.Half = w.Taken+own.Taken, w.Unlike+own.Unlike, w.Half+own.Half
		w.Near, w.Found = w.Near+own.Near, w.Found+own.Found
	})
	return w
}

// add counts a pair that the rule takes.
func (w *widthRow) add(r float64, labelled bool) {
	w.Taken++
	switch {
	case r < unlike:
		w.Unlike++
	case r < somewhat:
		w.Half++
	case r < alike:
		w.Near++
	}
	if labelled {
		w.Found++
	}
}

func (m widthsOf) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return printJSON(w, m)
	}
	fmt.Fprintf(w, "\n%s: %s documents. Pairs that the default rule takes, by their exact resemblance.\n\n", m.Set, comma(m.Documents))
	rows := [][]string{{"words of a shingle", "of a feature", "taken", "< .5", ".5 to .65", ".65 to .8", "labelled"}}
	for _, r := range m.Rows {
		labelled := "–"
		if r.Of > 0 {
			labelled = fmt.Sprintf("%s of %s", comma(r.Found), comma(r.Of))
		}
		rows = append(rows, []string{
			fmt.Sprint(r.Width), fmt.Sprint(r.SimhashWidth), comma(r.Taken), comma(r.Unlike), comma(r.Half), comma(r.Near), labelled,
		})
	}
	markdown.Table(w, rows, 0)
	return nil
}
