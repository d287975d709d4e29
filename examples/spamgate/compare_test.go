package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/neardup/bleve-neardup/plugin/admission"
)

// A mailbox in batches has the fates of the same mailbox mail by mail, also where ids come again.
func TestBatches(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 6))
	for _, policy := range []string{sides[0].policy, sides[3].policy, sides[5].policy, `{"scope":"tenant","near":"replace"}`, defaultPolicy} {
		var mails []document
		at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
		for range 60 {
			at = at.Add(time.Duration(rnd.IntN(300)) * time.Minute)
			text := advert(rnd.IntN(100))
			if family := rnd.IntN(4); family < 2 {
				text = strings.Repeat(fmt.Sprintf("another text, of family %d and its own kind; ", family), 6) + fmt.Sprint(rnd.IntN(9))
			}
			mails = append(mails, document{
				ID: fmt.Sprint(rnd.IntN(40)), Text: &text, Tenant: []string{"a", "b"}[rnd.IntN(2)], Date: at, Label: []string{"spam", "ham"}[rnd.IntN(2)],
			})
		}
		played := func(most int) (all []string, marked int) {
			p := new(admission.Policy)
			if err := json.Unmarshal([]byte(policy), p); err != nil {
				t.Fatal(err)
			}
			g, err := newGate("", p)
			if err != nil {
				t.Fatal(err)
			}
			defer g.index.Close()
			by := newPlayer(g, true, io.Discard, most)
			if err := by.play(t.Context(), mails); err != nil {
				t.Fatal(err)
			}
			for _, f := range by.fates {
				all = append(all, fmt.Sprint(f.document.Tenant, f.document.ID, f.document.Date, f.verdict.Action, f.verdict.Policy))
			}
			slices.Sort(all) // a batch is judged tenant by tenant
			return all, by.marked
		}
		got, marked := played(500)
		want, marks := played(1)
		if !slices.Equal(got, want) || marked != marks {
			t.Errorf("%s: got %q, %d marks, want %q, %d", policy, got, marked, want, marks)
		}
	}
}

// Policies side by side, from a gzipped file.
func TestCompare(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	z := gzip.NewWriter(&file)
	e := json.NewEncoder(z)
	for n := range 8 {
		label := []string{"spam", "ham"}[n/6]
		if err := e.Encode(map[string]any{"id": fmt.Sprint(n), "text": advert(0), "label": label, "date": fmt.Sprintf("2003-12-%02dT00:00:00Z", 10+n)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	out, _ := called(t, 0, "replay", "--compare", write(t, "mail.jsonl.gz", file.String()))
	got := strings.Join(strings.Fields(out), " ")
	for _, want := range []string{
		"near-duplicates of anything 5 83.33 % 0 0.00 % 2 100.00 % 0 0.00 % 0",
		"the same, tagged 0 0.00 % 5 83.33 % 0 0.00 % 2 100.00 % 0",
		"flood of 3 in a day 0 0.00 % 0 0.00 % 0 0.00 % 0 0.00 % 0",
		"flood of 3 in 30 days 3 50.00 % 0 0.00 % 2 100.00 % 0 0.00 % 0",
		"what is like marks 5 83.33 % 0 0.00 % 2 100.00 % 0 0.00 % 1",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("wanted %q, got %q", want, got)
		}
	}
	called(t, 2, "replay", "--compare", "--index", "x")
}
