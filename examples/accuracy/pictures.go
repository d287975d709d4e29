package main

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot/plotter"
)

// pictures are those for which r has figures.
func pictures(r *report) (all []picture) {
	if len(r.Simulated) > 0 {
		all = append(all, acceptance(r.Simulated), variance(r.Simulated))
	}
	if len(r.Corpora) > 0 {
		all = append(all, recall(r.Corpora[0]))
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
	binomial := series{ink: silver, width: 5, label: "binomial: independent lanes", labelInk: &grey, labelX: .755, labelY: .93}
	for r := .75; r < 1.0005; r += .0025 {
		binomial.points = append(binomial.points, plotter.XY{X: r, Y: atLeast(lanes, need, r)})
	}
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
		for _, x := range g {
			if x.cell.r() > .7499 {
				s.points = append(s.points, plotter.XY{X: x.cell.r(), Y: x.tally.share()})
			}
		}
		p.series = append(p.series, s)
	}
	return p
}

// variance is that of the estimates by the size of the sets.
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
		similarityName:   {ink: blue, width: 2, dots: 2.5, label: similarityName, labelX: 210, labelY: .57},
		permutationsName: {ink: grey, width: 2, dots: 2.5, label: permutationsName, labelX: 5, labelY: 1.07},
	}
	for _, name := range []string{permutationsName, similarityName} {
		s := curves[name]
		for _, g := range groups(results) {
			if g[0].method == name && g[0].kind == laneKinds[0] {
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
