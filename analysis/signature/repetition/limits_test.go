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
		want repetition.Figures
	}{
		{"", repetition.Figures{}},
		{"!\n\n!", repetition.Figures{}},
		{"a a a a", repetition.Figures{4, repetition.Shares{TopToken: 1, Top2: 9. / 7, Top3: 10. / 7}}},
		// "one two" occurs twice, "two one" once; of 5 tokens the second "a b c d e"
		// counts, with the text after it.
		{"a b c d e. A b c d e f", repetition.Figures{11, repetition.Shares{TopToken: 2. / 11, Top2: 6. / 22, Top3: 10. / 22, Duplicate5: 5. / 22}}},
		{"日本日本", repetition.Figures{4, repetition.Shares{TopToken: .5, Top2: 14. / 12}}},
	} {
		if got := repetition.Of([]byte(tt.text)); got != tt.want {
			t.Errorf("%q:\ngot  %+v\nwant %+v", tt.text, got, tt.want)
		}
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
	few := repetition.Limits{MinTokens: 1, Shares: repetition.Shares{TopToken: .005}}
	if got := few.Exceeded(figures); got != nil {
		t.Errorf("too few tokens: got %q", got)
	}
	figures.Tokens = 1
	if got, want := few.Exceeded(figures), []string{"top_token: wanted at most 0.005, got 0.01"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	figures := repetition.Of([]byte(strings.Repeat("buy now ", 100)))
	if got := (repetition.Limits{}).Exceeded(figures); got != nil {
		t.Errorf("zero limits: got %q", got)
	}
	stuffing := repetition.Stuffing()
	if got := stuffing.Exceeded(figures); len(got) != 5 {
		t.Errorf("got %q", got)
	}
	if err := stuffing.Validate(); err != nil {
		t.Error(err)
	}
	data, err := json.Marshal(stuffing)
	var back repetition.Limits
	if err != nil || json.Unmarshal(data, &back) != nil || back != stuffing {
		t.Errorf("%s: got %+v, %v", data, back, err)
	}
	if data, err := json.Marshal(repetition.Limits{}); string(data) != "{}" || err != nil {
		t.Errorf("got %s, %v", data, err)
	}
}
