// Package token has bleve's token filters of this module: [Band] and [Shingle]. They replace the tokens of a text by
// terms of its signature, for indexes that are not of type neardup: documents that are alike have terms in common.
package token

import (
	"encoding/hex"
	"fmt"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/registry"

	"github.com/neardup/bleve-neardup/analysis/internal/component"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
)

// Band is the name, in a mapping, of the token filter that replaces the tokens of a text by the
// candidate keys of its signature. Documents that are duplicates by the rule share at least
// one term, so a query for all terms of a document misses none.
//
// Configuration, all optional:
//
//	"width", "lanes", "simhash_width", "simhash_weight", "fingerprint", "bag",
//	"numbers",
//	"seed":    of the signature (4, 100, 4, "distinct", "polynomial", false, "any", 0)
//	"agree":   lanes that duplicates have in common (nine tenths of the lanes)
//	"hamming": greatest distance of their simhashes, 0 to 31 (3)
//
// A term has 10 hexadecimal digits: two for the number of the band and eight of its key.
// Bands of lanes are numbered from 00, blocks of the simhash from c0. With the defaults
// there are 11 + 4 terms. A text shorter than a shingle, which matches only equal texts,
// has one term: ff and eight digits of its exact hash. A text without any token has none.
const Band = "neardup_band"

// Plan is the number of bands of lanes and of blocks of simhash bits: in each case one more
// than the number of lanes or bits that may differ.
type Plan struct {
	Bands, Blocks int
}

// simhashBand is the number of the first simhash block in a term, and so the greatest
// number of bands.
const (
	simhashBand = 0xc0
	maxHamming  = 31
	exactBand   = 0xff
	digits      = 10 // of a term
)

// ReadPlan reads a Plan for sketches of k lanes from "agree" and "hamming". The defaults are those of a rule, so that
// nothing of it is missed, as far as there are bands and blocks for it. The constructors of this module call it.
func ReadPlan(r *component.Reader, k int, rule signature.Rule) Plan {
	least := max(1, k-simhashBand+1)
	agree := r.Int("agree", max(least, rule.Need(k, 0)), least, k)
	hamming := r.Int("hamming", min(rule.Bits(), maxHamming), 0, maxHamming)
	return Plan{Bands: k - agree + 1, Blocks: hamming + 1}
}

// Check returns an error if two documents can be duplicates by rule, which must be valid,
// and not share a term of p, for sketches of k lanes.
func (p Plan) Check(rule signature.Rule, k int) error {
	agree, hamming := k-p.Bands+1, p.Blocks-1
	lanes, simhash := rule.Need(k, 0) >= agree, rule.Bits() <= hamming
	var ok bool
	switch rule.Mode {
	case signature.ExactOnly:
		ok = true
	case signature.SketchOnly:
		ok = lanes
	case signature.SimhashOnly:
		ok = simhash
	case signature.Both:
		ok = lanes || simhash
	default:
		ok = lanes && simhash
	}
	if ok {
		return nil
	}
	return fmt.Errorf("the rule must not be looser than %q %d and %q %d, with which the terms were made: got %d lanes, Hamming %d",
		"agree", agree, "hamming", hamming, rule.Need(k, 0), rule.Bits())
}

// Terms returns the terms of a signature, each as a token over the whole text of
// size bytes.
func (p Plan) Terms(sig *signature.Signature, size int) analysis.TokenStream {
	if sig.Tokens == 0 {
		return nil
	}
	n := p.Bands + p.Blocks
	stream, tokens, text := make(analysis.TokenStream, 0, n), make([]analysis.Token, n), make([]byte, 0, n*digits)
	add := func(number int, key uint64) {
		raw := [digits / 2]byte{byte(number), byte(key >> 24), byte(key >> 16), byte(key >> 8), byte(key)}
		text = hex.AppendEncode(text, raw[:])
		t := &tokens[len(stream)]
		*t = analysis.Token{Term: text[len(text)-digits : len(text) : len(text)], End: size, Position: len(stream) + 1, Type: analysis.Shingle}
		stream = append(stream, t)
	}
	if sig.Lanes == 0 {
		add(exactBand, sig.Exact)
		return stream
	}
	for i := range p.Bands {
		add(i, sig.Sketch.Band(sig.Lanes, p.Bands, i))
	}
	for i := range p.Blocks {
		add(simhashBand+i, simhash.Block(sig.Simhash, p.Blocks, i))
	}
	return stream
}

func newBand(values map[string]any, _ *registry.Cache) (analysis.TokenFilter, error) {
	r := component.New(Band, values)
	p := r.Params()
	p.Numbers = r.Numbers()
	plan := ReadPlan(r, p.Lanes, signature.Rule{})
	return component.Filter(r, p, func(m *signature.Maker, size int) analysis.TokenStream {
		sig := m.Signature()
		return plan.Terms(&sig, size)
	})
}

func init() {
	for name, constructor := range map[string]registry.TokenFilterConstructor{Band: newBand, Shingle: newShingle} {
		if err := registry.RegisterTokenFilter(name, constructor); err != nil {
			panic(err)
		}
	}
}
