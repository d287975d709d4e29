package main

import (
	"encoding/json"
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

// signing is what flags say of signatures.
type signing struct {
	preset, options string
	flags           *pflag.FlagSet
}

func (s *signing) add(c *cobra.Command) {
	s.flags = c.Flags()
	s.flags.StringVar(&s.preset, "preset", neardup.Pages, "pages, versions (looser), short (titles, names, messages) or mail: what --signature does not say, and the rule")
	s.flags.StringVar(&s.options, "signature", "{}", `options of signatures in JSON, as in a mapping: {"width": 5, "passages": 50, "numbers": "equal"}`)
}

// changed reports whether any of the flags was given.
func (s *signing) changed() bool { return s.flags.Changed("preset") || s.flags.Changed("signature") }

// config is the analyzer's configuration.
func (s *signing) config() (config map[string]any, err error) {
	if err := json.Unmarshal([]byte(s.options), &config); err != nil || config == nil {
		return nil, usageError{fmt.Errorf("--signature: wanted a JSON object, got %q", s.options)}
	}
	if s.flags.Changed("preset") {
		config["preset"] = s.preset
	}
	config["type"] = neardup.Name
	return config, nil
}

// set makes an analyzer of m of what the flags ask for.
func (s *signing) set(m *mapping.IndexMappingImpl) error {
	config, err := s.config()
	if err != nil {
		return err
	}
	if err := m.AddCustomAnalyzer(signatureAnalyzer, config); err != nil {
		return usageError{err}
	}
	return nil
}

// analyzer returns the analyzer that the flags ask for.
func (s *signing) analyzer() (*neardup.Analyzer, error) {
	m := bleve.NewIndexMapping()
	if err := s.set(m); err != nil {
		return nil, err
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
