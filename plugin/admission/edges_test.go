package admission_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/repetition"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// The longest name that a mark can have is kept and found; one byte more is an error.
func TestLongestMarkName(t *testing.T) {
	t.Parallel()
	x := newIndex(t, "")
	text := words(rand.New(rand.NewPCG(1, 1)), 1)
	name := strings.Repeat("n", 32755)
	if err := typed(x).MarkText(context.Background(), name, admission.Spam, text); err != nil {
		t.Fatal(err)
	}
	setPolicy(t, x, admission.Policy{Known: admission.Reject})
	if v := submit(t, x, page{id: "a", body: text}); v.Action != admission.Reject || v.Mark != name {
		t.Errorf("got %s by a mark of %d bytes", v.Action, len(v.Mark))
	}
	err := typed(x).MarkText(context.Background(), name+"n", admission.Spam, text)
	if err == nil || !strings.Contains(err.Error(), "at most 32755 bytes, got 32756") {
		t.Errorf("got %v", err)
	}
}

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

// A flood is found among more old copies than a verdict looks at, and old copies by themselves are none.
func TestFloodAmongOldCopies(t *testing.T) {
	t.Parallel()
	x := newIndex(t, "")
	policy := admission.Policy{Time: "sent", Floods: []admission.Flood{{Copies: 1000, Window: time.Hour}}}
	setPolicy(t, x, policy)
	text := words(rand.New(rand.NewPCG(1, 1)), 1)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	b := x.NewBatch()
	for i := range 70 {
		p := page{fmt.Sprintf("old%02d", i), text, "", at}
		if err := b.Index(p.id, p.data()); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Batch(b); err != nil {
		t.Fatal(err)
	}
	policy.Floods = []admission.Flood{{Copies: 3, Window: time.Hour}}
	setPolicy(t, x, policy)
	at = at.Add(100 * time.Hour)
	for i := range 3 {
		if v := submit(t, x, page{fmt.Sprint("new", i), text, "", at}); v.Action != admission.Accept || v.Copies != 0 {
			t.Errorf("new%d: got %+v", i, v)
		}
	}
	v := submit(t, x, page{"new3", text, "", at.Add(time.Minute)})
	if v.Action != admission.Reject || v.Policy != "flood" || v.Copies != 3 || !strings.HasPrefix(v.Of, "new") {
		t.Errorf("the fourth: got %+v", v)
	}
	// What was sent as long ago as the window is not recent any more, in either direction.
	for _, d := range []time.Duration{time.Hour, -time.Hour} {
		if v := submit(t, x, page{"other", text, "", at.Add(d)}); v.Action != admission.Accept {
			t.Errorf("sent %v later: got %+v", d, v)
		}
	}
}

// In shadow a tag stays what it is: nothing else would have happened.
func TestShadowOfTag(t *testing.T) {
	t.Parallel()
	x := newIndex(t, "")
	setPolicy(t, x, admission.Policy{Near: admission.Tag, Shadow: true})
	text := words(rand.New(rand.NewPCG(1, 1)), 1)
	submit(t, x, page{id: "a", body: text})
	if v := submit(t, x, page{id: "b", body: text}); v.Action != admission.Tag || v.Would != "" || v.Of != "a" {
		t.Errorf("got %+v", v)
	}
	if m := x.StatsMap()["index"].(map[string]any); m["neardup_tagged"] != uint64(1) || m["neardup_shadowed"] != uint64(0) {
		t.Errorf("got %v", m)
	}
}

// Of more copies in one batch than a verdict looks at, each is judged by the copies before it.
func TestManyCopiesInBatch(t *testing.T) {
	t.Parallel()
	text := words(rand.New(rand.NewPCG(1, 1)), 1)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		policy admission.Policy
		free   int // copies that are accepted
		copies int // what verdicts on the others say
	}{
		"tag":   {admission.Policy{Near: admission.Tag}, 1, 0},
		"flood": {admission.Policy{Time: "sent", Floods: []admission.Flood{{Copies: 70, Window: time.Hour, Action: admission.Tag}}}, 70, 70},
	} {
		x := newIndex(t, "")
		setPolicy(t, x, tt.policy)
		b := x.NewBatch()
		for i := range 80 {
			p := page{fmt.Sprintf("%02d", i), text, "", at}
			if err := b.Index(p.id, p.data()); err != nil {
				t.Fatal(err)
			}
		}
		verdicts, err := plugin.SubmitBatch(context.Background(), x, b)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range verdicts {
			want, copies := admission.Tag, tt.copies
			if i < tt.free {
				want, copies = admission.Accept, 0
			}
			if v.Action != want || v.Copies != copies || (v.Of == "") != (want == admission.Accept) {
				t.Errorf("%s, copy %d: got %+v, want %s", name, i, v, want)
			}
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

// The time of a document is that of the policy's field, not of another.
func TestTimeOfField(t *testing.T) {
	t.Parallel()
	x := newIndex(t, "")
	setPolicy(t, x, admission.Policy{Near: admission.Replace, Time: "sent"})
	text := words(rand.New(rand.NewPCG(1, 1)), 1)
	at := func(hour int) time.Time { return time.Date(2026, 1, 1, hour, 0, 0, 0, time.UTC) }
	for _, tt := range []struct {
		id            string
		sent, changed int
		want          admission.Action
	}{{"a", 10, 1, admission.Accept}, {"b", 5, 20, admission.Reject}, {"c", 11, 0, admission.Replace}} {
		v, err := plugin.Submit(context.Background(), x, tt.id, map[string]any{"body": text, "sent": at(tt.sent), "changed": at(tt.changed)})
		if err != nil || v.Action != tt.want {
			t.Errorf("%+v: got %v, %v", tt, v, err)
		}
	}
}

func TestRepetitionForPolicy(t *testing.T) {
	t.Parallel()
	x := newIndex(t, "")
	setPolicy(t, x, admission.Policy{Repetition: &admission.Repetition{Limits: repetition.Stuffing()}})
	stuffed := words(rand.New(rand.NewPCG(1, 1)), 1) + strings.Repeat(" cheap watches online", 30)
	if v := submit(t, x, page{id: "a", body: stuffed}); v.Action != admission.Tag || v.Policy != "repetition" {
		t.Errorf("got %v", v)
	}
}
