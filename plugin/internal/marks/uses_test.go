package marks

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
	store := onDisk(t)
	set := func(m admission.Mark) {
		m.Label, m.Signature = admission.Spam, &sig
		if err := Of(store).Set([]admission.Mark{m}, nil); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	open := func() *Marks {
		g := Of(store)
		g.SetClock(func() time.Time { return now })
		if err := g.load(); err != nil {
			t.Fatal(err)
		}
		return g
	}
	of := func(g *Marks, name string) uint64 {
		all, err := g.All()
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
	by := []admission.Verdict{{Mark: "a"}, {Mark: "a"}, {}, {Mark: "b"}, {Mark: "gone"}}
	g.Use(by, now)
	if a, b := of(g, "a"), of(g, "b"); a != 7 || b != 1 {
		t.Fatalf("got %d and %d uses, want 7 and 1", a, b)
	}
	kept := func() []byte {
		value, err := store.Read(func(string, []byte) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	keep := func(now bool, want int) {
		t.Helper()
		if err := store.WriteUses(nil); err != nil {
			t.Fatal(err)
		}
		if err := g.KeepUses(now); err != nil {
			t.Fatal(err)
		}
		if got := len(kept()); got != want*useBytes {
			t.Errorf("kept %d bytes, want %d", got, want*useBytes)
		}
	}
	keep(false, 0) // not at once
	now = now.Add(keptEvery)
	keep(false, 2)
	keep(true, 0) // nothing is new
	broken := onDisk(t)
	if err := broken.Close(); err != nil {
		t.Fatal(err)
	}
	g.Use(by, now)
	if g.store = broken; g.KeepUses(true) == nil {
		t.Error("a store that is closed: got no error")
	}
	g.store = store
	keep(true, 2) // since that has failed
	g = open()
	if a, b := of(g, "a"), of(g, "b"); a != 9 || b != 2 {
		t.Errorf("reopened: got %d and %d uses, want 9 and 2", a, b)
	}
	set(admission.Mark{Name: "b", Expires: now})
	if g = open(); of(g, "b") != 0 {
		t.Errorf("set anew: got %d uses, want 0", of(g, "b"))
	}
	if err := store.WriteUses(kept()[1:]); err != nil {
		t.Fatal(err)
	}
	if err := Of(store).load(); err == nil {
		t.Error("part of the uses: got no error")
	}
}
