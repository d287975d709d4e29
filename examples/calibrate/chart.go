package main

import (
	"fmt"
	"math"
	"slices"
)

// chart is a chart, in the coordinates of its pictures.
type chart struct {
	Title, Note string
	X, Y        string // titles of the axes
	Pictures    []picture
	Key         []string // classes of what is drawn
	Rows        []bin    // the numbers of a bar chart as a table
}

// picture is a chart for a screen of some width.
type picture struct {
	Class         string // which screen
	Width, Height float64
	Left, Right   float64 // of the plot
	Top, Bottom   float64
	Bars          []bar
	Curves        []curve
	Ticks, Lines  []tick
	Mark          float64 // where the present rule is; 0 for none
	Advised       float64 // where the recommended rule is; 0 for none
}

type bar struct {
	X, Y, W, H float64
	Kind       string
}

// curve is a line and the band of its intervals, as points of SVG.
type curve struct{ Kind, Line, Band string }

type tick struct {
	At   float64
	Text string
}

type bin struct {
	Name   string
	Counts [3]int
}

// pictures are one for wide screens, and one for phones, on which the wide one would be
// scaled down to letters too small to read.
func pictures() []picture {
	frame := func(class string, width, height float64) picture {
		return picture{Class: class, Width: width, Height: height, Left: 56, Right: width - 8, Top: 36, Bottom: height - 40}
	}
	return []picture{frame("wide", 640, 250), frame("narrow", 320, 230)}
}

// bars draws a histogram. Heights are square roots, so that bars of few pairs are seen
// beside bars of many. The parts of a bar are its shares of different pairs, of pairs
// between, and of copies.
func bars(title, note string, h histogram, mark float64) chart {
	c := chart{Title: title, Note: note, X: title, Y: "pairs of texts (heights: square root)", Key: verdictNames}
	most := 1
	for i, n := range h.Counts {
		most = max(most, n[0]+n[1]+n[2])
		if n[0]+n[1]+n[2] > 0 {
			c.Rows = append(c.Rows, bin{h.name(i), n})
		}
	}
	for _, p := range pictures() {
		p.bars(h, most)
		p.Mark = p.at(mark, h.From, h.Width, len(h.Counts))
		c.Pictures = append(c.Pictures, p)
	}
	return c
}

// name is the least number of a bin.
func (h histogram) name(i int) string { return fmt.Sprintf("%.4g", h.From+float64(i)*h.Width) }

// bars draws the bars of h, of which the highest stands for most pairs.
func (p *picture) bars(h histogram, most int) {
	step := (p.Right - p.Left) / float64(len(h.Counts))
	height := func(n int) float64 { return math.Sqrt(float64(n)/float64(most)) * (p.Bottom - p.Top) }
	for i, counts := range h.Counts {
		x, y, sum := p.Left+float64(i)*step, p.Bottom, counts[0]+counts[1]+counts[2]
		for kind, n := range counts {
			if n > 0 {
				part := height(sum) * float64(n) / float64(sum)
				y -= part
				p.Bars = append(p.Bars, bar{x + step*.1, y, step * .8, part, verdictNames[kind]})
			}
		}
		if i%p.every(len(h.Counts)) == 0 {
			p.Ticks = append(p.Ticks, tick{x + step/2, h.name(i)})
		}
	}
	for _, share := range []float64{.0625, .25, .5625, 1} {
		n := int(math.Round(share * float64(most)))
		if n > 0 && (len(p.Lines) == 0 || p.Lines[len(p.Lines)-1].Text != fmt.Sprint(n)) {
			p.Lines = append(p.Lines, tick{p.Bottom - height(n), fmt.Sprint(n)})
		}
	}
}

// every is how many of n places share a tick, so that these have 50 pixels each.
func (p *picture) every(n int) int {
	most := int((p.Right - p.Left) / 50)
	return (n + most - 1) / most
}

// at is where v is on an axis of n places, or 0 if it is none.
func (p *picture) at(v, from, width float64, n int) float64 {
	if i := (v - from) / width; i >= 0 && i <= float64(n) {
		return p.Left + i*(p.Right-p.Left)/float64(n)
	}
	return 0
}

// shares draws precision and recall by lanes, with their intervals. scores are from the most
// lanes down to the fewest. The axis begins below the least of all.
func shares(title, note string, scores []score, mark, advised int) chart {
	scores = slices.Clone(scores)
	slices.Reverse(scores)
	c := chart{Title: title, Note: note, X: "least agreeing lanes", Y: "share of pairs", Key: []string{"precision", "recall"}}
	least := .9
	for _, s := range scores {
		for _, v := range []share{s.Precision, s.Recall} {
			if v.Of > 0 {
				least = min(least, math.Floor(v.Low*10)/10)
			}
		}
	}
	for _, p := range pictures() {
		place := func(lanes int) float64 {
			return p.at(float64(lanes)+.5, float64(scores[0].Lanes), 1, len(scores))
		}
		p.curve("precision", scores, least, place, func(s score) share { return s.Precision })
		p.curve("recall", scores, least, place, func(s score) share { return s.Recall })
		for i := 0; i < len(scores); i += p.every(len(scores)) {
			p.Ticks = append(p.Ticks, tick{place(scores[i].Lanes), fmt.Sprint(scores[i].Lanes)})
		}
		for i := range 5 {
			v := least + (1-least)*float64(i)/4
			p.Lines = append(p.Lines, tick{p.height(v, least), fmt.Sprintf("%.3g", v)})
		}
		if p.Mark = place(mark); advised != mark {
			p.Advised = place(advised)
		}
		c.Pictures = append(c.Pictures, p)
	}
	return c
}

// height is where a share is on an axis from least to 1.
func (p *picture) height(v, least float64) float64 {
	return p.Bottom - (v-least)/(1-least)*(p.Bottom-p.Top)
}

// curve draws one share of the scores, and the band of its intervals, unless it is a share of
// nothing.
func (p *picture) curve(kind string, scores []score, least float64, place func(lanes int) float64, of func(score) share) {
	k := curve{Kind: kind}
	var back string
	for _, s := range scores {
		if v := of(s); v.Of > 0 {
			point := func(v float64) string { return fmt.Sprintf("%.1f,%.1f ", place(s.Lanes), p.height(v, least)) }
			k.Line += point(v.Value)
			k.Band += point(v.Low)
			back = point(v.High) + back
		}
	}
	if k.Line != "" {
		k.Band += back
		p.Curves = append(p.Curves, k)
	}
}
