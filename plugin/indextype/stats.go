package indextype

import (
	"sync/atomic"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// counts are of this process, since the index was opened.
type counts struct {
	signed, empty, short atomic.Uint64
}

func (c *counts) add(s *signature.Signature) {
	c.signed.Add(1)
	switch {
	case s.Tokens == 0:
		c.empty.Add(1)
	case s.Shingles == 0:
		c.short.Add(1)
	}
}

// StatsMap adds to scorch's figures, which bleve shows in Index.StatsMap and in
// expvar:
//
//	neardup_signed   signatures made since the index was opened
//	neardup_empty    of these, of documents without any token, which match nothing
//	neardup_short    of these, of texts shorter than a shingle, which match by
//	                 their exact hash alone
//	neardup_judged, neardup_tagged, neardup_rejected, ...
//	                 what became of documents since then: see admission.Gate.Stats
func (x *Index) StatsMap() map[string]interface{} {
	m := x.Scorch.StatsMap()
	m["neardup_signed"] = x.counts.signed.Load()
	m["neardup_empty"] = x.counts.empty.Load()
	m["neardup_short"] = x.counts.short.Load()
	for name, n := range x.gate.Stats() {
		m["neardup_"+name] = n
	}
	return m
}
