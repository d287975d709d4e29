package repetition_test

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/repetition"
)

// Counted by hand.
func TestByHand(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want repetition.Counts
	}{
		{"", repetition.Counts{Width: 2}},
		{"!\n\n!", repetition.Counts{Width: 2, Bytes: 4, Lines: 2, DuplicateLines: 1, DuplicateLineBytes: 1, Paragraphs: 2, DuplicateParagraphs: 1, DuplicateParagraphBytes: 1}},
		{"a a a a", repetition.Counts{
			Width: 2, Bytes: 7, Tokens: 4, TokenBytes: 4, TopToken: 4, Shingles: 3, DistinctShingles: 1,
			Lines: 1, Paragraphs: 1, TopGrams: [3]uint64{9, 10, 0},
		}},
		// "one two" occurs twice, "two one" once; of 5 tokens the second "a b c d e"
		// counts, with the text after it.
		{"a b c d e. A b c d e f", repetition.Counts{
			Width: 2, Bytes: 22, Tokens: 11, TokenBytes: 11, TopToken: 2, Shingles: 10, DistinctShingles: 6,
			Lines: 1, Paragraphs: 1, TopGrams: [3]uint64{6, 10, 14}, DuplicateGrams: [6]uint64{5},
		}},
		{"日本日本", repetition.Counts{
			Width: 2, Bytes: 12, Tokens: 4, TokenBytes: 12, TopToken: 2, Shingles: 3, DistinctShingles: 2,
			Lines: 1, Paragraphs: 1, TopGrams: [3]uint64{14},
		}},
	} {
		if got := repetition.Of(2, []byte(tt.text)); got != tt.want {
			t.Errorf("%q:\ngot  %+v\nwant %+v", tt.text, got, tt.want)
		}
	}
}

func TestWidth(t *testing.T) {
	t.Parallel()
	for _, width := range []int{-1, 0, 17} {
		func() {
			defer func() {
				if err, _ := recover().(string); !strings.Contains(err, "repetition: width: wanted 1 to 16, got ") {
					t.Errorf("width %d: got %q", width, err)
				}
			}()
			repetition.NewCounter(width)
		}()
	}
}

// fill sets the shares to 0.01, 0.02 and so on, and returns their names in JSON.
func fill(s *repetition.Shares) (names []string) {
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		v.Field(i).SetFloat(float64(i+1) / 100)
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// Each share has a limit of its own, named as in JSON.
func TestEachLimit(t *testing.T) {
	t.Parallel()
	var figures repetition.Figures
	names := fill(&figures.Shares)
	figures.DistinctShingleRatio = .5
	for i, name := range names {
		limits := repetition.Limits{Shares: figures.Shares}
		if got := limits.Exceeded(figures); got != nil {
			t.Errorf("equal to the limits: got %q", got)
		}
		reflect.ValueOf(&limits.Shares).Elem().Field(i).SetFloat(.005)
		got := limits.Exceeded(figures)
		if len(got) != 1 || !strings.HasPrefix(got[0], name+": wanted at most 0.005, got 0.") {
			t.Errorf("%s: got %q", name, got)
		}
		for _, bad := range []float64{-.1, 1.1, math.NaN(), math.Inf(1)} {
			reflect.ValueOf(&limits.Shares).Elem().Field(i).SetFloat(bad)
			if err := limits.Validate(); err == nil || !strings.HasPrefix(err.Error(), "repetition: "+name+": wanted 0 to 1, got ") {
				t.Errorf("%s %v: got error %v", name, bad, err)
			}
		}
	}
	few := repetition.Limits{MinDistinctShingleRatio: .6, MinTokens: 1}
	if got := few.Exceeded(figures); got != nil {
		t.Errorf("too few tokens: got %q", got)
	}
	figures.Tokens = 1
	if got, want := few.Exceeded(figures), []string{"distinct_shingle_ratio: wanted at least 0.6, got 0.5"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := (repetition.Limits{MinDistinctShingleRatio: 2}).Validate(); err == nil {
		t.Error("no error")
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	figures := repetition.Of(4, []byte(strings.Repeat("buy now ", 100))).Figures()
	if got := (repetition.Limits{}).Exceeded(figures); got != nil {
		t.Errorf("zero limits: got %q", got)
	}
	english := repetition.English()
	if got := english.Exceeded(figures); len(got) != 9 {
		t.Errorf("got %q", got)
	}
	if err := english.Validate(); err != nil {
		t.Error(err)
	}
	data, err := json.Marshal(english)
	var back repetition.Limits
	if err != nil || json.Unmarshal(data, &back) != nil || back != english {
		t.Errorf("%s: got %+v, %v", data, back, err)
	}
	if data, err := json.Marshal(repetition.Limits{}); string(data) != "{}" || err != nil {
		t.Errorf("got %s, %v", data, err)
	}
}
