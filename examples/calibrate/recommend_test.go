package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// TestShare finds the ends of the interval as Wilson defines them: where a share of that size
// is so many standard deviations away from the one that was seen.
func TestShare(t *testing.T) {
	for _, test := range [][2]int{{0, 1}, {1, 1}, {0, 48}, {48, 48}, {276, 277}, {7, 10}, {1, 2_000_000}, {1_999_999, 2_000_000}} {
		hits, of := test[0], test[1]
		s := newShare(hits, of)
		seen := float64(hits) / float64(of)
		off := func(p float64) float64 { return math.Abs(p-seen) - deviations*math.Sqrt(p*(1-p)/float64(of)) }
		end := func(out, in float64) float64 { // off is positive at out
			for range 100 {
				if middle := (out + in) / 2; off(middle) > 0 {
					out = middle
				} else {
					in = middle
				}
			}
			return in
		}
		low, high := 0.0, 1.0
		if hits > 0 {
			low = end(0, seen)
		}
		if hits < of {
			high = end(1, seen)
		}
		if s.Value != seen || s.Of != of || math.Abs(s.Low-low) > 1e-9 || math.Abs(s.High-high) > 1e-9 {
			t.Errorf("%d of %d: got %+v, want %v from %v to %v", hits, of, s, seen, low, high)
		}
		if s.Low == s.High {
			t.Errorf("%d of %d: an interval of no width", hits, of)
		}
	}
	for _, test := range []struct {
		s    share
		want string
	}{
		{newShare(0, 0), "–"},
		{newShare(48, 48), "1 (0.926 to 1)"},
		{newShare(0, 48), "0 (0 to 0.074)"},
		{newShare(1_999_999, 2_000_000), ">0.999 (>0.999 to >0.999)"},
		{newShare(1, 2_000_000), "<0.001 (<0.001 to <0.001)"},
	} {
		if got := test.s.String(); got != test.want {
			t.Errorf("%+v: got %s, want %s", test.s, got, test.want)
		}
	}
}

// many are n pairs, of 50 words.
func many(n, lanes, hamming int, v verdict) (all []judged) {
	for range n {
		all = append(all, judged{pair{lanes: lanes, hamming: hamming, words: 50}, v})
	}
	return all
}

func join(parts ...[]judged) (all []judged) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// grid is some rules, from 70 lanes on and up to 5 bits.
func grid(words ...int) (all []threshold) {
	for _, l := range []int{100, 95, 90, 85, 80, 75, 70} {
		for h := -1; h <= 5; h++ {
			for _, w := range words {
				all = append(all, threshold{l, h, w, 0, 0})
			}
		}
	}
	return all
}

func at(width int, pairs []judged) tried {
	v := &variant{name: "width " + string(rune('0'+width)), config: "own", params: signature.Params{Width: width}}
	pairs = slices.Clone(pairs)
	for i := range pairs {
		pairs[i].b = i + 1
	}
	v.judged = pairs
	return tried{v, grid(9), tallied(pairs, 9, false)}
}

// TestRecommend has data in which one threshold is right.
func TestRecommend(t *testing.T) {
	before := threshold{90, 3, 9, 0, 0}
	unlike := many(50, 65, 20, different)
	for _, test := range []struct {
		name  string
		pairs []judged
		want  threshold
		why   string
		warn  string // the only warning but for too few pairs
	}{
		{"too few copies", join(many(19, 72, 20, copied), unlike), before, "19 pairs of copies, fewer than 20: too few to tell", ""},
		{"too few different", join(many(100, 72, 20, copied), unlike[:49]), before, "49 different pairs, fewer than 50: too few to tell", ""},
		{"too few of both", join(many(1, 72, 20, copied), unlike[:1]), before, "1 pair of copies, fewer than 20, and 1 different pair, fewer than 50: too few to tell", ""},
		{"nothing speaks against it", join(many(100, 95, 20, copied), unlike), before, "This is the present rule. No rule tried finds more copies", ""},
		{"copies below", join(many(50, 95, 20, copied), many(50, 81, 20, copied), many(10, 79, 20, different), unlike), threshold{80, 3, 9, 0, 0}, "most copies", ""},
		{"different above", join(many(500, 97, 20, copied), many(100, 92, 20, different)), threshold{95, 3, 9, 0, 0}, "most copies", ""},
		{"simhash misleads", join(many(50, 97, 20, copied), many(50, 20, 2, different)), threshold{90, 1, 9, 0, 0}, "most copies", ""},
		{"simhash helps", join(many(50, 97, 20, copied), many(10, 75, 4, copied), many(90, 75, 6, different)), threshold{90, 4, 9, 0, 0}, "most copies", ""},
		{"borderline counts for neither", join(many(50, 95, 20, copied), many(90, 91, 20, between), unlike), before, "finds more copies", ""},
		{"none is right", join(many(500, 97, 20, copied), many(100, 100, 0, different), many(100, 92, 20, different)), threshold{95, 3, 9, 0, 0}, "No rule tried has a precision of 0.99", ""},
		{"none finds any", join(many(50, 10, 30, copied), unlike), before, "No rule tried finds a copy", ""},

		// 4 of 1,000 are less than half a percent: the default stays, though 5 bits find them.
		{"half a percent", join(many(996, 97, 20, copied), many(4, 20, 5, copied), unlike), before, "by more than half a percent", ""},
		{"more than half a percent", join(many(994, 97, 20, copied), many(6, 20, 4, copied), unlike), threshold{90, 4, 9, 0, 0}, "most copies", ""},
		// Fewer lanes and more bits find the same: fewer lanes it is.
		{"lanes before bits", join(many(100, 97, 20, copied), many(10, 82, 4, copied), unlike), threshold{80, 3, 9, 0, 0}, "most copies", ""},

		{"edge of lanes", join(many(100, 97, 20, copied), many(50, 72, 20, copied), unlike), threshold{70, 3, 9, 0, 0}, "most copies", "no fewer than 70 lanes"},
		{"edge of bits", join(many(100, 97, 20, copied), many(50, 20, 5, copied), unlike), threshold{90, 5, 9, 0, 0}, "most copies", "no Hamming distance above 5"},
		{"end of lanes", join(many(500, 100, 20, copied), many(100, 97, 20, different)), threshold{100, 3, 9, 0, 0}, "most copies", ""},
	} {
		got := recommend(before, []tried{at(4, test.pairs)}, .99)
		if got.Choice.threshold != test.want || !strings.Contains(got.Why, test.why) || got.Present != (test.want == before) || got.Choice.Config != "" {
			t.Errorf("%s: got %s, %q, want %s, %q", test.name, got.Choice.threshold, got.Why, test.want, test.why)
		}
		var edges []string
		for _, w := range got.Warnings {
			if !strings.Contains(w, "The interval of the precision begins at") && !strings.Contains(w, "cannot tell") {
				edges = append(edges, w)
			}
		}
		if got.Edge != (test.warn != "") || len(edges) != btoi(test.warn != "") || len(edges) > 0 && !strings.Contains(edges[0], test.warn) {
			t.Errorf("%s: warnings %q, want %q", test.name, got.Warnings, test.warn)
		}
	}
	short := many(60, 99, 20, different)
	for i := range short {
		short[i].words = 18
	}
	words := at(4, join(many(100, 97, 20, copied), short))
	words.grid, words.pairs = grid(9, 20), tallied(words.judged, 20, false)
	if got := recommend(before, []tried{words}, .99); got.Choice.MinWords != 20 || len(got.Warnings) != 2 || !strings.Contains(got.Warnings[0], "no min_words above 20") {
		t.Errorf("edge of words: got %+v", got)
	}
}

// TestRecommendWidth has pairs that only another width finds.
func TestRecommendWidth(t *testing.T) {
	before := threshold{90, 3, 9, 0, 0}
	unlike := many(50, 65, 20, different)
	high, low := join(many(400, 97, 20, copied), unlike), join(many(200, 97, 20, copied), many(200, 65, 20, copied), unlike)
	for _, test := range []struct {
		name  string
		ways  []tried
		want  string
		edges int
	}{
		{"the present one will do", []tried{at(4, high), at(2, high), at(6, high)}, "width 4", 0},
		{"another one finds more", []tried{at(4, low), at(2, low), at(3, high), at(6, low)}, "width 3", 0},
		{"the nearest of some", []tried{at(4, low), at(2, high), at(3, high)}, "width 3", 0},
		{"the least", []tried{at(4, low), at(2, high)}, "width 2", 1},
		{"the greatest", []tried{at(4, low), at(6, high)}, "width 6", 1},
		{"there is none below 1", []tried{at(4, low), at(1, high)}, "width 1", 0},
		{"too few to tell", []tried{at(4, low), at(3, many(400, 97, 20, copied))}, "width 4", 0},
	} {
		got := recommend(before, test.ways, .5)
		if got.Choice.Signature != test.want || (got.Choice.Config != "") != (test.want != "width 4") || len(got.Warnings) != test.edges {
			t.Errorf("%s: got %+v, want %s", test.name, got, test.want)
		}
	}
}

// A choice that is right about few pairs more is not told from the present rule; the sign test is the binomial one.
func TestSignificant(t *testing.T) {
	for a := range 30 {
		for b := range 30 {
			p, all := 0.0, 1.0
			for i := range a + b + 1 { // by the binomial coefficients
				if i <= min(a, b) {
					p += all
				}
				all *= float64(a+b-i) / float64(i+1)
			}
			if want := 2*p/math.Pow(2, float64(a+b)) < .05; significant(a, b) != want {
				t.Errorf("%d and %d: got %t", a, b, !want)
			}
		}
	}
	if significant(1000, 1050) || !significant(1000, 1200) {
		t.Error("many pairs are judged wrong")
	}
	unlike := many(200, 65, 20, different)
	for n, want := range map[int]bool{3: true, 30: false} { // of 100 or so more copies at 82 lanes
		got := recommend(threshold{90, 3, 9, 0, 0}, []tried{at(4, join(many(100, 95, 20, copied), many(n, 82, 20, copied), unlike))}, .99)
		if told := strings.Contains(strings.Join(got.Warnings, " "), fmt.Sprintf("cannot tell it from the present rule: it alone is right about %d, the present rule alone about 0", n)); told != want {
			t.Errorf("%d pairs: got %q", n, got.Warnings)
		}
	}
}
