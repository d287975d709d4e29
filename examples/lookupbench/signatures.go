package main

import (
	"math/rand/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
)

const lanes = 100

// made returns n signatures in any order: a quarter of them in families.
func made(n int) *table.Column {
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	c := table.NewColumn(n)
	places := rnd.Perm(n)
	for len(places) > 0 {
		s := random(rnd)
		c.Set(places[0], s)
		places = places[1:]
		if rnd.IntN(40) > 0 {
			continue
		}
		for range min(len(places), 1+rnd.IntN(60)/(1+rnd.IntN(6))) {
			c.Set(places[0], near(rnd, s, rnd.IntN(16), rnd.IntN(8)))
			places = places[1:]
		}
	}
	return c
}

// random returns a signature that is near none other.
func random(rnd *rand.Rand) *signature.Signature {
	s := &signature.Signature{
		Params: signature.DefaultParams().ID(), Exact: rnd.Uint64(), Simhash: rnd.Uint64(),
		Tokens: 400, Shingles: 380, Lanes: lanes, Sketch: make(sketch.Sketch, sketch.Words(lanes)),
	}
	for i := range s.Sketch {
		s.Sketch[i] = rnd.Uint64()
	}
	return s
}

// near returns a signature that differs from s in some lanes and bits of the simhash.
func near(rnd *rand.Rand, s *signature.Signature, differ, hamming int) *signature.Signature {
	c := *s
	c.Exact, c.Sketch = rnd.Uint64(), append(sketch.Sketch{}, s.Sketch...)
	for _, i := range rnd.Perm(lanes)[:differ] {
		c.Sketch[i/4] ^= 1 << (rnd.IntN(16) + i%4*16)
	}
	for _, bit := range rnd.Perm(64)[:hamming] {
		c.Simhash ^= 1 << bit
	}
	return &c
}

// probes are some of the signatures, and what is near each by comparing all.
type probes struct {
	all  []signature.Signature
	want map[signature.Mode]int // pairs that meet the rule, of the first checks
}

func draw(c *table.Column, o options) *probes {
	rnd := rand.New(rand.NewPCG(2, 3))
	p := &probes{want: map[signature.Mode]int{}}
	own := make([]int, max(o.lookups, o.checks))
	for i := range own {
		own[i] = rnd.IntN(c.Len())
		s, _ := c.At(own[i])
		p.all = append(p.all, s)
	}
	for i := range c.Len() {
		s, _ := c.At(i)
		for n := range o.checks {
			if own[n] == i {
				continue
			}
			for _, mode := range []signature.Mode{signature.Either, signature.SketchOnly} {
				if by(mode).Duplicates(&p.all[n], &s) {
					p.want[mode]++
				}
			}
		}
	}
	return p
}

// by is the default rule in one mode.
func by(mode signature.Mode) signature.Rule {
	rule := signature.Rule{}
	rule.Mode = mode
	return rule
}
