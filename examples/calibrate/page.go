package main

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
)

//go:embed page.html
var pageText string

// page is the report for people.
var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"count":    count,
	"distance": distance,
	"percent":  func(a, b int) string { return fmt.Sprintf("%.1f %%", 100*float64(a)/float64(max(b, 1))) },
	"ratio":    func(v float64) string { return fmt.Sprintf("%.4f", v) },
	"verdicts": func() []string { return verdictNames },
}).Parse(pageText))

// view is what the page shows.
type view struct {
	*report
	Charts []chart
	Rows   []row
	Heads  []int
}

// row is the thresholds of one number of lanes.
type row struct {
	Lanes int
	Cells []cell
}

type cell struct {
	folded
	Score score
	Shade int  // 0 to 60: percent of the accent colour, by documents hidden
	Here  bool // the present rule
}

func (r *report) html(w io.Writer) error {
	v := view{report: r, Heads: r.hammings}
	least, most := r.Documents, 0
	for _, f := range r.Folded {
		least, most = min(least, f.Hidden), max(most, f.Hidden)
	}
	for i, f := range r.Folded {
		if i%len(r.hammings) == 0 {
			v.Rows = append(v.Rows, row{Lanes: f.Lanes})
		}
		last := &v.Rows[len(v.Rows)-1]
		last.Cells = append(last.Cells, cell{f, r.Scores[i], 60 * (f.Hidden - least) / max(1, most-least), f.threshold == r.Threshold})
	}
	v.Charts = []chart{
		draw("Agreeing lanes", fmt.Sprintf("pairs of texts by agreeing lanes of %d; complete from %d on", r.Params.Lanes, r.Loose.Lanes), r.Lanes, float64(r.Threshold.Lanes)),
		draw("Hamming distance", fmt.Sprintf("pairs of texts by Hamming distance of the simhashes; complete up to %d", r.Loose.Hamming), r.Hamming, float64(r.Threshold.Hamming+1)),
		draw("Exact resemblance", "the same pairs by exact resemblance; not complete where it is low", r.Resemblance, math.NaN()),
	}
	return page.Execute(w, v)
}

// chart is a bar chart, in the coordinates of its picture.
type chart struct {
	Title, Note   string
	Width, Height float64
	Bars          []bar
	Ticks, Lines  []tick
	Mark          float64 // where the threshold is; 0 for none
	Rows          []bin   // the same as a table
}

type bar struct {
	X, Y, W, H float64
	Kind       string
}

type tick struct {
	At   float64
	Text string
}

type bin struct {
	Name   string
	Counts [3]int
}

const (
	chartWidth, chartHeight = 640, 220
	left, bottom, top       = 48, 24, 8
)

// draw draws a histogram. Heights are square roots, so that bars of few pairs are seen
// beside bars of many. The parts of a bar are its shares of different pairs, of pairs
// between, and of copies.
func draw(title, note string, h histogram, mark float64) chart {
	c := chart{Title: title, Note: note, Width: chartWidth, Height: chartHeight}
	most := 1
	for _, n := range h.Counts {
		most = max(most, n[0]+n[1]+n[2])
	}
	step := float64(chartWidth-left-8) / float64(len(h.Counts))
	height := func(n int) float64 {
		return math.Sqrt(float64(n)/float64(most)) * (chartHeight - bottom - top)
	}
	every := (len(h.Counts) + 11) / 12
	for i, counts := range h.Counts {
		x, y, sum := left+float64(i)*step, float64(chartHeight-bottom), counts[0]+counts[1]+counts[2]
		for kind, n := range counts {
			if n > 0 {
				part := height(sum) * float64(n) / float64(sum)
				y -= part
				c.Bars = append(c.Bars, bar{x + step*.1, y, step * .8, part, verdictNames[kind]})
			}
		}
		name := fmt.Sprintf("%.4g", h.From+float64(i)*h.Width)
		if i%every == 0 {
			c.Ticks = append(c.Ticks, tick{x + step/2, name})
		}
		if sum > 0 {
			c.Rows = append(c.Rows, bin{name, counts})
		}
	}
	for _, share := range []float64{.0625, .25, .5625, 1} {
		n := int(math.Round(share * float64(most)))
		if n > 0 && (len(c.Lines) == 0 || c.Lines[len(c.Lines)-1].Text != fmt.Sprint(n)) {
			c.Lines = append(c.Lines, tick{chartHeight - bottom - height(n), fmt.Sprint(n)})
		}
	}
	if i := (mark - h.From) / h.Width; i >= 0 && i <= float64(len(h.Counts)) {
		c.Mark = left + i*step
	}
	return c
}
