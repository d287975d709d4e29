package table

import (
	"math/bits"
	"runtime"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// Probe is a signature to look up, prepared once for any number of Frozen tables with the
// same rule and Plan. The zero Probe is ready for Prepare.
type Probe struct {
	keys  *Keys
	sig   *signature.Signature
	scope uint64
	own   []uint64 // the keys of sig, as Frozen has them
	need  int      // bands that a document shares if enough lanes agree
	met   tally    // documents that share one band, if they need two

	guarded bool
	passed  []bool // keys that are not followed
}

// Prepare makes p look for signatures that meet rule, which must be valid, with s, in one
// scope of tables made with rule and chosen. s is kept, and must not be changed while p is
// used.
func (p *Probe) Prepare(rule signature.Rule, chosen Plan, s *signature.Signature, scope uint64) {
	if k := p.keys; k == nil || k.rule != rule || k.plan != chosen || k.lanes != s.Lanes {
		p.keys = chosen.keys(rule, s.Lanes, fewest)
	}
	p.sig, p.scope, p.guarded = s, scope, false
	p.need, p.own = p.keys.need, p.own[:0]
	for n := range p.keys.count(s) {
		p.own = append(p.own, p.keys.frozen(n, s, saltOf(s.Params, scope)))
	}
}

// Near yields all documents of the tables whose signatures meet the rule with p's signature,
// each once, in no order, until yield returns false. It returns false if yield did.
//
// It panics if p was not prepared, or a table is nil.
func Near(tables []*Frozen, p *Probe, yield func(table, i int) bool) bool {
	if !p.keys.rule.Long(p.sig) {
		return true
	}
	defer runtime.KeepAlive(tables)
	for _, f := range tables {
		f.touch(p)
	}
	for n, f := range tables {
		if !f.near(p, func(i int) bool { return yield(n, i) }) {
			return false
		}
	}
	return true
}

func (f *Frozen) near(p *Probe, yield func(i int) bool) bool {
	for _, i := range f.odd {
		if f.meets(p, i) && !yield(i) {
			return false
		}
	}
	a := f.column.packed.Load()
	if a == nil || a.params != p.sig.Params {
		return true
	}
	if f.tables == nil {
		return f.scan(p, a, true, func(i int) bool {
			s := a.at(i)
			return !f.meets(p, i) || p.guarded && !p.shared(len(p.own), &s) || yield(i)
		})
	}
	var seen decided
	if p.need > 1 {
		p.met = tally{}
	}
	mask := uint32(1)<<f.docBits - 1
	for n, key := range f.keysOf(p, a) {
		if p.passes(n) {
			continue
		}
		want, most := f.tag(key), p.may(n)
		for _, entry := range f.tables[n].of(key) {
			differ := (entry ^ want) &^ mask
			if differ != 0 && (most == 0 || bits.OnesCount32(differ) > most) {
				continue
			}
			i := int(entry & mask)
			if p.need > 1 && n > 0 && n <= len(p.keys.bands) && !p.met.again(i) {
				continue
			}
			if !seen.has(i) && !f.decide(p, a, &seen, n, i, yield) {
				return false
			}
		}
	}
	return !p.keys.scan || f.scan(p, a, false, func(i int) bool { // what no key leads to
		s := a.at(i)
		return !f.meets(p, i) || p.shared(len(p.own), &s) || yield(i)
	})
}

// scan yields all documents that can meet the rule, but for those that can by their lanes alone unless sketches is set,
// until yield returns false. It returns false if yield did.
func (f *Frozen) scan(p *Probe, a *arrays, sketches bool, yield func(i int) bool) bool {
	f.scans.Add(1)
	comparable := p.sig.Lanes > 0 && p.sig.Lanes == a.lanes
	bands, bits := comparable && sketches && len(p.keys.bands) > 0, comparable && p.keys.blocks > 0 && p.sig.Simhash != 0
	for i, exact := range a.exacts {
		may := exact == p.sig.Exact || bits && simhash.Distance(a.simhash[i], p.sig.Simhash) <= p.keys.most || bands && p.within(a.sketch(i))
		if may && f.column.has(i) && !yield(i) {
			return false
		}
	}
	return true
}

// keysOf returns the keys of p that lead to documents: if they have other lanes, the one for
// equal texts alone.
func (f *Frozen) keysOf(p *Probe, a *arrays) []uint64 {
	if p.sig.Lanes != a.lanes {
		return p.own[:min(1, len(p.own))]
	}
	return p.own
}

// may returns in how many bits an entry of the n-th key may differ.
func (p *Probe) may(n int) int {
	if n < p.keys.firstBlock() {
		return 0
	}
	return p.keys.most
}

// decide yields document i, to which the n-th key leads, if it meets the rule and was not yielded for earlier keys: for
// one that it shares, or two bands if it must share two. It returns false if yield did. A key of a band leads to
// documents that are near by their lanes, a key of the simhash to others: so of most documents one array is read.
func (f *Frozen) decide(p *Probe, a *arrays, seen *decided, n, i int, yield func(i int) bool) bool {
	switch {
	case n > len(p.keys.bands):
		if simhash.Distance(a.simhash[i], p.sig.Simhash) > p.keys.most {
			return true
		}
	case n > 0:
		s := a.sketch(i)
		shares := func(b laneBand) bool { return b.agree(s, p.sig.Sketch) } // a band before the n-th key
		if !p.within(s) || p.need > 1 && !slices.ContainsFunc(p.keys.bands[:n-1], shares) {
			return true
		}
	}
	s := a.at(i)
	if !p.keys.agree(n, &s, p.sig) {
		return true
	}
	seen.add(i)
	if f.Scope(i) != p.scope || !p.keys.rule.Duplicates(&s, p.sig) {
		return true
	}
	return p.shared(n, &s) || yield(i)
}

// within reports whether enough lanes agree; a longer text can need more.
func (p *Probe) within(s sketch.Sketch) bool {
	return sketch.Within(s, p.sig.Sketch, p.sig.Lanes-p.keys.rule.Need(p.sig.Lanes, p.sig.Tokens))
}

// shared reports whether s is found by one of the first n keys that are followed.
func (p *Probe) shared(n int, s *signature.Signature) bool {
	bands, within := 0, n <= 1 || len(p.keys.bands) == 0 || s.Lanes > 0 && p.within(s.Sketch)
	near := n <= 1+len(p.keys.bands) || simhash.Distance(s.Simhash, p.sig.Simhash) <= p.keys.most
	for i := range min(n, p.keys.count(s)) {
		band, block := i > 0 && i <= len(p.keys.bands), i > len(p.keys.bands)
		if p.passes(i) || band && !within || block && !near || !p.keys.agree(i, s, p.sig) {
			continue
		}
		if band {
			bands++
		}
		if !band || bands == p.need {
			return true
		}
	}
	return false
}

// tally remembers which documents were met, and takes a few others for one of them: of the 460 of a million that share
// a band with a text of the preset short, some six.
type tally [256]uint64

// again reports whether document i, or one that is taken for it, was met before.
func (t *tally) again(i int) bool {
	word, bit := &t[i/64%len(t)], uint64(1)<<(i%64)
	before := *word&bit != 0
	*word |= bit
	return before
}

// decided remembers some of the documents that a lookup has decided about. A near-duplicate
// is found under most of its keys; a remembered document is skipped without a look at its
// signature.
type decided [64]uint32 // document numbers plus 1

func (d *decided) has(i int) bool { return d[uint(i)%uint(len(d))] == uint32(i+1) }
func (d *decided) add(i int)      { d[uint(i)%uint(len(d))] = uint32(i + 1) }

// meets reports whether document i is in the probe's scope and meets the rule.
func (f *Frozen) meets(p *Probe, i int) bool {
	s, ok := f.column.At(i)
	return ok && f.Scope(i) == p.scope && p.keys.rule.Duplicates(&s, p.sig)
}

// of returns the entries of the bucket of a key.
func (b *buckets) of(key uint64) []uint32 {
	at := b.home(key)
	return b.entries[b.starts[at]:b.starts[at+1]]
}

// Documents made from one template have much of their text in common. So all of them agree
// in some bands of lanes, though hardly two are near-duplicates: at a resemblance of .8,
// one in six agrees in 8 given lanes. Without a guard, a lookup would compare the probe
// with every sixth document for each band.

// Guard makes lookups skip keys of bands and simhash blocks that more than most documents
// in all the tables together have, and returns the number of these keys. Documents of other
// parameters or scopes are not counted. If the result is not 0, lookups miss
// near-duplicates that share no other key with the probe. The exact hash is always
// followed, since all documents it leads to match. Prepare takes the guard off again.
func (p *Probe) Guard(most int, tables ...*Frozen) (passed int) {
	if p.keys.scan { // all documents are compared
		return 0
	}
	defer runtime.KeepAlive(tables)
	p.guarded, p.need, p.passed = true, p.keys.need, p.passed[:0]
	bare := make([]int, len(p.own)) // how many have each key, where there are no tables
	for _, f := range tables {
		f.count(p, bare)
	}
	for n := range p.own {
		about, exactly := bare[n], bare[n]
		for _, f := range tables {
			about += f.held(p, n, false)
		}
		if n > 0 && about > most {
			for _, f := range tables {
				exactly += f.held(p, n, true)
			}
		}
		p.passed = append(p.passed, exactly > most)
		if exactly > most {
			passed++
		}
	}
	if passed > 0 { // documents can share one band of those that are followed
		p.need = 1
	}
	return passed
}

// passes reports whether the guard makes lookups skip the n-th key.
func (p *Probe) passes(n int) bool { return p.guarded && n < len(p.passed) && p.passed[n] }

// count adds the documents that have each key of the probe, if f has no tables.
func (f *Frozen) count(p *Probe, holders []int) {
	a := f.column.packed.Load()
	if a == nil || f.tables != nil || a.params != p.sig.Params || a.lanes != p.sig.Lanes {
		return
	}
	add := func(n, i int) { // n > 0: the exact hash is always followed
		if s := a.at(i); n < min(len(holders), p.keys.count(&s)) && f.column.has(i) && f.Scope(i) == p.scope {
			holders[n]++
		}
	}
	for i, h := range a.simhash {
		s := a.sketch(i)
		for n := range p.keys.bands {
			if p.keys.bands[n].agree(s, p.sig.Sketch) {
				add(1+n, i)
			}
		}
		for m, mask := range p.keys.masks {
			if (h^p.sig.Simhash)&mask == 0 {
				add(1+len(p.keys.bands)+m, i)
			}
		}
	}
}

// held returns the number of documents that have the n-th key of the probe; or, if exactly
// is false, the number of documents in its bucket.
func (f *Frozen) held(p *Probe, n int, exactly bool) (count int) {
	a := f.column.packed.Load()
	if a == nil || f.tables == nil || a.params != p.sig.Params || n >= len(f.keysOf(p, a)) {
		return 0 // there are no keys to look up
	}
	key := p.own[n]
	entries := f.tables[n].of(key)
	if !exactly {
		return len(entries)
	}
	mask := uint32(1)<<f.docBits - 1
	for _, entry := range entries {
		same := (entry^f.tag(key))&^mask == 0
		if n >= f.keys.firstBlock() {
			same = (a.simhash[entry&mask]^p.sig.Simhash)&f.keys.masks[n-1-len(f.keys.bands)] == 0
		}
		if same {
			count++
		}
	}
	return count
}

// touch loads the first entries that the lookup will need, all at once. Otherwise each
// would be loaded only after the one before was decided about; at a million documents each
// has to come from memory.
func (f *Frozen) touch(p *Probe) (all uint32) {
	a := f.column.packed.Load()
	if a == nil || a.params != p.sig.Params || f.tables == nil {
		return 0
	}
	for n, key := range f.keysOf(p, a) {
		t := &f.tables[n]
		if at := t.starts[t.home(key)]; int(at) < len(t.entries) {
			all ^= t.entries[at]
		}
	}
	return all
}
