package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/plot/plotter"

	"github.com/neardup/bleve-neardup/analysis/signature"
	keys "github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/examples/internal/join"
	"github.com/neardup/bleve-neardup/examples/internal/markdown"
)

// setting is a way to sign and to compare short texts.
type setting struct {
	unit  unit
	rule  signature.Rule
	lanes int // of the sketch; the default if 0
}

func (s setting) String() string {
	if s.lanes > 0 {
		return fmt.Sprintf("%s, %d of %d lanes", s.unit, s.rule.Lanes, s.lanes)
	}
	return fmt.Sprintf("%s, %d lanes", s.unit, s.rule.Lanes)
}

func (s setting) params() signature.Params {
	p := s.unit.params()
	p.Lanes = cmp.Or(s.lanes, p.Lanes)
	return p
}

// settings are those that are measured for short texts: the grid, and single lanes where it
// comes close to what a preset is to do.
func settings() (all []setting) {
	for _, u := range units() {
		for n := leastLanes; n <= mostLanes; n++ {
			if n%laneStep == 0 || u.words == 2 && n > 60 && n < 70 {
				all = append(all, setting{unit: u, rule: signature.Rule{Lanes: n}})
			}
		}
	}
	for n := 87; n <= 105; n++ {
		all = append(all, setting{unit{words: 2}, signature.Rule{Lanes: n}, 150})
	}
	return all
}

// shortLengths are the lengths of texts, in words.
var shortLengths = []int{5, 8, 10, 12, 15, 20, 25, 30, 40, 60, 80}

// shortest is what a setting does on the texts of one corpus.
type shortest struct {
	Setting string    `json:"setting"`
	Found   []float64 `json:"found"` // by length: the share of texts that are found after one word was changed
	Taken   []taken   `json:"taken"` // by cut

	setting setting
}

// taken is the pairs of first sentences of different documents that a setting takes for
// near-duplicates.
type taken struct {
	Edited int  `json:"one_word"` // one word differs: what the setting is to find
	Wrong  int  `json:"wrong"`    // all others
	Rate   rate `json:"rate"`     // of wrong pairs
}

// shortCorpus is the settings on the texts of one corpus.
type shortCorpus struct {
	Corpus    string     `json:"corpus"`
	Documents int        `json:"documents"` // different ones
	Texts     []int      `json:"texts"`     // by length
	Cuts      []string   `json:"cuts"`      // what ends a sentence
	Sentences []int      `json:"sentences"` // by cut
	Settings  []shortest `json:"settings"`
}

const (
	thousand  = 1000
	mostShort = 400 // texts of a length
)

// rate is how many of the pairs of a thousand sentences are wrong: with n sentences there are about
// n²/2 pairs, and a thousand have (1000/n)² times as many. The interval is Wilson's, of 95 %, as if
// pairs were independent.
type rate struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

func newRate(wrong, sentences int) (r rate) {
	pairs := float64(sentences) * float64(sentences-1) / 2
	if pairs == 0 {
		return r
	}
	const z, in = 1.959964, thousand * (thousand - 1) / 2
	p := float64(wrong) / pairs
	middle, half := p+z*z/(2*pairs), z*math.Sqrt(p*(1-p)/pairs+z*z/(4*pairs*pairs))
	r = rate{in * p, in * (middle - half) / (1 + z*z/pairs), in * (middle + half) / (1 + z*z/pairs)}
	if wrong == 0 {
		r.Low = 0
	}
	return r
}

func (r rate) String() string { return fmt.Sprintf("%.2f (%.2f to %.2f)", r.Value, r.Low, r.High) }

// measureShort measures one corpus.
func measureShort(c corpus, o options) (shortCorpus, error) {
	c = sample(c, o.most, o.seed)
	texts := make([][]string, len(c.docs))
	each(len(texts), func(i int) {
		texts[i] = folded(c.docs[i].Text[:min(len(c.docs[i].Text), 20_000)], 100)
	})
	unlike, err := distinct(c.docs)
	if err != nil {
		return shortCorpus{}, err
	}
	m := shortCorpus{Corpus: c.name, Documents: len(unlike)}
	var edits [][][2]string // by length
	rnd := rand.New(rand.NewPCG(o.seed, 2))
	for _, n := range shortLengths {
		edits = append(edits, changed(rnd, texts, n))
		m.Texts = append(m.Texts, len(edits[len(edits)-1]))
	}
	var known [][][]string // by cut
	for _, cut := range sentenceCuts {
		known = append(known, cut.firsts(unlike))
		m.Cuts, m.Sentences = append(m.Cuts, cut.name), append(m.Sentences, len(known[len(known)-1]))
	}
	for _, s := range settings() {
		m.Settings = append(m.Settings, s.measure(edits, known))
	}
	return m, nil
}

// distinct returns the texts of documents, each unlike all before it.
func distinct(docs []doc) (texts []string, err error) {
	sets, docs, err := exactSets(docs)
	if err != nil {
		return nil, err
	}
	alike := make([]bool, len(docs))
	for pair := range join.Pairs(sets, unlike) {
		alike[pair.B] = true
	}
	for i, d := range docs {
		if !alike[i] {
			texts = append(texts, d.Text)
		}
	}
	return texts, nil
}

// changed returns pairs of texts: the first n words of each text, and the same with a word changed
// to that of another text, at a random place.
func changed(rnd *rand.Rand, texts [][]string, n int) (pairs [][2]string) {
	seen := map[string]bool{}
	for _, words := range texts {
		if len(pairs) == mostShort {
			break
		}
		if len(words) < n {
			continue
		}
		before := strings.Join(words[:n], " ")
		if seen[before] {
			continue
		}
		seen[before] = true
		other := texts[rnd.IntN(len(texts))]
		if len(other) == 0 {
			continue
		}
		after, at := slices.Clone(words[:n]), rnd.IntN(n)
		if after[at] = other[rnd.IntN(len(other))]; after[at] == words[at] {
			continue
		}
		pairs = append(pairs, [2]string{before, strings.Join(after, " ")})
	}
	return pairs
}

// measure measures one setting. Of the pairs of sentences that the rule takes, those in which one
// word differs are what it is to find, and all others are wrong.
func (s setting) measure(edits [][][2]string, cuts [][][]string) shortest {
	m := shortest{Setting: s.String(), setting: s}
	p := s.params()
	for _, pairs := range edits {
		found := 0
		for _, pair := range pairs {
			a, b := signature.Of(p, []byte(pair[0])), signature.Of(p, []byte(pair[1]))
			if s.rule.Duplicates(&a, &b) {
				found++
			}
		}
		m.Found = append(m.Found, float64(found)/float64(max(1, len(pairs))))
	}
	for _, all := range cuts {
		m.Taken = append(m.Taken, s.takes(all))
	}
	return m
}

// takes counts the pairs of sentences that the rule takes.
func (s setting) takes(all [][]string) (t taken) {
	p := s.params()
	signatures := make([]signature.Signature, len(all))
	each(len(all), func(i int) { signatures[i] = signature.Of(p, []byte(strings.Join(all[i], " "))) })
	before := keys.New(s.rule)
	for b := range signatures {
		for a := range before.Each(&signatures[b]) {
			if oneEdit(all[a], all[b]) {
				t.Edited++
			} else {
				t.Wrong++
			}
		}
		before.Add(&signatures[b])
	}
	t.Rate = newRate(t.Wrong, len(all))
	return t
}

// at returns the share that is found of texts of n words.
func (m shortest) at(n int) float64 { return m.Found[slices.Index(shortLengths, n)] }

// printShort measures short texts, prints a table for each corpus, and draws the curves of the first.
func printShort(o options, stdout, stderr io.Writer) error {
	var all []shortCorpus
	for _, path := range o.data {
		found, err := corpora(path)
		if err != nil {
			return err
		}
		for _, c := range found {
			fmt.Fprintf(stderr, "measuring short texts of %s\n", c.name)
			m, err := measureShort(c, o)
			if err != nil {
				return err
			}
			all = append(all, m)
		}
	}
	if len(all) == 0 {
		return fmt.Errorf("--short: wanted --data, got none")
	}
	if o.json {
		return printJSON(stdout, all)
	}
	for _, m := range all {
		m.print(stdout)
	}
	r := report{short: all}
	if err := draw(&r, o.out); err != nil {
		return err
	}
	fmt.Fprintln(stdout)
	for _, p := range r.Pictures {
		fmt.Fprintln(stdout, p)
	}
	return nil
}

func printJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", " ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := b.WriteTo(w)
	return err
}

// print prints the settings that find six tenths of the texts of 10 words, or that take at most one wrong
// pair, and the default rule.
func (m shortCorpus) print(w io.Writer) {
	fmt.Fprintf(w, "\n%s: %s different documents; %d to %d texts of each length.\n", m.Corpus, comma(m.Documents), slices.Min(m.Texts), slices.Max(m.Texts))
	fmt.Fprint(w, "Share of texts found after one word was changed, by words. Then wrong pairs in a thousand first sentences, by what ends a sentence.\n\n")
	found, wrong := [][]string{{"setting"}}, [][]string{{"setting"}}
	for _, n := range shortLengths {
		found[0] = append(found[0], fmt.Sprint(n))
	}
	for i, name := range m.Cuts {
		wrong[0] = append(wrong[0], fmt.Sprintf("%s: %s", name, comma(m.Sentences[i])))
	}
	for _, s := range m.Settings {
		if s.at(10) < .6 && s.setting != defaultSetting && s.Taken[0].Rate.Value > 1 {
			continue
		}
		row := []string{s.Setting}
		for _, f := range s.Found {
			row = append(row, strings.Replace(fmt.Sprintf("%.2f", f), "0.", ".", 1))
		}
		found = append(found, row)
		row = []string{s.Setting}
		for _, t := range s.Taken {
			row = append(row, t.Rate.String())
		}
		wrong = append(wrong, row)
	}
	markdown.Table(w, found, 1)
	fmt.Fprintln(w)
	markdown.Table(w, wrong, 1)
}

// defaultSetting is the default rule, and shortSetting the preset for short texts.
var (
	defaultSetting = setting{unit: unit{words: 4}, rule: signature.Rule{Lanes: 90}}
	shortSetting   = setting{unit{words: 2}, signature.Rule{Lanes: 92}, 150}
)

// shortTexts shows what share of short texts is found.
func shortTexts(m shortCorpus) picture {
	p := picture{
		name:     "short",
		title:    "Short texts: which are found after one word was changed",
		subtitle: "Share of the first words of documents, by how many words there are",
		x: axis{
			name: "words", ticks: []float64{5, 10, 15, 20, 30, 40, 60, 80},
			labels: []string{"5", "10", "15", "20", "30", "40", "60", "80"}, log: true,
		},
		y: share("found"),
	}
	curves := []struct {
		of setting
		series
	}{
		{shortSetting, series{ink: blue, width: 2, dots: 2.5, label: "short: "}},
		{setting{unit: unit{words: 2}, rule: signature.Rule{Lanes: 70}}, series{ink: green, width: 1.5, dots: 2}},
		{defaultSetting, series{ink: orange, width: 2, dots: 2.5, label: "pages: "}},
	}
	y := .62
	for _, curve := range curves {
		for _, s := range m.Settings {
			if s.setting != curve.of {
				continue
			}
			drawn := curve.series
			for i, f := range s.Found {
				drawn.points = append(drawn.points, plotter.XY{X: float64(shortLengths[i]), Y: f})
			}
			drawn.label += s.Setting
			drawn.labelX, drawn.labelY = 21, y
			y -= .08
			p.series = append(p.series, drawn)
		}
	}
	return p
}
