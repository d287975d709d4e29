package gate

import (
	"testing"
	"time"

	"github.com/neardup/bleve-neardup/plugin/admission"
)

// No more near-duplicates are looked at than a verdict needs: Few of them, or as many as floods allow, and then up to
// the next power of two.
func TestEnough(t *testing.T) {
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	flood := func(copies int) admission.Flood { return admission.Flood{Copies: copies, Window: time.Hour} }
	j, found := new(judgement), []duplicate{}
	for n := range 300 {
		j.docs, found = append(j.docs, &Document{Time: now}), append(found, duplicate{place: n})
	}
	for i, tt := range []struct {
		policy admission.Policy
		enough func(n int) bool
	}{
		{admission.Policy{Near: admission.Tag}, func(n int) bool { return n >= Few }},
		{admission.Policy{Near: admission.Tag, Group: true}, func(n int) bool { return n > Few }},
		{admission.Policy{Near: admission.Replace}, func(n int) bool { return n > 100 }},
		{admission.Policy{Near: admission.Replace, MaxReplaced: -1}, func(int) bool { return false }},
		{admission.Policy{Near: admission.Replace, MaxReplaced: -1, Shadow: true}, func(n int) bool { return n >= Few }},
		{admission.Policy{Near: admission.Tag, MaxReplaced: -1}, func(n int) bool { return n >= Few }},
		{admission.Policy{Floods: []admission.Flood{flood(10)}}, func(n int) bool { return n == 64 || n == 128 || n == 256 }},
		{admission.Policy{Floods: []admission.Flood{flood(64)}}, func(n int) bool { return n == 64 || n == 128 || n == 256 }},
		{admission.Policy{Floods: []admission.Flood{flood(10), flood(65)}}, func(n int) bool { return n == 128 || n == 256 }},
		{admission.Policy{Floods: []admission.Flood{flood(300)}}, func(int) bool { return false }},
	} {
		j.policy = policy{&tt.policy}
		for n := range len(found) {
			if got, err := j.enough(&Document{Time: now}, found[:n]); err != nil || got != tt.enough(n) {
				t.Fatalf("policy %d, %d near-duplicates: got %v, %v", i, n, got, err)
			}
		}
	}
}
