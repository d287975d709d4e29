package indextype_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/indextype"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
)

// judging is a gate and a policy, for batches that are judged without being written.
type judging struct {
	testing.TB
	gate   *gate.Gate
	policy *admission.Policy
}

func newJudging(t testing.TB, x bleve.Index, p admission.Policy) judging {
	t.Helper()
	inner, err := x.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	if err := plugin.SetPolicy(context.Background(), x, &p); err != nil {
		t.Fatal(err)
	}
	return judging{t, inner.(*indextype.Index).Gate(), &p}
}

func newIndex(t testing.TB) bleve.Index {
	t.Helper()
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	return open(t, "", m)
}

func submit(t testing.TB, x bleve.Index, id, text string) admission.Verdict {
	t.Helper()
	v, err := plugin.Submit(context.Background(), x, id, map[string]any{"body": text})
	if err != nil {
		t.Error(err)
	}
	return v
}

// words is a text that is like no other.
func words(n int) string {
	rnd := rand.New(rand.NewPCG(7, uint64(n)))
	var text strings.Builder
	for range 80 {
		fmt.Fprintf(&text, "w%d ", rnd.IntN(1000))
	}
	return text.String()
}

// ahead are documents by their ids, each of a text.
func ahead(id, text string) *gate.Document {
	sig := signature.Of(signature.DefaultParams(), []byte(text))
	return &gate.Document{ID: id, Signature: &sig}
}

func (j judging) judge(docs []*gate.Document, deletes ...string) *gate.Admission {
	a, err := j.gate.Judge(context.Background(), j.policy, docs, deletes, false)
	if err != nil {
		j.Error(err)
		return new(gate.Admission)
	}
	return a
}

// A batch waits for the end of another that has to do with any of its documents, wherever that stands in it, and for no
// other. What is in the index is the document "there".
func TestWaits(t *testing.T) {
	t.Parallel()
	text, other, third := words(1), words(2), words(3)
	type batch struct {
		docs    []*gate.Document
		deletes []string
	}
	write := func(id, text string) batch { return batch{docs: []*gate.Document{ahead(id, text)}} }
	old := func(id, text string) batch {
		b := write(id, text)
		b.docs[0].Time = time.Unix(1, 0)
		return b
	}
	remove := func(id string) batch { return batch{deletes: []string{id}} }
	for name, tt := range map[string]struct {
		near          admission.Action
		first, second batch
		waits         bool
	}{
		"two writes of an id":                    {admission.Tag, write("a", other), write("a", third), true},
		"a write of what is deleted":             {admission.Tag, remove("a"), write("a", other), true},
		"a delete of what is written":            {admission.Tag, write("a", other), remove("a"), true},
		"two deletes of an id":                   {admission.Tag, remove("there"), remove("there"), true},
		"an update of what is replaced":          {admission.Replace, write("a", text), write("there", other), true},
		"a delete of what is replaced":           {admission.Replace, write("a", text), remove("there"), true},
		"a copy of what is updated":              {admission.Tag, write("there", other), write("a", text), true},
		"a copy of what is deleted":              {admission.Tag, remove("there"), write("a", text), true},
		"a copy of what is written":              {admission.Tag, write("a", other), write("b", other), true},
		"an update of what a tag names":          {admission.Tag, write("a", text), write("there", other), true},
		"a delete of what a rejection names":     {admission.Reject, write("a", text), remove("there"), true},
		"a delete of what is rejected":           {admission.Reject, write("there", text), remove("a"), false},
		"a newer copy of what a rejection names": {admission.Replace, old("a", text), write("b", text), true},
		"others":                                 {admission.Replace, write("a", other), write("b", third), false},
		"another copy of what a rejection names": {admission.Reject, write("a", text), write("b", text), false},
		"another copy of what a tag names":       {admission.Tag, write("a", text), write("b", text), true},
		"no text":                                {admission.Replace, write("a", ""), write("b", ""), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newIndex(t)
			j := newJudging(t, x, admission.Policy{Near: tt.near})
			submit(t, x, "there", text)
			first := j.judge(tt.first.docs, tt.first.deletes...)
			others := []*gate.Document{ahead("one", words(10)), ahead("two", words(11))}
			for at := range 3 {
				docs := slices.Insert(slices.Clone(others), at, tt.second.docs...)
				ctx, cancel := context.WithTimeout(t.Context(), map[bool]time.Duration{true: 20 * time.Millisecond, false: time.Minute}[tt.waits])
				a, err := j.gate.Judge(ctx, j.policy, docs, tt.second.deletes, false)
				if waits := errors.Is(err, context.DeadlineExceeded); waits != tt.waits || !waits && err != nil {
					t.Errorf("among others, at %d: it waits %v, error %v", at, waits, err)
				}
				if err == nil {
					a.Close()
				}
				cancel()
			}
			first.Close()
			j.judge(tt.second.docs, tt.second.deletes...).Close()
		})
	}
}

// bleve's own Delete waits as well.
func TestDeleteWaits(t *testing.T) {
	t.Parallel()
	x := newIndex(t)
	j := newJudging(t, x, admission.Policy{Near: admission.Tag})
	first := j.judge([]*gate.Document{ahead("a", words(1))})
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := x.Delete("a"); err != nil {
			t.Error(err)
		}
	}()
	select {
	case <-done:
		t.Error("it did not wait")
	case <-time.After(50 * time.Millisecond):
	}
	first.Close()
	<-done
}

// What does not say when it was sent is as new as its turn, not as its call: what had to
// wait takes the place of a copy that came meanwhile.
func TestTimeOfTurn(t *testing.T) {
	t.Parallel()
	x := newIndex(t)
	j := newJudging(t, x, admission.Policy{Near: admission.Replace})
	var now atomic.Int64
	j.gate.SetClock(func() time.Time { return time.Unix(now.Add(1), 0) })
	text := words(1)
	flight := j.judge([]*gate.Document{ahead("waits", words(2))})
	done := make(chan admission.Verdict)
	go func() { done <- submit(t, x, "waits", text) }()
	time.Sleep(50 * time.Millisecond) // until it waits
	submit(t, x, "meanwhile", text)
	flight.Close()
	if v := <-done; v.Action != admission.Replace || v.Of != "meanwhile" {
		t.Errorf("got %v", v)
	}
	old := ahead("old", text)
	old.Time = time.Unix(1, 0)
	if v := j.judge([]*gate.Document{old}).Verdicts[0]; v.Action != admission.Reject {
		t.Errorf("what was sent before: got %v", v)
	}
}

// A mark counts until the instant at which it expires, and not at that.
func TestMarkExpires(t *testing.T) {
	t.Parallel()
	x := newIndex(t)
	j := newJudging(t, x, admission.Policy{Known: admission.Reject})
	at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	text := words(1)
	sig := signature.Of(signature.DefaultParams(), []byte(text))
	if err := typed(x).SetMark(context.Background(), admission.Mark{Name: "m", Label: admission.Spam, Expires: at, Signature: &sig}); err != nil {
		t.Fatal(err)
	}
	for now, want := range map[time.Time]admission.Action{
		at.Add(-1): admission.Reject, at: admission.Accept, at.Add(1): admission.Accept,
	} {
		j.gate.SetClock(func() time.Time { return now })
		if v := submit(t, x, "a", text); v.Action != want {
			t.Errorf("%v after it expired: got %v, want %s", now.Sub(at), v, want)
		}
	}
}

// A context that is done ends the wait of every call that writes, whatever it waits for, and
// then nothing is written, and the calls after it go on.
func TestContextEndsWait(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]struct {
		rules bool // it waits for writes, not for a batch
		do    func(ctx context.Context, x bleve.Index) error
	}{
		"Submit": {false, func(ctx context.Context, x bleve.Index) error {
			_, err := plugin.Submit(ctx, x, "a", map[string]any{"body": words(2)})
			return err
		}},
		"SubmitBatch": {false, func(ctx context.Context, x bleve.Index) error {
			b := x.NewBatch()
			b.Delete("a")
			if err := b.Index("b", map[string]any{"body": words(3)}); err != nil {
				return err
			}
			_, err := plugin.SubmitBatch(ctx, x, b)
			return err
		}},
		"SetPolicy": {true, func(ctx context.Context, x bleve.Index) error {
			return plugin.SetPolicy(ctx, x, &admission.Policy{Near: admission.Reject})
		}},
		"MarkText": {true, func(ctx context.Context, x bleve.Index) error {
			return typed(x).MarkText(ctx, "m", admission.Spam, "some words")
		}},
		"MarkDocument": {true, func(ctx context.Context, x bleve.Index) error {
			return typed(x).MarkDocument(ctx, "m", admission.Spam, "there")
		}},
		"Unmark": {true, func(ctx context.Context, x bleve.Index) error { return typed(x).Unmark(ctx, "kept") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newIndex(t)
			j := newJudging(t, x, admission.Policy{Near: admission.Tag})
			submit(t, x, "there", words(1))
			if err := typed(x).MarkText(context.Background(), "kept", admission.Wanted, "other words"); err != nil {
				t.Fatal(err)
			}
			// A batch is being written that has to do with the one that the call sends.
			leave, err := j.gate.Enter(context.Background(), false)
			if err != nil {
				t.Fatal(err)
			}
			flight := j.judge([]*gate.Document{ahead("a", words(4))})
			end := sync.OnceFunc(func() {
				flight.Close()
				leave()
			})
			defer end()
			ctx, cancel := context.WithCancel(context.Background())
			done := make(chan error, 1)
			go func() { done <- call.do(ctx, x) }()
			select {
			case err := <-done:
				t.Fatalf("it did not wait: %v", err)
			case <-time.After(50 * time.Millisecond):
			}
			cancel()
			select {
			case err := <-done:
				if !errors.Is(err, context.Canceled) {
					t.Errorf("got error %v", err)
				}
			case <-time.After(time.Minute):
				t.Fatal("it waits for ever")
			}
			// What waits for nobody is judged and written meanwhile.
			submit(t, x, "meanwhile", words(5))
			end()
			if n, err := x.DocCount(); n != 2 || err != nil {
				t.Errorf("%d documents, error %v, wanted 2", n, err)
			}
			marks, err := typed(x).Marks()
			if err != nil || len(marks) != 1 || marks[0].Name != "kept" {
				t.Errorf("got marks %v, error %v", marks, err)
			}
			if v := submit(t, x, "copy", words(1)); v.Action != admission.Tag {
				t.Errorf("the policy is another: %v", v)
			}
			// Of a context that is done before, nothing is written either.
			if err := call.do(ctx, x); !errors.Is(err, context.Canceled) {
				t.Errorf("once more: got error %v", err)
			}
			if err := call.do(context.Background(), x); err != nil {
				t.Errorf("with a context that is not done: %v", err)
			}
		})
	}
}

// typed is the index of type neardup inside x.
func typed(x bleve.Index) *indextype.Index {
	n, err := plugin.Of(x)
	if err != nil {
		panic(err)
	}
	return n
}
