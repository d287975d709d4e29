package gate

import (
	"slices"
	"sync/atomic"

	"github.com/neardup/bleve-neardup/plugin/admission"
)

// counted are the figures of StatsMap.
var counted = [...]string{"judged", "tagged", "rejected", "replacing", "by_near", "by_flood", "by_known", "by_repetition", "by_hidden", "by_unscoped", "unscoped", "shadowed"}

// counts are of this process, since the index was opened, in the order of counted.
type counts [len(counted)]atomic.Uint64

func (c *counts) add(verdicts []admission.Verdict) {
	add := func(name string, n int) {
		c[slices.Index(counted[:], name)].Add(uint64(n))
	}
	add("judged", len(verdicts))
	for _, v := range verdicts {
		if v.Unscoped != "" {
			add("unscoped", 1)
		}
		switch v.Action {
		case admission.Tag:
			add("tagged", 1)
		case admission.Reject:
			add("rejected", 1)
		case admission.Replace:
			add("replacing", 1)
		default:
			continue
		}
		add("by_"+v.Policy, 1)
		if v.Would != "" {
			add("shadowed", 1)
		}
	}
}

func (c *counts) figures() map[string]uint64 {
	m := make(map[string]uint64, len(counted))
	for i, name := range counted {
		m[name] = c[i].Load()
	}
	return m
}
