package marks

import (
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// agreeing finds, among the sketches of many marks, those of which some lanes agree with the
// lanes of a document. It misses none. Bands, as in package table, do not pay for so few lanes: with
// 5 of 100 a band would be one lane. So there is a list for each lane and value of the marks that
// have it there, and a lookup counts how often it meets each mark in the lists of the document's
// lanes. Of 100,000 marks it meets 150 or so by accident.
//
// A list takes the marks of several values while there are few marks. So a count can be too
// large, never too small: callers compare the marks that are yielded.
type agreeing struct {
	lanes    int
	sketches []sketch.Sketch
	bits     int      // of a value that select its list
	heads    []uint32 // by lane and list: the newest mark plus 1, 0 if there is none
	next     []uint32 // by mark and lane: the mark after it in its list, in the same form

	counts []uint16 // of a lookup, by mark; 0 between lookups
	met    []uint32 // marks that the lookup has met
	now    []place  // where it is in the lists
}

// place is a place in the list of a lane: a mark plus 1, or 0 at the end.
type place struct{ mark, lane uint32 }

const laneWidth = 16 // bits of a lane

func newAgreeing(lanes int) *agreeing { return &agreeing{lanes: lanes} }

// add adds the sketch of a mark, at the next position.
func (a *agreeing) add(s sketch.Sketch) {
	a.sketches = append(a.sketches, s)
	a.counts = append(a.counts, make([]uint16, len(a.sketches)-len(a.counts))...)
	if a.bits == 0 || a.bits < laneWidth && len(a.sketches) > 1<<a.bits/4 {
		a.spread()
		return
	}
	a.file(len(a.sketches) - 1)
}

// spread makes lists for four times as many marks.
func (a *agreeing) spread() {
	for a.bits < laneWidth && 1<<a.bits < 16*len(a.sketches) {
		a.bits++
	}
	a.heads = make([]uint32, a.lanes<<a.bits)
	a.next = make([]uint32, 0, a.lanes*len(a.sketches)*2)
	for i := range a.sketches {
		a.file(i)
	}
}

func (a *agreeing) file(i int) {
	for lane := range a.lanes {
		head := a.head(a.sketches[i], lane)
		a.next = append(a.next, *head)
		*head = uint32(i + 1)
	}
}

func (a *agreeing) head(s sketch.Sketch, lane int) *uint32 {
	return &a.heads[lane<<a.bits|int(s.Lane(lane))&(1<<a.bits-1)]
}

// with calls each for the positions of all sketches of which at least so many lanes agree with
// s, and perhaps for more.
func (a *agreeing) with(s *signature.Signature, least int, each func(i int)) {
	if s.Lanes != a.lanes {
		return
	}
	// One step in all lists, then the next step in all: each waits for memory, and so they wait at
	// the same time.
	now := a.now[:0]
	for lane := range a.lanes {
		now = append(now, place{*a.head(s.Sketch, lane), uint32(lane)})
	}
	a.now = now
	for len(now) > 0 {
		left := 0
		for _, p := range now {
			if p.mark == 0 {
				continue
			}
			now[left] = place{a.next[int(p.mark-1)*a.lanes+int(p.lane)], p.lane}
			left++
			if a.counts[p.mark-1]++; a.counts[p.mark-1] == 1 {
				a.met = append(a.met, p.mark-1)
			}
		}
		now = now[:left]
	}
	for _, i := range a.met {
		if int(a.counts[i]) >= least {
			each(int(i))
		}
		a.counts[i] = 0
	}
	a.met = a.met[:0]
}
