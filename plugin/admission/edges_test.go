package admission_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// The error of one rejected document says nothing of others.
func TestRejectedOne(t *testing.T) {
	t.Parallel()
	v := admission.Verdict{ID: "b", Action: admission.Reject, Policy: "near", Of: "a"}
	for many, want := range []string{
		`neardup: nothing rejected`,
		`neardup: document "b": reject (near), a near-duplicate of "a"`,
		`neardup: document "b": reject (near), a near-duplicate of "a"; and 1 more rejected`,
	} {
		r := &admission.Rejected{}
		for range many {
			r.Verdicts = append(r.Verdicts, v)
		}
		if got := r.Error(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// Marks are looked up by the rule of the policy in force, also after it has changed.
func TestMarksByNewRule(t *testing.T) {
	t.Parallel()
	x := newIndex(t, "")
	text := words(rand.New(rand.NewPCG(1, 1)), 1) // 80 to 85 words
	if err := typed(x).MarkText(context.Background(), "m", admission.Spam, text); err != nil {
		t.Fatal(err)
	}
	for i, least := range []int{0, 1000, 80, 1000} {
		setPolicy(t, x, admission.Policy{Known: admission.Reject, Rule: signature.Rule{MinWords: least}})
		want := admission.Reject
		if least == 1000 {
			want = admission.Accept
		}
		if v := submit(t, x, page{id: fmt.Sprint(i), body: text}); v.Action != want {
			t.Errorf("texts of %d words or more: got %v, want %s", least, v, want)
		}
	}
}
