package main

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot/plotter"
)

// pictures are those for which r has figures.
func pictures(r *report) (all []picture) {
	if len(r.Simulated) > 0 {
		all = append(all, acceptance(r.Simulated), methodsCompared(r.Simulated), variance(r.Simulated))
	}
	if len(r.Corpora) > 0 {
		all = append(all, recall(r.Corpora[0]))
	}
	if len(r.short) > 0 {
		all = append(all, shortTexts(r.short[0]))
	}
	return all
}

// share is an axis of probabilities.
func share(name string) axis {
	return axis{name: name, ticks: []float64{0, .25, .5, .75, 1}, labels: []string{"0", ".25", ".50", ".75", "1"}}
}

// acceptance is P(duplicate | resemblance) of this library's sketch, for small and
// large documents, on the binomial.
func acceptance(results []result) picture {
	p := picture{
		name:     "acceptance",
		title:    "Which pairs the sketch takes for near-duplicates",
		subtitle: "Share of pairs with 90 or more of 100 agreeing lanes, by their exact resemblance",
		x:        axis{name: "resemblance", ticks: []float64{.75, .8, .85, .9, .95, 1}, labels: []string{".75", ".80", ".85", ".90", ".95", "1"}},
		y:        share("taken for duplicates"),
	}
	binomial := binomialCurve(.75)
	binomial.label, binomial.labelInk, binomial.labelX, binomial.labelY = "binomial: independent lanes", &grey, .755, .93
	p.series = append(p.series, binomial)
	curves := map[int]series{
		20:    {ink: orange, dots: 3.5, label: "20 shingles in the two documents", labelX: .755, labelY: .85},
		200:   {ink: blue, width: 1.5, dots: 2.5, label: "200 shingles", labelX: .755, labelY: .77},
		10000: {ink: green, dots: 2, label: "10,000 shingles", labelX: .755, labelY: .69},
	}
	for _, g := range groups(results) {
		s, ok := curves[g[0].cell.union]
		if !ok || g[0].method != similarityName || g[0].kind != laneKinds[0] {
			continue
		}
		s.points = shares(g, .75)
		p.series = append(p.series, s)
	}
	return p
}

// binomialCurve is what independent lanes would do, from a resemblance on.
func binomialCurve(from float64) series {
	s := series{ink: silver, width: 5}
	for r := from; r < 1.0005; r += .0025 {
		s.points = append(s.points, plotter.XY{X: r, Y: atLeast(lanes, need, r)})
	}
	return s
}

// shares are the points of P(duplicate | resemblance), from a resemblance on.
func shares(g group, from float64) (points plotter.XYs) {
	for _, x := range g {
		if x.cell.r() > from-1e-9 {
			points = append(points, plotter.XY{X: x.cell.r(), Y: x.tally.share()})
		}
	}
	return points
}

// methodsCompared is P(duplicate | resemblance) of all methods, for documents of
// usual size.
func methodsCompared(results []result) picture {
	const union = 1000
	p := picture{
		name:     "methods",
		title:    "Which pairs each sketch takes for near-duplicates",
		subtitle: "Share of pairs of documents with 1,000 shingles together, by their exact resemblance",
		x:        axis{name: "resemblance", ticks: []float64{.6, .7, .8, .9, 1}, labels: []string{".60", ".70", ".80", ".90", "1"}},
		y:        share("taken for duplicates"),
	}
	p.series = append(p.series, binomialCurve(.6))
	curves := map[kind]series{
		laneKinds[0]:         {ink: blue, width: 1.5, dots: 2.5, label: "fast similarity sketching, 100 lanes"},
		{name: "100 values"}: {ink: green, dots: 2, label: "bottom-100"},
		{name: "m = 25"}:     {ink: orange, width: 1.5, dots: 2.5, label: "mod 25, some 40 values"},
		supershingles:        {ink: purple, width: 1.5, dots: 2.5, label: "2 of 6 supershingles, 84 lanes"},
	}
	y := .93
	p.series[0].label, p.series[0].labelInk, p.series[0].labelX, p.series[0].labelY = "binomial: independent lanes", &grey, .605, y
	for _, g := range groups(results) {
		s, ok := curves[g[0].kind]
		if !ok || g[0].cell.union != union || g[0].method == permutationsName {
			continue
		}
		y -= .08
		s.labelX, s.labelY = .605, y
		s.points = shares(g, .6)
		p.series = append(p.series, s)
	}
	return p
}

// variance shows the variance of the estimates, by the size of the sets.
func variance(results []result) picture {
	p := picture{
		name:     "variance",
		title:    "How much the estimate of the resemblance varies",
		subtitle: "Variance as part of the binomial r(1-r)/100, by the size of the documents",
		x: axis{
			name: "shingles of both documents together", log: true, from: 5, end: 10000,
			ticks: []float64{5, 10, 20, 60, 200, 1000, 10000}, labels: []string{"5", "10", "20", "60", "200", "1,000", "10,000"},
		},
		y: axis{name: "variance / binomial", ticks: []float64{0, .5, 1, 1.25}, labels: []string{"0", ".5", "1", ""}},
	}
	curves := map[string]series{
		similarityName:   {ink: blue, width: 2, dots: 2.5, label: similarityName, labelX: 5, labelY: .57},
		permutationsName: {ink: grey, width: 2, dots: 2.5, label: permutationsName, labelX: 5, labelY: 1.07},
		bottomName:       {ink: green, width: 2, dots: 2.5, label: "bottom-100: exact up to 100", labelX: 5, labelY: .07},
	}
	for _, name := range []string{permutationsName, bottomName, similarityName} {
		s := curves[name]
		for _, g := range groups(results) {
			if g[0].method == name && g[0].kind.bits != laneKinds[1].bits && !math.IsNaN(g.variance()) {
				s.points = append(s.points, plotter.XY{X: float64(g[0].cell.union), Y: g.variance()})
			}
		}
		p.series = append(p.series, s)
	}
	return p
}

// recall is which pairs of a corpus the rules take for duplicates.
func recall(m measured) picture {
	p := picture{
		name:     "rules",
		title:    "Which pairs the rules take for near-duplicates, on text",
		subtitle: fmt.Sprintf("Share of the pairs of %s documents, by their exact resemblance", comma(m.docs)),
		y:        share("taken for duplicates"),
		x:        axis{name: "resemblance, and number of pairs", from: -.3, end: float64(len(edges)) - 1.7},
	}
	styles := []series{
		{ink: blue, label: "sketch", labelX: 4.65, labelY: .78, right: true},
		{ink: orange, label: "simhash of 4-shingles", labelX: 5.15, labelY: .09},
		{ink: purple, label: "simhash of words", labelX: 1.15, labelY: .78},
	}
	for i := 1; i < len(edges); i++ {
		name := "equal"
		if i+1 < len(edges) {
			name = strings.ReplaceAll(fmt.Sprintf("%.3g-%.3g", edges[i], edges[i+1]), "0.", ".")
		}
		name += "\n" + comma(m.pairs[i])
		p.x.ticks = append(p.x.ticks, float64(i-1))
		p.x.labels = append(p.x.labels, name)
	}
	for rule, s := range styles {
		s.width, s.dots = 2, 3
		for i := 1; i < len(edges); i++ {
			if m.pairs[i] > 0 {
				s.points = append(s.points, plotter.XY{X: float64(i - 1), Y: float64(m.taken[rule][i]) / float64(m.pairs[i])})
			}
		}
		p.series = append(p.series, s)
	}
	return p
}
