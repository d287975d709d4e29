package repetition_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/repetition"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// TestLimitsOnMail prints, with -v, how many spam messages and other messages each limit
// stops, and how that depends on the least number of tokens.
func TestLimitsOnMail(t *testing.T) {
	if !testing.Verbose() {
		t.Skip("checks nothing")
	}
	for _, set := range []struct {
		name  string
		least uint64 // tokens, of the first table
	}{{"enron-spam/docs.jsonl.gz", 50}, {"sms-spam/docs.jsonl.gz", 0}} {
		t.Run(set.name, func(t *testing.T) {
			figures := map[string][]repetition.Figures{}
			c := repetition.NewCounter(4)
			for _, d := range neartest.Docs(t, set.name) {
				c.Text([]byte(d.Text))
				label := d.Fields["label"].(string)
				figures[label] = append(figures[label], c.Counts().Figures())
			}
			rates := func(what string, l repetition.Limits) {
				t.Logf("%-60s spam %6.2f %%  ham %6.2f %%", what, exceeding(figures["spam"], l), exceeding(figures["ham"], l))
			}
			english := repetition.English()
			each(english, func(name string, l repetition.Limits) { l.MinTokens = set.least; rates(name, l) })
			for _, at := range []float64{.1, .2, .3} {
				rates(fmt.Sprintf("TopToken > %v", at), repetition.Limits{MinTokens: set.least, Shares: repetition.Shares{TopToken: at}})
			}
			for _, at := range []float64{.9, .8, .7, .5} {
				rates(fmt.Sprintf("DistinctShingleRatio < %v", at), repetition.Limits{MinTokens: set.least, MinDistinctShingleRatio: at})
			}
			for _, least := range []uint64{0, 10, 20, 30, 50, 100, 200} {
				english.MinTokens = least
				rates(fmt.Sprintf("all of English, from %d tokens", least), english)
			}
			bands(t, figures["ham"])
		})
	}
}

// each calls f with every limit of l alone.
func each(l repetition.Limits, f func(name string, l repetition.Limits)) {
	all := reflect.ValueOf(l.Shares)
	for i := range all.NumField() {
		if all.Field(i).Float() == 0 {
			continue
		}
		var alone repetition.Limits
		reflect.ValueOf(&alone.Shares).Elem().Field(i).Set(all.Field(i))
		f(fmt.Sprintf("%s > %v", all.Type().Field(i).Name, all.Field(i)), alone)
	}
}

// bands prints the share of legitimate messages that exceed a limit, by their number of
// tokens, without a least number.
func bands(t *testing.T, all []repetition.Figures) {
	limits := repetition.English()
	limits.MinTokens = 0
	from := uint64(1)
	for _, to := range []uint64{10, 20, 30, 50, 75, 100, 200, 500, 1000, 1 << 40} {
		var of []repetition.Figures
		for _, f := range all {
			if from <= f.Tokens && f.Tokens < to {
				of = append(of, f)
			}
		}
		t.Logf("ham of %4d to %4d tokens: %5d, %.2f %%", from, to-1, len(of), exceeding(of, limits))
		from = to
	}
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

// TestLimitsOnStuffing prints, with -v, how many manuals the limits stop unchanged, and how
// many of the others with a phrase of so many words put in at random places until it makes
// up a share of the words.
func TestLimitsOnStuffing(t *testing.T) {
	if !testing.Verbose() {
		t.Skip("checks nothing")
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	var texts [][]string
	all, exceeded := 0, 0
	for i, d := range neartest.Shipped(t) {
		if f := repetition.Of(4, []byte(d.Text)).Figures(); i%4 == 0 && f.Tokens >= 100 && f.Tokens < 2000 {
			all++
			if repetition.English().Exceeded(f) != nil {
				exceeded++
			} else {
				texts = append(texts, strings.Fields(d.Text))
			}
		}
	}
	t.Logf("%d manuals of 100 to 1999 tokens, %.1f %% exceed a limit", all, 100*float64(exceeded)/float64(all))
	phrase := strings.Fields("best cheap watches online buy discount replica brand free shipping")
	for _, words := range []int{1, 2, 3, 5, 10} {
		line := fmt.Sprintf("phrase of %2d words:", words)
		for _, share := range []float64{.05, .1, .15, .2, .3, .5} {
			caught := 0
			for _, text := range texts {
				f := repetition.Of(4, []byte(stuff(rnd, text, phrase[:words], share))).Figures()
				if repetition.English().Exceeded(f) != nil {
					caught++
				}
			}
			line += fmt.Sprintf("  %.2f %5.1f %%", share, 100*float64(caught)/float64(len(texts)))
		}
		t.Log(line)
	}
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
