package neartest

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// Named is a document whose group has a name, in plain loops.
type Named struct {
	ID      string
	Sig     *signature.Signature // of no tokens if there is no text
	Group   string               // "" if it has none
	Founded bool                 // it is written, and its group is a new one
	Batch   bool                 // it is written before another one, in the same batch
}

// Name gives d its group by the rule of admission.Policy.Group. old is d as it is in the index, the zero Named if it is
// not there or of another scope; twins are its near-duplicates in its scope, in their order; taken reports whether
// another document of the index is in a group.
func (d *Named) Name(old Named, twins []Named, taken func(group string) bool) {
	var before uint64
	if old.Sig != nil {
		before = old.Sig.Tokens
	}
	d.Founded = false
	if old.Group != "" && (before > 0 && d.Sig.Tokens > 0 && Duplicates(signature.Rule{}, old.Sig, d.Sig) || before+d.Sig.Tokens == 0) {
		d.Group = old.Group
		return
	}
	many, first := len(twins) > 64, 0
	twins = slices.DeleteFunc(slices.Clone(twins), func(t Named) bool { // of the batch, the first ones
		if t.Batch {
			first++
		}
		return many && t.Batch && first > 64
	})
	slices.SortFunc(twins, func(a, b Named) int {
		equal := func(t Named) int {
			if t.Sig.Exact == d.Sig.Exact {
				return 0
			}
			return 1
		}
		c := cmp.Compare(equal(a), equal(b))
		if c == 0 && !many {
			one, _ := signature.Rule{}.Match(a.Sig, d.Sig)
			two, _ := signature.Rule{}.Match(b.Sig, d.Sig)
			c = cmp.Or(two.Agree-one.Agree, one.Hamming-two.Hamming)
		}
		return cmp.Or(c, strings.Compare(a.Group, b.Group))
	})
	for _, t := range twins {
		if old.Group != "" && t.Group == old.Group {
			d.Group = old.Group
			return
		}
	}
	for _, t := range twins {
		if t.Group != "" {
			d.Group = t.Group
			return
		}
	}
	d.Founded = true
	for n, again := uint32(0), true; again; n++ {
		var exact, rest [8]byte
		if d.Sig.Tokens > 0 {
			binary.LittleEndian.PutUint64(exact[:], d.Sig.Exact)
			binary.LittleEndian.PutUint32(rest[:], d.Sig.Params)
		}
		binary.LittleEndian.PutUint32(rest[4:], n)
		d.Group = fmt.Sprintf("%016x", xxhash.Sum64String(d.ID+string(exact[:])+string(rest[:])))
		again = taken(d.Group)
	}
}

// Names is an index without scopes of such documents, by their ids. It is never changed.
type Names map[string]Named

// Write returns the index after a batch of documents, whose signatures are given, and of deletes, and what was written,
// in the order of the ids.
func (n Names) Write(docs []Named, deletes ...string) (after Names, written []Named) {
	after = maps.Clone(n)
	for _, id := range deletes {
		delete(after, id)
	}
	for _, d := range docs {
		delete(after, d.ID)
	}
	docs = slices.SortedFunc(slices.Values(docs), func(a, b Named) int { return strings.Compare(a.ID, b.ID) })
	for _, d := range docs {
		var twins []Named
		for _, others := range [][]Named{slices.Collect(maps.Values(after)), written} {
			for _, other := range others {
				if Duplicates(signature.Rule{}, d.Sig, other.Sig) {
					twins = append(twins, other)
				}
			}
		}
		d.Batch = true
		d.Name(n[d.ID], twins, func(group string) (taken bool) {
			for id, other := range n {
				taken = taken || id != d.ID && other.Group == group
			}
			return taken
		})
		written = append(written, d)
	}
	for i := range written {
		written[i].Batch = false
		after[written[i].ID] = written[i]
	}
	return after, written
}

// Drifted is a text of 200 words, of which those at some of 13 places are other ones. Texts that differ in at most two
// places are near.
func Drifted(places []bool) string {
	var text []string
	for i := range 200 {
		word := fmt.Sprint("w", i)
		if i%16 == 4 && places[i/16] {
			word = "other" + word
		}
		text = append(text, word)
	}
	return strings.Join(text, " ")
}

// Drift makes texts that drift in small steps, each from the last one of an id or from that of another id, so that
// families overlap. IDs are d0, d1 and so on.
type Drift struct {
	*rand.Rand
	IDs    int
	places map[string][]bool // that differ from the first text
}

// ID is a random id.
func (d *Drift) ID() string { return fmt.Sprint("d", d.IntN(d.IDs)) }

// Text returns the next text of an id.
func (d *Drift) Text(id string) string {
	if d.places == nil {
		d.places = map[string][]bool{}
	}
	places := slices.Clone(d.places[id])
	switch other := d.places[d.ID()]; {
	case other != nil && (places == nil || d.IntN(2) == 0):
		places = slices.Clone(other)
	case places == nil || d.IntN(40) == 0:
		places = make([]bool, 13)
		for i := range places {
			places[i] = d.IntN(3) == 0
		}
	}
	for range max(d.IntN(5)-3, 0) {
		at := d.IntN(len(places))
		places[at] = !places[at]
	}
	d.places[id] = places
	return Drifted(places)
}
