package repetition_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/repetition"
	"github.com/neardup/bleve-neardup/analysis/signature/signaturetest"
)

// TestLimitsOnMail prints, with -v, how many spam and other messages each limit
// holds back, and how that depends on the least number of tokens.
func TestLimitsOnMail(t *testing.T) {
	for _, set := range []struct {
		name  string
		least uint64 // tokens, of the first table
	}{{"enron-spam/docs.jsonl.gz", 50}, {"sms-spam/docs.jsonl.gz", 0}} {
		t.Run(set.name, func(t *testing.T) {
			figures := map[string][]repetition.Figures{}
			c := repetition.NewCounter(4)
			for _, d := range signaturetest.Docs(t, set.name) {
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

// bands prints what share of the legitimate messages of so many tokens exceeds a
// limit, whatever the least number.
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
