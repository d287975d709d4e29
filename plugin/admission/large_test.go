package admission_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/neardup/bleve-neardup/plugin/admission"
)

// Families of more copies than are looked at, and than may be replaced, against the model.
// The index has 130 copies of a text from long ago, written with their times, before the
// policy is set.
func TestLargeFamilies(t *testing.T) {
	t.Parallel()
	hours := func(n int) time.Duration { return time.Duration(n) * time.Hour }
	const copies = 130
	for name, tt := range map[string]struct {
		policy admission.Policy
		want   admission.Action // of most that is written
	}{
		"reject":          {admission.Policy{Near: admission.Reject}, admission.Reject},
		"tag":             {admission.Policy{Near: admission.Tag}, admission.Tag},
		"flood":           {admission.Policy{Time: "sent", Floods: []admission.Flood{{Copies: 3, Window: hours(10)}}}, admission.Reject},
		"flood, tagged":   {admission.Policy{Time: "sent", Floods: []admission.Flood{{Copies: 90, Window: hours(2000), Action: admission.Tag}}}, admission.Tag},
		"tag and flood":   {admission.Policy{Near: admission.Tag, Time: "sent", Floods: []admission.Flood{{Copies: 3, Window: hours(10)}}}, admission.Reject},
		"capped":          {admission.Policy{Near: admission.Replace, Time: "sent"}, admission.Reject},
		"capped at 120":   {admission.Policy{Near: admission.Replace, Time: "sent", MaxReplaced: 120}, admission.Reject},
		"as many":         {admission.Policy{Near: admission.Replace, Time: "sent", MaxReplaced: copies}, admission.Replace},
		"any number":      {admission.Policy{Near: admission.Replace, Time: "sent", MaxReplaced: -1}, admission.Replace},
		"longest":         {admission.Policy{Near: admission.Replace, Prefer: []admission.Preference{{Keep: admission.Longest}}, MaxReplaced: -1}, admission.Reject},
		"shadow":          {admission.Policy{Near: admission.Reject, Shadow: true}, admission.Tag},
		"capped, shadow":  {admission.Policy{Near: admission.Replace, Time: "sent", Shadow: true}, admission.Tag},
		"any, shadow":     {admission.Policy{Near: admission.Replace, Prefer: []admission.Preference{{Keep: admission.Longest}}, MaxReplaced: -1, Shadow: true}, admission.Tag},
		"capped or flood": {admission.Policy{Near: admission.Replace, Time: "sent", Floods: []admission.Flood{{Copies: 2, Window: hours(10)}}}, admission.Reject},
	} {
		if testing.Short() && name != "flood" && name != "capped" && name != "any number" && name != "shadow" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := admission.Policy{Time: "sent", Floods: []admission.Flood{{Copies: 100000, Window: 1}}}
			d := &driver{TB: t, index: newIndex(t, ""), model: model{policy: p, docs: map[string]entry{}}}
			setPolicy(t, d.index, p)
			rnd := rand.New(rand.NewPCG(4, 1))
			at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			text := words(rand.New(rand.NewPCG(0, 0)), 1)
			var old []page
			for i := range copies {
				old = append(old, page{fmt.Sprintf("old%03d", i), text, "", at.Add(time.Duration(i) * time.Minute)})
			}
			d.write(old, nil)
			d.policy = tt.policy
			setPolicy(t, d.index, tt.policy)
			at = at.Add(1000 * time.Hour)
			seen := map[admission.Action]int{}
			for round := range 8 {
				var pages []page
				for i := range 70 * (round / 7) { // more copies in a batch than a verdict looks at
					pages = append(pages, page{fmt.Sprintf("of many %02d", i), text, "", at.Add(time.Duration(round) * time.Minute)})
				}
				for i := range 1 + rnd.IntN(3) {
					p := page{fmt.Sprintf("new%02d %d", round, i), text, "", at.Add(time.Duration(round) * time.Minute)}
					switch rnd.IntN(6) {
					case 0:
						p.body = strings.TrimSpace(words(rnd, 1))
					case 1:
						p.id = fmt.Sprintf("old%03d", rnd.IntN(copies))
					}
					pages = append(pages, p)
				}
				var deletes []string
				if rnd.IntN(3) == 0 {
					deletes = []string{"new00 0"}
				}
				d.data = []byte{1} // tried out before
				for _, v := range d.write(pages, deletes) {
					seen[v.Action]++
				}
			}
			if seen[tt.want] == 0 {
				t.Errorf("%v: this test shows little", seen)
			}
		})
	}
}
