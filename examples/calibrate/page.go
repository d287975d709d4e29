package main

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"

	"github.com/neardup/bleve-neardup/examples/internal/style"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

// page is the report for people.
var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"count":    count,
	"distance": distance,
	"short":    func() int { return short },
	"percent":  func(a, b int) string { return fmt.Sprintf("%.1f %%", 100*float64(a)/float64(max(b, 1))) },
}).Parse(pageText))

// view is what the page shows.
type view struct {
	*report
	Style  template.CSS
	Lanes  []score // in steps, otherwise the present rule
	Judged bool    // there are shares to show
	Rows   []row
	Heads  []head
	Told   []string // contradictions that are told one by one
	Untold int
}

// head is a column of the table of what is hidden.
type head struct {
	Hamming int
	Wide    bool // not on a phone
}

// row is the thresholds of one number of lanes.
type row struct {
	Lanes int
	Cells []cell
}

type cell struct {
	folded
	Shade int  // 0 to 60: percent of the accent colour, by documents hidden
	Here  bool // the present rule
	Wide  bool // not on a phone
}

func (r *report) html(w io.Writer) error {
	v := view{report: r, Style: template.CSS(style.Sheet + pageStyle)}
	v.Told = r.Contradicted[:min(len(r.Contradicted), mostContradicted)]
	v.Untold = len(r.Contradicted) - len(v.Told)
	least, most := r.Documents, 0
	for _, f := range r.Folded {
		least, most = min(least, f.Hidden), max(most, f.Hidden)
	}
	for i, h := range r.hammings {
		v.Heads = append(v.Heads, head{h, i%4 != 0 && h != r.Threshold.Hamming && i != len(r.hammings)-1})
	}
	for i, f := range r.Folded {
		at := i % len(r.hammings)
		if at == 0 {
			v.Rows = append(v.Rows, row{Lanes: f.Lanes})
		}
		last := &v.Rows[len(v.Rows)-1]
		last.Cells = append(last.Cells, cell{f, 60 * (f.Hidden - least) / max(1, most-least), f.threshold == r.Threshold, v.Heads[at].Wide})
	}
	for _, s := range r.Ways[0].Curve {
		if s.Lanes%5 == 0 || s.Lanes == r.Threshold.Lanes {
			v.Lanes = append(v.Lanes, s)
		}
	}
	v.Judged = slices.ContainsFunc(v.Lanes, func(s score) bool { return s.Precision.Of > 0 || s.Recall.Of > 0 })
	return page.Execute(w, v)
}
