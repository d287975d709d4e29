package main

import (
	"fmt"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/examples/internal/documents"
)

// signatureAnalyzer is the name of the analyzer in the mappings that are made here.
const signatureAnalyzer = "neardup_signature"

// signing is what flags say of signatures: the analyzer's configuration.
type signing struct {
	params signature.Params
	preset string
	terms  string
	flags  *pflag.FlagSet
}

// signingFlags are the flags of signing, and the options of the analyzer that they set.
var signingFlags = map[string]string{
	"preset": "preset", "width": "width", "sketch-lanes": "lanes", "simhash-width": "simhash_width", "simhash-weight": "simhash_weight",
	"fingerprint": "fingerprint", "bag": "bag", "numbers": "numbers", "seed": "seed", "terms": "terms",
	"passages": "passages",
}

func (s *signing) add(c *cobra.Command) {
	s.params, s.flags = signature.DefaultParams(), c.Flags()
	f, p := c.Flags(), &s.params
	var presets []string
	for _, preset := range neardup.Presets() {
		presets = append(presets, preset.Name)
	}
	f.StringVar(&s.preset, "preset", neardup.Pages, "pages, versions (looser), short (titles, names, messages) or mail: what other flags do not say, and the rule")
	choices(c, "preset", presets...)
	f.IntVar(&p.Width, "width", p.Width, "tokens in a shingle, 1 to 16")
	f.IntVar(&p.Lanes, "sketch-lanes", p.Lanes, "lanes of the sketch, 16 to 1024")
	f.IntVar(&p.SimhashWidth, "simhash-width", p.SimhashWidth, "tokens in a feature of the simhash, 1 to 16")
	f.StringVar((*string)(&p.SimhashWeight), "simhash-weight", string(p.SimhashWeight), "distinct, count or log")
	f.StringVar((*string)(&p.Fingerprint), "fingerprint", string(p.Fingerprint), "polynomial, xxhash64, rabin64 or rabin40")
	f.BoolVar(&p.Bag, "bag", p.Bag, "each copy of a shingle counts")
	f.StringVar((*string)(&p.Numbers), "numbers", string(p.Numbers), "any, or equal: no texts match whose numbers differ")
	f.IntVar(&p.Passages, "passages", p.Passages, "words of a passage, of a shingle or more: the command passages finds those that are shared; 0 for none")
	f.Uint64Var(&p.Seed, "seed", p.Seed, "selects the hash functions; secret if texts are hostile")
	choices(c, "simhash-weight", string(signature.WeightDistinct), string(signature.WeightCount), string(signature.WeightLog))
	choices(c, "numbers", string(signature.NumbersAny), string(signature.NumbersEqual))
	var names []string
	for _, name := range signature.Fingerprints() {
		names = append(names, string(name))
	}
	choices(c, "fingerprint", names...)
}

// changed reports whether any of the flags was given.
func (s *signing) changed() (any bool) {
	for flag := range signingFlags {
		any = any || s.flags.Changed(flag)
	}
	return any
}

// config is the analyzer's configuration.
func (s *signing) config() map[string]any {
	config := map[string]any{"type": neardup.Name}
	values := map[string]any{
		"preset": s.preset, "width": s.params.Width, "lanes": s.params.Lanes, "simhash_width": s.params.SimhashWidth,
		"simhash_weight": string(s.params.SimhashWeight), "fingerprint": string(s.params.Fingerprint),
		"bag": s.params.Bag, "numbers": string(s.params.Numbers), "seed": fmt.Sprint(s.params.Seed), "terms": s.terms,
		"passages": s.params.Passages,
	}
	for flag, option := range signingFlags {
		if s.flags.Changed(flag) {
			config[option] = values[option]
		}
	}
	return config
}

// analyzer returns the analyzer that the flags ask for.
func (s *signing) analyzer() (*neardup.Analyzer, error) {
	m := bleve.NewIndexMapping()
	if err := m.AddCustomAnalyzer(signatureAnalyzer, s.config()); err != nil {
		return nil, usageError{err}
	}
	return m.AnalyzerNamed(signatureAnalyzer).(*neardup.Analyzer), nil
}

// fits returns an error if the flags ask for other signatures than field has in m.
func (s *signing) fits(m mapping.IndexMapping, field string) error {
	have, err := neardup.Of(m, field)
	if err != nil || !s.changed() {
		return err
	}
	want, err := s.analyzer()
	if err == nil && want.Params() != have.Params() {
		err = fmt.Errorf("wanted an index of signatures with %+v, got one with %+v: the command backfill makes another index", want.Params(), have.Params())
	}
	return err
}

// sign returns the signature of a document.
func sign(analyzer *neardup.Analyzer, d documents.Document) *signature.Signature {
	values := make([][]byte, len(d.Values))
	for i, v := range d.Values {
		values[i] = []byte(v)
	}
	sig, _ := analyzer.Sign(values...)
	return &sig
}
