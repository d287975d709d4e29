package main

import (
	"maps"
	"time"

	"github.com/neardup/bleve-neardup/plugin/admission"
)

// outcome is what became of a document: an action, and the part of the policy that decided.
type outcome struct {
	action admission.Action
	policy string
}

// span is a time that the status page shows, in bars.
type span struct {
	Name   string // in the URL
	Title  string // of the time axis
	step   time.Duration
	bars   int
	layout string // of a time
	every  []int  // how many bars can share a label
}

var spans = [...]span{
	{"hour", "time of day, one bar a minute", time.Minute, 60, "15:04", []int{5, 10, 15, 20, 30}},
	{"day", "time of day, one bar for 30 minutes", 30 * time.Minute, 48, "15:04", []int{2, 4, 8, 12, 24}},
	{"week", "day, one bar for 3 hours", 3 * time.Hour, 56, "Mon 2", []int{8, 16, 32}},
}

// timeline counts what became of documents over time, for each of spans.
type timeline [len(spans)][]slot

// slot counts the documents of one bar.
type slot struct {
	at     int64 // its number since 1970, by the clock of this place
	counts map[outcome]int
}

// number is that of the bar that a time belongs to: bars begin at full hours and days of this place.
func (s span) number(t time.Time) int64 {
	_, offset := t.Zone()
	return (t.Unix() + int64(offset)) / int64(s.step/time.Second)
}

// label is the time at which a bar begins.
func (s span) label(number int64) string {
	return time.Unix(number*int64(s.step/time.Second), 0).UTC().Format(s.layout)
}

func (l *timeline) add(t time.Time, o outcome) {
	for i, s := range spans {
		if l[i] == nil {
			l[i] = make([]slot, s.bars)
		}
		at := s.number(t)
		own := &l[i][at%int64(s.bars)]
		if own.counts == nil || own.at != at {
			*own = slot{at, map[outcome]int{}}
		}
		own.counts[o]++
	}
}

// since returns the bars of a span that end with now, the oldest first.
func (l *timeline) since(i int, now time.Time) (all []slot) {
	s := spans[i]
	last := s.number(now)
	for at := last - int64(s.bars) + 1; at <= last; at++ {
		bar := slot{at, map[outcome]int{}}
		if l[i] != nil && l[i][at%int64(s.bars)].at == at {
			maps.Copy(bar.counts, l[i][at%int64(s.bars)].counts)
		}
		all = append(all, bar)
	}
	return all
}
