package admission_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// A mark knows how often it stopped something and when, also after the index is opened again;
// dry runs do not count. Unused marks are listed, and expire.
func TestUsedMarks(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x")
	x := newIndex(t, path)
	setPolicy(t, x, admission.Policy{Known: admission.Reject})
	ctx, rnd := context.Background(), rand.New(rand.NewPCG(1, 1))
	before := time.Now()
	for name, family := range map[string]int{"often": 1, "never": 2} {
		if err := typed(x).MarkText(ctx, name, admission.Spam, words(rnd, family)); err != nil {
			t.Fatal(err)
		}
	}
	b := x.NewBatch()
	if err := b.Index("d", map[string]any{"body": words(rnd, 1)}); err != nil {
		t.Fatal(err)
	}
	if _, err := plugin.DryRun(ctx, x, b); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if v := submit(t, x, page{"p", words(rnd, 1), "", time.Now()}); v.Mark != "often" {
			t.Fatalf("got %v", v)
		}
	}
	check := func() {
		t.Helper()
		marks, err := typed(x).Marks()
		if err != nil || len(marks) != 2 {
			t.Fatalf("got %d marks, %v", len(marks), err)
		}
		never, often := marks[0], marks[1]
		if often.Used != 3 || often.LastUsed.Before(before) || often.LastUsed.After(time.Now()) || never.Used != 0 || !never.LastUsed.IsZero() {
			t.Errorf("got %d uses, last %v, and %d", often.Used, often.LastUsed, never.Used)
		}
		for since, want := range map[time.Time]string{before: "", never.Marked.Add(1): "never ", often.LastUsed.Add(1): "never often "} {
			got := ""
			for _, m := range marks {
				if m.Since().Before(since) {
					got += m.Name + " "
				}
			}
			if got != want {
				t.Errorf("unused since %v: got %q, want %q", since, got, want)
			}
		}
	}
	check()
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	var err error
	if x, err = plugin.Open(path); err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	check()

	idle := admission.Mark{Name: "idle", Label: admission.Spam, Idle: time.Hour, Marked: time.Now().Add(-2 * time.Hour)}
	sign(t, x, &idle, words(rnd, 3))
	text, err := json.Marshal(idle)
	var read admission.Mark
	if err != nil || json.Unmarshal(text, &read) != nil || read.Idle != idle.Idle {
		t.Errorf("got %s, %v", text, err)
	}
	for _, test := range []struct {
		used time.Duration
		want admission.Action
	}{{0, admission.Accept}, {59 * time.Minute, admission.Reject}, {61 * time.Minute, admission.Accept}} {
		if test.used > 0 {
			idle.LastUsed = time.Now().Add(-test.used)
		}
		if err := typed(x).SetMark(ctx, idle); err != nil {
			t.Fatal(err)
		}
		if v := submit(t, x, page{"q", words(rnd, 3), "", time.Now()}); v.Action != test.want {
			t.Errorf("last used %v ago: got %v, want %v", test.used, v, test.want)
		}
	}
}

// A flood counts different values of a field of whatever type, with and without doc values, and
// goes on where the index was closed.
func TestFloodOfSenders(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"from", "number", "bare"} {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "x")
			x := newIndex(t, path)
			setPolicy(t, x, admission.Policy{Floods: []admission.Flood{
				{Copies: 3, Window: time.Hour, Distinct: field}, {Copies: 4, Window: time.Hour, Same: field, Action: admission.Tag},
			}})
			text, n := words(rand.New(rand.NewPCG(1, 1)), 1), 0
			send := func(from int, want admission.Action, copies int) {
				t.Helper()
				n++
				data := map[string]any{"body": text, field: string(rune('a' + from))}
				if field == "number" {
					data[field] = float64(from) * 1e6
				}
				v, err := plugin.Submit(context.Background(), x, string(rune('A'+n)), data)
				if err != nil || v.Action != want || v.Copies != copies {
					t.Errorf("copy %d: got %v, %v, want %s after %d", n, v, err, want, copies)
				}
			}
			for _, from := range []int{1, 1, 2, 1, 3} {
				send(from, admission.Accept, 0)
			}
			send(4, admission.Reject, 3)
			send(1, admission.Accept, 0)
			send(1, admission.Tag, 4)
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			var err error
			if x, err = plugin.Open(path); err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			send(5, admission.Reject, 3)
			send(1, admission.Tag, 4)
			send(3, admission.Accept, 0)
		})
	}
}
