package gate

import (
	"testing"
	"time"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// Uses of a mark are counted, are due after a minute, and are those of the mark as it was set.
func TestUses(t *testing.T) {
	t.Parallel()
	sig := signature.Of(signature.DefaultParams(), []byte("one two three four five"))
	internal := map[string][]byte{}
	set := func(m admission.Mark) {
		m.Label, m.Signature = admission.Spam, &sig
		key, value, err := EncodeMark(&m)
		if err != nil {
			t.Fatal(err)
		}
		internal[string(key)] = value
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	open := func() *Gate {
		g := New(nil)
		g.SetClock(func() time.Time { return now })
		if err := g.marks.load(internal); err != nil {
			t.Fatal(err)
		}
		return g
	}
	of := func(g *Gate, name string) uint64 {
		g.marks.read = true
		all, err := g.Marks()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range all {
			if m.Name == name {
				if m.Used > 0 && !m.LastUsed.Equal(now) {
					t.Errorf("%q: last used %v, want %v", name, m.LastUsed, now)
				}
				return m.Used
			}
		}
		return 0
	}
	set(admission.Mark{Name: "a", Used: 5, LastUsed: now})
	set(admission.Mark{Name: "b"})
	g := open()
	g.marks.read = true
	by := []admission.Verdict{{Mark: "a"}, {Mark: "a"}, {}, {Mark: "b"}, {Mark: "gone"}}
	g.marks.use(by, now)
	if a, b := of(g, "a"), of(g, "b"); a != 7 || b != 1 {
		t.Fatalf("got %d and %d uses, want 7 and 1", a, b)
	}
	if value, _ := g.Uses(false); value != nil {
		t.Error("kept at once")
	}
	now = now.Add(keptEvery)
	value, failed := g.Uses(false)
	if value == nil {
		t.Fatal("not kept after a minute")
	}
	if again, _ := g.Uses(true); again != nil {
		t.Error("kept twice")
	}
	failed()
	if value, _ = g.Uses(true); value == nil {
		t.Fatal("not kept after it failed")
	}
	internal[UsesKey] = value
	now = now.Add(-keptEvery)
	g = open()
	if a, b := of(g, "a"), of(g, "b"); a != 7 || b != 1 {
		t.Errorf("reopened: got %d and %d uses, want 7 and 1", a, b)
	}
	set(admission.Mark{Name: "b", Expires: now})
	if g = open(); of(g, "b") != 0 {
		t.Errorf("set anew: got %d uses, want 0", of(g, "b"))
	}
	internal[UsesKey] = value[1:]
	if err := New(nil).marks.load(internal); err == nil {
		t.Error("part of the uses: got no error")
	}
}
