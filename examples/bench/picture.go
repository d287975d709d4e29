package main

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// All lengths of a picture are in pixels of its own.
const (
	pictureWidth = 820
	rowHeight    = 22
	headHeight   = 62
	footHeight   = 12
)

// panel is a column of a picture, with an axis of its own.
type panel struct {
	title     string
	left      float64
	width     float64
	from, end float64 // of the axis
	ticks     []float64
	log       bool
}

// at is where a value stands.
func (p panel) at(v float64) float64 {
	v = min(max(v, p.from), p.end)
	if p.log {
		return p.left + p.width*math.Log(v/p.from)/math.Log(p.end/p.from)
	}
	return p.left + p.width*(v-p.from)/(p.end-p.from)
}

// decades is a logarithmic axis from the decade of the least value to that of the greatest.
func decades(title string, left, width float64, values []float64) panel {
	least, most := math.Inf(1), 0.
	for _, v := range values {
		if v > 0 {
			least, most = min(least, v), max(most, v)
		}
	}
	if most == 0 {
		least, most = 1, 10
	}
	low, high := math.Floor(math.Log10(least)), math.Ceil(math.Log10(most))
	p := panel{title: title, left: left, width: width, log: true, from: math.Pow(10, low), end: math.Pow(10, max(high, low+1))}
	for d := low; d <= max(high, low+1); d++ {
		p.ticks = append(p.ticks, math.Pow(10, d))
	}
	return p
}

const pictureStyle = `<style>
text{font:12px system-ui,"Liberation Sans",Arial,sans-serif;fill:#1f2328}
.soft{fill:#59636e}.strong{font-size:14px;font-weight:600}.end{text-anchor:end}.middle{text-anchor:middle}
.page{fill:#fff}.grid{stroke:#d8dee4}.bar{fill:#5b7fbf}.own{fill:#0b5bd3}.precision{fill:#b54708}.recall{fill:#1a7f37}
.span{stroke:#8c959f;stroke-width:2}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}.soft{fill:#9da7b3}.page{fill:#0d1117}.grid{stroke:#2b313a}.bar{fill:#5c7cb0}.own{fill:#6cb0ff}
.precision{fill:#ff9a4d}.recall{fill:#4ac26b}.span{stroke:#6e7681}
}
</style>
`

// picture draws what the programs did on a corpus, as SVG with colours for light and dark screens.
func (r *results) picture(c corpusRow) string {
	var runs []result
	var cpu, memory []float64
	for _, p := range r.Programs {
		if x, ok := r.of(p.Name, c.Name); ok && x.Status == done {
			runs = append(runs, x)
			cpu, memory = append(cpu, x.CPU), append(memory, float64(x.Peak)/1e6)
		}
	}
	panels := []panel{
		decades("CPU seconds, log scale", 170, 190, cpu),
		decades("memory in MB, log scale", 390, 170, memory),
		{title: "", left: 600, width: 190, end: 1, ticks: []float64{0, .5, 1}},
	}
	height := headHeight + rowHeight*len(runs) + footHeight
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 %d %d" width="%d" height="%d">`+"\n", pictureWidth, height, pictureWidth, height)
	fmt.Fprintf(&b, "<title>%s: CPU, memory, precision and recall of %d programs</title>\n", html.EscapeString(c.Name), len(runs))
	b.WriteString(pictureStyle)
	fmt.Fprintf(&b, "<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n", pictureWidth, height)
	text := func(x float64, y int, class, s string) {
		fmt.Fprintf(&b, "<text x=\"%.1f\" y=\"%d\" class=%q>%s</text>\n", x, y, class, html.EscapeString(s))
	}
	text(10, 22, "strong", c.Name)
	dot := func(x float64, y int, class, name string, value float64) {
		fmt.Fprintf(&b, "<circle cx=\"%.1f\" cy=\"%d\" r=\"5\" class=%q><title>%s</title></circle>\n", x, y, class, html.EscapeString(fmt.Sprintf("%s %s", name, number(value))))
	}
	for i, p := range panels {
		text(p.left, 38, "", p.title)
		if i == 2 {
			dot(p.left+5, 34, "precision", "precision", 0)
			text(p.left+14, 38, "", "precision")
			dot(p.left+85, 34, "recall", "recall", 0)
			text(p.left+94, 38, "", "recall")
		}
		for _, v := range p.ticks {
			fmt.Fprintf(&b, "<path class=\"grid\" d=\"M%.1f %dV%d\"/>\n", p.at(v), headHeight-4, height-footHeight)
			text(p.at(v), headHeight-8, "soft middle", axisNumber(v))
		}
	}
	for i, x := range runs {
		y := headHeight + i*rowHeight
		text(160, y+15, "end", x.Program)
		for j, v := range []float64{cpu[i], memory[i]} {
			p := panels[j]
			class := "bar"
			if strings.HasPrefix(x.Program, ownPrefix) {
				class = "own"
			}
			fmt.Fprintf(&b, "<rect class=%q x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"14\" rx=\"2\"><title>%s</title></rect>\n", class, p.left, y+4, max(1, p.at(v)-p.left), seconds(v))
		}
		if x.Found == 0 || c.Near == 0 {
			continue
		}
		p, precision, recall := panels[2], float64(x.Right)/float64(x.Found), float64(x.Right)/float64(c.Near)
		fmt.Fprintf(&b, "<path class=\"span\" d=\"M%.1f %dH%.1f\"/>\n", p.at(precision), y+11, p.at(recall))
		dot(p.at(precision), y+11, "precision", "precision", precision)
		dot(p.at(recall), y+11, "recall", "recall", recall)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// ownPrefix begins the names of the programs that use this library.
const ownPrefix = "neardup"

// axisNumber writes the number of a tick, without the 0 before a point.
func axisNumber(v float64) string {
	if v > 0 && v < 1 {
		return strings.TrimPrefix(fmt.Sprintf("%.3g", v), "0")
	}
	return fmt.Sprintf("%.0f", v)
}
