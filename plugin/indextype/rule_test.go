package indextype_test

import (
	"context"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/repetition"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
)

// A batch is judged by the rule of its documents, which must be one; documents without a
// signature have no say, and what the policy's rule says goes before. The texts have 80 words.
func TestRuleOfDocuments(t *testing.T) {
	t.Parallel()
	x := newIndex(t)
	put(t, x, "there", map[string]any{"body": words(1)})
	type rules map[string]signature.Rule // by ids; "none" has no signature
	long, short := signature.Rule{MinWords: 81}, signature.Rule{MinWords: 80}
	for _, tt := range []struct {
		name   string
		policy signature.Rule
		docs   rules
		want   admission.Action // of the copy
		err    string
	}{
		{"the default", signature.Rule{}, rules{"copy": {}}, admission.Tag, ""},
		{"that of the document", signature.Rule{}, rules{"copy": short}, admission.Tag, ""},
		{"for longer texts", signature.Rule{}, rules{"copy": long}, admission.Accept, ""},
		{"another of a document without a signature", signature.Rule{}, rules{"copy": long, "none": short}, admission.Accept, ""},
		{"no other document", signature.Rule{}, rules{"none": short}, "", ""},
		{"the policy's", short, rules{"copy": long, "other": {}}, admission.Tag, ""},
		{"two", signature.Rule{}, rules{"copy": short, "other": long}, "", `MinWords:80} of "copy" and {Lanes:0 LongLanes:0 Hamming:0 Mode: MinWords:81} of "other"`},
		{"two, of which one is the default", signature.Rule{}, rules{"copy": {}, "other": long}, "", `MinWords:0} of "copy" and`},
	} {
		j := newJudging(t, x, admission.Policy{Near: admission.Tag, Rule: tt.policy})
		var docs []*gate.Document
		for i, id := range []string{"none", "copy", "other"} {
			rule, ok := tt.docs[id]
			if !ok {
				continue
			}
			d := ahead(id, words(i))
			if d.Rule = rule; id == "none" {
				d.Signature = nil
			}
			docs = append(docs, d)
		}
		a, err := j.gate.Judge(context.Background(), j.policy, docs, nil, true)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: got %v, want %s", tt.name, err, tt.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		for _, v := range a.Verdicts {
			want := admission.Accept
			if v.ID == "copy" {
				want = tt.want
			}
			if v.Action != want {
				t.Errorf("%s: got %v, want %s", tt.name, v, want)
			}
		}
	}
}

// A document of which nobody counted what it repeats exceeds no limit.
func TestRepetitionNotCounted(t *testing.T) {
	t.Parallel()
	policy := admission.Policy{Repetition: &admission.Repetition{Limits: repetition.Stuffing(), Action: admission.Reject}}
	stuffed := strings.Repeat("cheap watches online ", 100)
	for counted, want := range map[bool]admission.Action{false: admission.Accept, true: admission.Reject} {
		d := ahead("a", stuffed)
		if counted {
			c := repetition.Of([]byte(stuffed))
			d.Repetition = &c
		}
		if v := newJudging(t, newIndex(t), policy).judge([]*gate.Document{d}).Verdicts; len(v) != 1 || v[0].Action != want {
			t.Errorf("counted %v: got %v, want %s", counted, v, want)
		}
	}
}
