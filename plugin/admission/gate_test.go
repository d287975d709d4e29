package admission_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

// judging is a gate and a policy, for batches that are judged without being written.
type judging struct {
	testing.TB
	gate   *admission.Gate
	policy admission.Policy
}

func newJudging(t testing.TB, x bleve.Index, p admission.Policy) judging {
	t.Helper()
	inner, err := x.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	setPolicy(t, x, p)
	return judging{t, inner.(*indextype.Index).Gate(), p}
}

// ahead are documents by their ids, each of a text.
func ahead(id, text string) *admission.Document {
	sig := signature.Of(signature.DefaultParams(), []byte(text))
	return &admission.Document{ID: id, Signature: &sig}
}

func (j judging) judge(docs []*admission.Document, deletes ...string) *admission.Admission {
	a, err := j.gate.Judge(context.Background(), &j.policy, docs, deletes, false)
	if err != nil {
		j.Error(err)
		return new(admission.Admission)
	}
	return a
}

// A batch waits for the end of another that has to do with it, and for no other. What is
// in the index is the document "there".
func TestWaits(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 1))
	text, other, third := words(rnd, 1), words(rnd, 2), words(rnd, 3)
	type batch struct {
		docs    []*admission.Document
		deletes []string
	}
	write := func(id, text string) batch { return batch{docs: []*admission.Document{ahead(id, text)}} }
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
		"two writes of an id":                  {admission.Tag, write("a", other), write("a", third), true},
		"a write of what is deleted":           {admission.Tag, remove("a"), write("a", other), true},
		"a delete of what is written":          {admission.Tag, write("a", other), remove("a"), true},
		"two deletes of an id":                 {admission.Tag, remove("there"), remove("there"), true},
		"an update of what is replaced":        {admission.Replace, write("a", text), write("there", other), true},
		"a delete of what is replaced":         {admission.Replace, write("a", text), remove("there"), true},
		"a copy of what is updated":            {admission.Tag, write("there", other), write("a", text), true},
		"a copy of what is deleted":            {admission.Tag, remove("there"), write("a", text), true},
		"a copy of what is written":            {admission.Tag, write("a", other), write("b", other), true},
		"an update of what a tag names":        {admission.Tag, write("a", text), write("there", other), true},
		"a delete of what a refusal names":     {admission.Reject, write("a", text), remove("there"), true},
		"a delete of what is refused":          {admission.Reject, write("there", text), remove("a"), false},
		"a newer copy of what a refusal names": {admission.Replace, old("a", text), write("b", text), true},
		"others":                               {admission.Replace, write("a", other), write("b", third), false},
		"another copy of what a refusal names": {admission.Reject, write("a", text), write("b", text), false},
		"no text":                              {admission.Replace, write("a", ""), write("b", ""), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newIndex(t, "")
			j := newJudging(t, x, admission.Policy{Near: tt.near})
			submit(t, x, page{id: "there", body: text})
			first := j.judge(tt.first.docs, tt.first.deletes...)
			done := make(chan struct{})
			go func() {
				j.judge(tt.second.docs, tt.second.deletes...).Close()
				close(done)
			}()
			select {
			case <-done:
				if tt.waits {
					t.Error("it did not wait")
				}
			case <-time.After(map[bool]time.Duration{true: 50 * time.Millisecond, false: time.Minute}[tt.waits]):
				if !tt.waits {
					t.Error("it waits")
				}
			}
			first.Close()
			<-done
		})
	}
}

// bleve's own Delete waits as well.
func TestDeleteWaits(t *testing.T) {
	t.Parallel()
	x := newIndex(t, "")
	j := newJudging(t, x, admission.Policy{Near: admission.Tag})
	first := j.judge([]*admission.Document{ahead("a", words(rand.New(rand.NewPCG(1, 1)), 1))})
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

// Who writes marks, or the policy, waits for all that was judged before, and nothing is
// judged until it has been written.
func TestRulesWait(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]func(x bleve.Index) error{
		"policy":    func(x bleve.Index) error { return plugin.SetPolicy(x, &admission.Policy{Near: admission.Reject}) },
		"no policy": func(x bleve.Index) error { return plugin.SetPolicy(x, nil) },
		"mark": func(x bleve.Index) error {
			return plugin.MarkText(x, admission.Mark{Name: "m", Label: admission.Spam}, "some words")
		},
		"unmark": func(x bleve.Index) error { return plugin.Unmark(x, "m") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newIndex(t, "")
			j := newJudging(t, x, admission.Policy{Near: admission.Tag})
			leave := j.gate.Enter(false)
			done := make(chan struct{})
			go func() {
				defer close(done)
				if err := rule(x); err != nil {
					t.Error(err)
				}
			}()
			select {
			case <-done:
				t.Error("it did not wait")
			case <-time.After(50 * time.Millisecond):
			}
			leave()
			<-done
		})
	}
}

// A batch of many ids is judged at last, though many writers send the same ids one by one
// and there is always one of them being written.
func TestPatience(t *testing.T) {
	t.Parallel()
	x := newIndex(t, "")
	j := newJudging(t, x, admission.Policy{Near: admission.Tag})
	var docs []*admission.Document
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 20 {
		docs = append(docs, ahead(fmt.Sprint("d", i), words(rnd, i)))
	}
	var stop atomic.Bool
	var all sync.WaitGroup
	flying := make(chan struct{}, len(docs))
	for _, d := range docs {
		all.Go(func() {
			for !stop.Load() {
				a := j.judge([]*admission.Document{d})
				select {
				case flying <- struct{}{}:
				default:
				}
				time.Sleep(time.Duration(rand.IntN(int(2 * time.Millisecond))))
				a.Close()
			}
		})
	}
	for range docs {
		<-flying
	}
	done := make(chan struct{})
	go func() {
		var own []*admission.Document
		for i, d := range docs {
			own = append(own, ahead(d.ID, words(rnd, 100+i)))
		}
		j.judge(own).Close()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Error("it waits for ever")
	}
	stop.Store(true)
	all.Wait()
	<-done
}

// What does not say when it was sent is as new as its turn, not as its call: what had to
// wait takes the place of a copy that came meanwhile.
func TestTimeOfTurn(t *testing.T) {
	t.Parallel()
	x := newIndex(t, "")
	j := newJudging(t, x, admission.Policy{Near: admission.Replace})
	var now atomic.Int64
	j.gate.SetClock(func() time.Time { return time.Unix(now.Add(1), 0) })
	rnd := rand.New(rand.NewPCG(1, 1))
	text := words(rnd, 1)
	flight := j.judge([]*admission.Document{ahead("waits", words(rnd, 2))})
	done := make(chan admission.Verdict)
	go func() { done <- submit(t, x, page{id: "waits", body: text}) }()
	time.Sleep(50 * time.Millisecond) // until it waits
	submit(t, x, page{id: "meanwhile", body: text})
	flight.Close()
	if v := <-done; v.Action != admission.Replace || v.Of != "meanwhile" {
		t.Errorf("got %v", v)
	}
	old := ahead("old", text)
	old.Time = time.Unix(1, 0)
	if v := j.judge([]*admission.Document{old}).Verdicts[0]; v.Action != admission.Reject {
		t.Errorf("what was sent before: got %v", v)
	}
}

// A mark counts until the instant at which it expires, and not at that.
func TestMarkExpires(t *testing.T) {
	t.Parallel()
	x := newIndex(t, "")
	j := newJudging(t, x, admission.Policy{Known: admission.Reject})
	at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	text := words(rand.New(rand.NewPCG(1, 1)), 1)
	if err := plugin.MarkText(x, admission.Mark{Name: "m", Label: admission.Spam, Expires: at}, text); err != nil {
		t.Fatal(err)
	}
	for now, want := range map[time.Time]admission.Action{
		at.Add(-1): admission.Reject, at: admission.Accept, at.Add(1): admission.Accept,
	} {
		j.gate.SetClock(func() time.Time { return now })
		if v := submit(t, x, page{id: "a", body: text}); v.Action != want {
			t.Errorf("%v after it expired: got %v, want %s", now.Sub(at), v, want)
		}
	}
}
