package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gonum.org/v1/plot/plotter"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
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
	for n := 87; n <= 99; n++ {
		all = append(all, setting{unit{words: 2}, signature.Rule{Lanes: n}, 150})
	}
	return all
}

// shortLengths are the lengths of texts, in words.
var shortLengths = []int{5, 8, 10, 12, 15, 20, 25, 30, 40, 60, 80}

// shortest is what a setting does on the texts of one corpus.
type shortest struct {
	Setting string    `json:"setting"`
	Found   []float64 `json:"found"`  // by length: the share of texts that are found after one word was changed
	Wrong   float64   `json:"wrong"`  // pairs of sentences in a thousand sentences
	Edited  float64   `json:"edited"` // pairs in which one word differs, in a thousand sentences

	setting setting
}

// shortCorpus is the settings on the texts of one corpus.
type shortCorpus struct {
	Corpus    string     `json:"corpus"`
	Texts     []int      `json:"texts"` // by length
	Sentences int        `json:"sentences"`
	Settings  []shortest `json:"settings"`
}

const (
	leastSentence, mostSentence = 4, 40 // words
	thousand                    = 1000
	mostShort                   = 400 // texts of a length
)

// measureShort measures one corpus.
func measureShort(c corpus, o options) shortCorpus {
	c = sample(c, o.most, o.seed)
	texts := make([][]string, len(c.docs))
	each(len(texts), func(i int) { texts[i] = wordsOf(c.docs[i].Text) })
	sentences := firstSentences(c.docs)
	m := shortCorpus{Corpus: c.name, Sentences: len(sentences)}
	var edits [][][2]string // by length
	rnd := rand.New(rand.NewPCG(o.seed, 2))
	for _, n := range shortLengths {
		edits = append(edits, changed(rnd, texts, n))
		m.Texts = append(m.Texts, len(edits[len(edits)-1]))
	}
	known := newSentences(sentences)
	for _, s := range settings() {
		m.Settings = append(m.Settings, s.measure(edits, known))
	}
	return m
}

// wordsOf returns the folded words of a text, the first hundred.
func wordsOf(text string) (all []string) {
	var words token.Words
	words.Reset([]byte(text[:min(len(text), 20_000)]))
	for word := words.Next(); word != nil && len(all) < 100; word = words.Next() {
		all = append(all, string(word))
	}
	return all
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

// firstSentences returns the first sentence of each document that has one of 4 to 40 words, each
// sentence once.
func firstSentences(docs []doc) (all []doc) {
	seen := map[string]bool{}
	for _, d := range docs {
		for text := d.Text; text != ""; {
			var sentence string
			sentence, text = cutSentence(text)
			words := wordsOf(sentence)
			if len(words) < leastSentence || len(words) > mostSentence {
				continue
			}
			if folded := strings.Join(words, " "); !seen[folded] {
				seen[folded] = true
				all = append(all, doc{ID: d.ID, Text: folded})
			}
			break
		}
	}
	return all
}

// cutSentence cuts a text after its first sentence: at a full stop before a space, a mark that
// ends a sentence in Chinese or Japanese, or an empty line.
func cutSentence(text string) (sentence, rest string) {
	for i, r := range text {
		after := text[i+utf8.RuneLen(max(r, 0)):]
		next, _ := utf8.DecodeRuneInString(after)
		switch {
		case strings.ContainsRune("。！？", r),
			strings.ContainsRune(".!?", r) && (unicode.IsSpace(next) || after == ""),
			r == '\n' && strings.HasPrefix(strings.TrimLeft(after, " \t\r"), "\n"):
			return text[:i], after
		}
	}
	return text, ""
}

// sentences are distinct sentences, of distinct documents.
type sentences struct {
	docs  []doc
	words [][]string
}

func newSentences(docs []doc) sentences {
	s := sentences{docs: docs}
	for _, d := range docs {
		s.words = append(s.words, strings.Fields(d.Text))
	}
	return s
}

// edited reports whether two sentences differ in one word: it is changed, or there or not there.
func (s sentences) edited(a, b int) bool {
	x, y := s.words[a], s.words[b]
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(y)-len(x) > 1 {
		return false
	}
	n := 0
	for n < len(x) && x[n] == y[n] {
		n++
	}
	if len(x) == len(y) {
		return slices.Equal(x[min(n+1, len(x)):], y[min(n+1, len(y)):])
	}
	return slices.Equal(x[n:], y[n+1:])
}

// measure measures one setting. Of the pairs of sentences that the rule takes, those in which one
// word differs are what it is to find, and all others are wrong. With n sentences there are about
// n²/2 pairs; a thousand sentences have (1000/n)² times as many.
func (s setting) measure(edits [][][2]string, all sentences) shortest {
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
	signatures := make([]signature.Signature, len(all.docs))
	for i, d := range all.docs {
		signatures[i] = signature.Of(p, []byte(d.Text))
	}
	for b := range signatures {
		for a := range b {
			switch {
			case !s.rule.Duplicates(&signatures[a], &signatures[b]):
			case all.edited(a, b):
				m.Edited++
			default:
				m.Wrong++
			}
		}
	}
	n := float64(max(1, len(signatures))) / thousand
	m.Wrong, m.Edited = m.Wrong/(n*n), m.Edited/(n*n)
	return m
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
			all = append(all, measureShort(c, o))
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

// print prints the settings that find three quarters of the texts of 10 words, and the default
// rule.
func (m shortCorpus) print(w io.Writer) {
	fmt.Fprintf(w, "\n%s: %s first sentences, each of another document and no two equal; %d to %d texts of each length.\n", m.Corpus,
		comma(m.Sentences), slices.Min(m.Texts), slices.Max(m.Texts))
	fmt.Fprint(w, "Share of texts found after one word was changed, by words; pairs in a thousand sentences: wrong, and one word apart.\n\n")
	rows := [][]string{{"setting"}}
	for _, n := range shortLengths {
		rows[0] = append(rows[0], fmt.Sprint(n))
	}
	rows[0] = append(rows[0], "wrong", "one word")
	for _, s := range m.Settings {
		if s.at(10) < .6 && s.setting != defaultSetting && s.Wrong > 1 {
			continue
		}
		row := []string{s.Setting}
		for _, f := range s.Found {
			row = append(row, strings.Replace(fmt.Sprintf("%.2f", f), "0.", ".", 1))
		}
		rows = append(rows, append(row, fmt.Sprintf("%.2f", s.Wrong), fmt.Sprintf("%.2f", s.Edited)))
	}
	table(w, rows, 1)
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
		{setting{unit: unit{letters: 4}, rule: signature.Rule{Lanes: 75}}, series{ink: purple, width: 1.5, dots: 2}},
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
