package signature_test

import (
	"math"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

func TestParamsValidate(t *testing.T) {
	t.Parallel()
	least := signature.Params{Width: 1, Lanes: 16, SimhashWidth: 1}
	most := signature.Params{Width: 16, Lanes: 1024, SimhashWidth: 16}
	for _, p := range append(several(), least, most) {
		if err := p.Validate(); err != nil {
			t.Errorf("%+v: %v", p, err)
		}
		if _, err := signature.NewMaker(p); err != nil {
			t.Errorf("%+v: %v", p, err)
		}
	}
	for _, tt := range []struct {
		change func(*signature.Params)
		says   string
	}{
		{func(p *signature.Params) { p.Width = 0 }, "width: wanted 1 to 16, got 0"},
		{func(p *signature.Params) { p.Width = 17 }, "width: wanted 1 to 16, got 17"},
		{func(p *signature.Params) { p.Lanes = 15 }, "lanes: wanted 16 to 1024, got 15"},
		{func(p *signature.Params) { p.Lanes = 1025 }, "lanes: wanted 16 to 1024, got 1025"},
		{func(p *signature.Params) { p.SimhashWidth = math.MinInt }, "simhash_width: wanted 1 to 16, got -"},
		{func(p *signature.Params) { p.SimhashWidth = 17 }, "simhash_width: wanted 1 to 16, got 17"},
		{func(p *signature.Params) { p.Tokens = "größe" }, `tokens: wanted names of printable ASCII, got "größe"`},
		{func(p *signature.Params) { p.SimhashWeight = "tf" }, `simhash_weight: wanted one of ["distinct" "count" "log"], got "tf": a function must be registered with signature.RegisterWeight before its name is used`},
		{func(p *signature.Params) { p.Fingerprint = "rabin" }, `fingerprint: wanted one of ["polynomial" "xxhash64" "rabin64" "rabin40"], got "rabin"`},
		{func(p *signature.Params) { p.Numbers = "none" }, `numbers: wanted one of ["any" "equal"], got "none"`},
	} {
		p := signature.DefaultParams()
		tt.change(&p)
		err := p.Validate()
		if err == nil || !strings.Contains(err.Error(), "signature: "+tt.says) {
			t.Errorf("%+v: got error %v, want %q", p, err, tt.says)
		}
		if m, err := signature.NewMaker(p); err == nil || m != nil {
			t.Errorf("%+v: a Maker was made, error %v", p, err)
		}
	}
}

// A parameter that is left out has its default.
func TestParamsDefaults(t *testing.T) {
	t.Parallel()
	p := signature.DefaultParams()
	q := signature.Params{Width: p.Width, Lanes: p.Lanes, SimhashWidth: p.SimhashWidth}
	text := []byte("one two three four five six seven")
	if p.ID() != q.ID() || p.Fingerprint != signature.Fingerprints()[0] || p.SimhashWeight != signature.WeightDistinct {
		t.Errorf("%+v and %+v have IDs %x and %x", p, q, p.ID(), q.ID())
	}
	checkEqual(t, "defaults left out", signature.Of(q, text), signature.Of(p, text))
}

// Every parameter is part of the ID, and none can be mistaken for another.
func TestParamsID(t *testing.T) {
	t.Parallel()
	ids := map[uint32]signature.Params{}
	n := 0
	for width := 1; width <= 16; width++ {
		for _, lanes := range []int{16, 100, 116, 1024} {
			for simhashWidth := 1; simhashWidth <= 16; simhashWidth++ {
				for _, seed := range []uint64{0, 1, 10, math.MaxUint64} {
					for _, tokens := range []string{"", "1", ` "`} {
						p := signature.Params{Width: width, Lanes: lanes, SimhashWidth: simhashWidth, Seed: seed, Tokens: tokens}
						ids[p.ID()] = p
						n++
					}
				}
			}
		}
	}
	for _, p := range combinations() {
		for _, tokens := range []string{"", "bag", `" bag`} {
			p.Tokens, p.Lanes, p.Numbers = tokens, 99, signature.NumbersAny
			ids[p.ID()] = p
			n++
			p.Numbers = signature.NumbersEqual
			ids[p.ID()] = p
			n++
		}
	}
	// A name that reads as other parameters has an ID of its own.
	named := signature.DefaultParams()
	named.SimhashWeight, named.Tokens = `distinct seed 7 tokens "x"`, "y"
	plain := signature.DefaultParams()
	plain.Seed, plain.Tokens = 7, `x" seed 0 tokens "y`
	ids[named.ID()], ids[plain.ID()] = named, plain
	named.SimhashWeight = `"distinct seed 7 tokens "`
	ids[named.ID()] = named
	n += 3
	// 12,579 values of 32 bits collide by chance .02 times.
	if len(ids) != n {
		t.Errorf("%d parameters have %d IDs", n, len(ids))
	}
}
