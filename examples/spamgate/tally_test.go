package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/neardup/bleve-neardup/plugin/admission"
)

// A mailbox in batches has the figures of the same mailbox mail by mail, also where ids come again.
func TestTallyAgainstPlayer(t *testing.T) {
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
		of := func() *gate {
			p := new(admission.Policy)
			if err := json.Unmarshal([]byte(policy), p); err != nil {
				t.Fatal(err)
			}
			g, err := newGate("", p)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { g.index.Close() })
			return g
		}
		batches, one := newTally(of(), true), &player{gate: of(), operator: true, out: io.Discard}
		if err := batches.play(t.Context(), mails); err != nil {
			t.Fatal(err)
		}
		if err := one.play(t.Context(), mails); err != nil {
			t.Fatal(err)
		}
		want := map[string]int{}
		for _, f := range one.fates {
			want[f.document.Label]++
			want[f.document.Label+string(f.verdict.Action)]++
		}
		if !maps.Equal(batches.counts, want) || batches.marked != one.marked {
			t.Errorf("%s: got %v, %d marks, want %v, %d", policy, batches.counts, batches.marked, want, one.marked)
		}
	}
}
