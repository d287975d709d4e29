package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/neardup/bleve-neardup/plugin/admission"
)

// chart is documents over time as stacked bars, drawn for each width of screen.
type chart struct {
	Title, X, Y string
	Key         []series
	Pictures    []picture
	Rows        []chartRow // the bars that have any, the newest first
}

// series is one kind of document.
type series struct {
	Name, Class string
	counts      []int
}

// chartRow is a bar as numbers.
type chartRow struct {
	Time   string
	Counts []int
}

// picture is a chart for a screen of some width: on a phone the wide one would be scaled down to
// letters too small to read.
type picture struct {
	Class                    string
	Width, Height            float64
	Left, Right, Top, Bottom float64 // of the plot
	Stacks                   []stack
	Ticks, Lines             []tick
}

// stack is one bar, and what it says.
type stack struct {
	Text  string
	Parts []rect
}

type rect struct {
	X, Y, W, H float64
	Class      string
}

type tick struct {
	At   float64
	Text string
}

// actions are what can become of a document, and what the page calls it.
var actions = []struct {
	admission.Action
	Name, Class string
}{
	{admission.Accept, "accepted", "c0"}, {admission.Tag, "tagged", "c1"}, {admission.Replace, "replaced others", "c2"}, {admission.Reject, "rejected", "c3"},
}

// classes are the colours of the parts of a policy; a part without one of its own has the last.
var classes = []struct{ policy, class string }{
	{"known", "c4"}, {"flood", "c5"}, {"near", "c6"}, {"repetition", "c2"}, {"", "c3"},
}

// charts are what came, and what a policy stopped or tagged of it.
func charts(s span, bars []slot) []chart {
	came := chart{Title: "What came", X: s.Title, Y: "documents"}
	for _, a := range actions {
		came.Key = append(came.Key, seriesOf(bars, a.Name, a.Class, func(o outcome) bool { return o.action == a.Action }))
	}
	acted := chart{Title: "What was stopped or tagged", X: s.Title, Y: "documents, by part of the policy"}
	for _, policy := range parts(bars) {
		acted.Key = append(acted.Key, seriesOf(bars, policy, classOf(policy), func(o outcome) bool { return o.policy == policy && o.action != admission.Accept }))
	}
	all := []chart{came, acted}
	for i := range all {
		all[i].draw(s, bars)
	}
	return all
}

// parts are the parts of a policy that can act, and any other that has.
func parts(bars []slot) []string {
	all := []string{"known", "flood", "near"}
	for _, b := range bars {
		for o := range b.counts {
			if o.action != admission.Accept && !slices.Contains(all, o.policy) {
				all = append(all, o.policy)
			}
		}
	}
	slices.Sort(all[3:])
	return all
}

func classOf(policy string) string {
	for _, c := range classes {
		if c.policy == policy || c.policy == "" {
			return c.class
		}
	}
	return ""
}

func seriesOf(bars []slot, name, class string, of func(outcome) bool) series {
	s := series{Name: name, Class: class}
	for _, b := range bars {
		n := 0
		for o, k := range b.counts {
			if of(o) {
				n += k
			}
		}
		s.counts = append(s.counts, n)
	}
	return s
}

// draw makes the pictures and the table.
func (c *chart) draw(s span, bars []slot) {
	most := 1
	for i, b := range bars {
		sum, row := 0, chartRow{Time: s.label(b.at)}
		for _, k := range c.Key {
			sum += k.counts[i]
			row.Counts = append(row.Counts, k.counts[i])
		}
		if most = max(most, sum); sum > 0 {
			c.Rows = append(c.Rows, row)
		}
	}
	slices.Reverse(c.Rows)
	for _, p := range []picture{{Class: "wide", Width: 600, Height: 210}, {Class: "narrow", Width: 288, Height: 190}} {
		p.Left, p.Right, p.Top, p.Bottom = 40, p.Width-4, 26, p.Height-36
		p.lines(most)
		p.stack(c.Key, s, bars)
		c.Pictures = append(c.Pictures, p)
	}
}

// lines draws lines at round numbers, the highest at or above most, and takes it for the top.
func (p *picture) lines(most int) {
	step := 1
	for i := 0; step*4 < most; i++ {
		step = step * []int{2, 5, 4}[i%3] / []int{1, 2, 2}[i%3] // 1, 2, 5, 10, 20, ...
	}
	top := (most + step - 1) / step * step
	for n := 0; n <= top; n += step {
		p.Lines = append(p.Lines, tick{p.Bottom - float64(n)/float64(top)*(p.Bottom-p.Top), fmt.Sprint(n)})
	}
}

// stack draws the bars and the labels below them.
func (p *picture) stack(key []series, s span, bars []slot) {
	var top int
	fmt.Sscan(p.Lines[len(p.Lines)-1].Text, &top)
	wide := (p.Right - p.Left) / float64(len(bars))
	every := s.every[len(s.every)-1]
	for _, n := range s.every {
		if float64(n)*wide >= 44 {
			every = n
			break
		}
	}
	for i, b := range bars {
		x, y := p.Left+float64(i)*wide, p.Bottom
		bar, said := stack{}, []string{}
		for _, k := range key {
			if k.counts[i] == 0 {
				continue
			}
			h := float64(k.counts[i]) / float64(top) * (p.Bottom - p.Top)
			y -= h
			bar.Parts = append(bar.Parts, rect{x + wide*.08, y, wide * .84, h, k.Class})
			said = append(said, fmt.Sprintf("%d %s", k.counts[i], k.Name))
		}
		if bar.Parts != nil {
			bar.Text = s.label(b.at) + ": " + strings.Join(said, ", ")
			p.Stacks = append(p.Stacks, bar)
		}
		if middle := x + wide/2; b.at%int64(every) == 0 && middle > p.Left+16 && middle < p.Right-16 {
			p.Ticks = append(p.Ticks, tick{middle, s.label(b.at)})
		}
	}
}
