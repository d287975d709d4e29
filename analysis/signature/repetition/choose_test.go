package repetition_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/repetition"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

var choose = flag.Bool("limits.choose", false, "choose the limits of Stuffing on texts in NEARDUP_DATA, and compare them; takes a minute")

// legitimate are sets of mails, messages and manuals, and what spam there is among them.
var legitimate = []struct{ name, label string }{
	{"enron-spam/docs.jsonl.gz", "ham"},
	{"sms-spam/docs.jsonl.gz", "ham"},
	{"plain-en/docs.jsonl.gz", ""},
	{"manpages-cjk/docs_en.jsonl.gz", ""},
	{"llvm-docs-versions/docs.jsonl.gz", ""},
}

// labelled returns the texts of a set with a label.
func labelled(t *testing.T, name, label string) (texts []string) {
	for _, d := range neartest.Docs(t, name) {
		if own, _ := d.Fields["label"].(string); own == label {
			texts = append(texts, d.Text)
		}
	}
	return texts
}

func figuresOf(texts []string) (all []repetition.Figures) {
	c := repetition.NewCounter()
	for _, text := range texts {
		c.Text([]byte(text))
		all = append(all, c.Figures())
	}
	return all
}

// chosen returns, for a least number of tokens, the least limits in steps of .05 of which each lets
// pass all but one in 5,000 documents of each set, so that the five together touch at most one in
// 1,000; 0, which is off, where that is more than 1.
func chosen(sets [][]repetition.Figures, least uint64) repetition.Limits {
	l := repetition.Limits{MinTokens: least}
	for _, one := range []struct {
		limit *float64
		of    func(s repetition.Shares) float64
	}{
		{&l.TopToken, func(s repetition.Shares) float64 { return s.TopToken }},
		{&l.Top2, func(s repetition.Shares) float64 { return s.Top2 }},
		{&l.Top3, func(s repetition.Shares) float64 { return s.Top3 }},
		{&l.Duplicate5, func(s repetition.Shares) float64 { return s.Duplicate5 }},
		{&l.Duplicate10, func(s repetition.Shares) float64 { return s.Duplicate10 }},
	} {
		for _, set := range sets {
			var shares []float64
			for _, f := range set {
				if f.Tokens >= least {
					shares = append(shares, one.of(f.Shares))
				}
			}
			slices.Sort(shares)
			if may := len(set) / 5000; len(shares) > may {
				*one.limit = max(*one.limit, math.Ceil(20*shares[len(shares)-1-may])/20)
			}
		}
		if *one.limit > 1 {
			*one.limit = 0
		}
	}
	return l
}

// The limits of Stuffing are the ones that the first halves of the sets ask for; the second halves say
// what they touch. With -limits.choose and NEARDUP_DATA; -v prints the grid.
func TestStuffingChosen(t *testing.T) {
	if !*choose {
		t.Skip("needs -limits.choose")
	}
	var learn, held [][]repetition.Figures
	for _, set := range legitimate {
		all := figuresOf(labelled(t, set.name, set.label))
		var halves [2][]repetition.Figures
		for i, f := range all {
			halves[i%2] = append(halves[i%2], f)
		}
		learn, held = append(learn, halves[0]), append(held, halves[1])
	}
	spam := figuresOf(labelled(t, "enron-spam/docs.jsonl.gz", "spam"))
	messages := figuresOf(labelled(t, "sms-spam/docs.jsonl.gz", "spam"))
	mails := labelled(t, "enron-spam/docs.jsonl.gz", "ham")
	for _, least := range []uint64{20, 50, 100, 200} {
		l := chosen(learn, least)
		t.Logf("from %d tokens: top_token %.2f, top_2 %.2f, top_3 %.2f, duplicate_5 %.2f, duplicate_10 %.2f", least, l.TopToken, l.Top2, l.Top3, l.Duplicate5, l.Duplicate10)
		for i, set := range legitimate {
			touched := exceeding(held[i], l)
			t.Logf("  touches %.3f %% of %d of %s %s", touched, len(held[i]), set.name, set.label)
			if l == repetition.Stuffing() && touched > .1 {
				t.Errorf("%s: Stuffing touches %.3f %%, want at most .1", set.name, touched)
			}
		}
		t.Logf("  stops %.2f %% of %d spam mails, %.2f %% of %d spam messages", exceeding(spam, l), len(spam), exceeding(messages, l), len(messages))
		for _, line := range made(mails, l) {
			t.Log("  " + line)
		}
	}
	if l := chosen(learn, repetition.Stuffing().MinTokens); l != repetition.Stuffing() {
		t.Errorf("the data ask for %+v, Stuffing has %+v", l, repetition.Stuffing())
	}
}

// Without data: of the manuals that come with the source hardly any is touched, and all that are stuffed are.
func TestStuffingLimits(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	limits := repetition.Stuffing()
	if err := limits.Validate(); err != nil {
		t.Fatal(err)
	}
	touched := 0
	phrase := strings.Fields("best cheap watches online buy discount replica brand free shipping")
	for i, d := range neartest.Shipped(t) {
		text := strings.Fields(d.Text)
		if i%200 > 0 || len(text) < 100 || len(text) > 1000 {
			continue
		}
		if limits.Exceeded(repetition.Of([]byte(d.Text))) != nil {
			touched++
		}
		for _, words := range []int{1, 2, 3, 5, 10} {
			if f := repetition.Of([]byte(stuff(rnd, text, phrase[:words], .8))); limits.Exceeded(f) == nil {
				t.Errorf("%s with %d words until they are .8 of it: got %+v, want too much", d.ID, words, f)
			}
		}
	}
	if touched > 1 {
		t.Errorf("%d manuals exceed a limit, want at most 1", touched)
	}
	for text, want := range map[string]bool{
		strings.Repeat("buy ", 19): false, // too short
		strings.Repeat("buy ", 20): true,
		"the cat and the dog saw a fox near the river while two hens and the old pig slept in the sun by a wall": false,
	} {
		if got := limits.Exceeded(repetition.Of([]byte(text))) != nil; got != want {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
}

// made says how many of 300 mails of 100 to 999 tokens exceed l that have a word or a phrase put in until
// it makes up a share of the words, at random places or at the end.
func made(mails []string, l repetition.Limits) (lines []string) {
	rnd := rand.New(rand.NewPCG(1, 2))
	phrase := strings.Fields("best cheap watches online buy discount replica brand free shipping")
	var texts [][]string
	for _, m := range mails {
		if words := strings.Fields(m); len(words) >= 100 && len(words) < 1000 && len(texts) < 300 {
			texts = append(texts, words)
		}
	}
	for _, words := range []int{1, 2, 3, 5, 10} {
		line := fmt.Sprintf("%2d words:", words)
		for _, share := range []float64{.2, .4, .6, .8} {
			var spread, together []string
			for _, text := range texts {
				spread = append(spread, stuff(rnd, text, phrase[:words], share))
				n := int(share / (1 - share) * float64(len(text)) / float64(words))
				together = append(together, strings.Join(text, " ")+strings.Repeat(" "+strings.Join(phrase[:words], " "), n))
			}
			line += fmt.Sprintf("  %.0f %%: %5.1f and %5.1f", 100*share, exceeding(figuresOf(spread), l), exceeding(figuresOf(together), l))
		}
		lines = append(lines, line)
	}
	return lines
}

func exceeding(all []repetition.Figures, l repetition.Limits) float64 {
	n := 0
	for _, f := range all {
		if len(l.Exceeded(f)) > 0 {
			n++
		}
	}
	return 100 * float64(n) / float64(max(1, len(all)))
}

// stuff puts a phrase before random words, often enough to make up about that share.
func stuff(rnd *rand.Rand, text, phrase []string, share float64) string {
	wanted := share / (1 - share) / float64(len(phrase)) // phrases a word
	var out []string
	for _, word := range text {
		for p := wanted; p > 0; p-- {
			if rnd.Float64() < p {
				out = append(out, phrase...)
			}
		}
		out = append(out, word)
	}
	return strings.Join(out, " ")
}
