package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/examples/internal/documents"
)

// ruleFlags adds the flags of a rule. A flag that is not given leaves its member to the field's rule.
func ruleFlags(c *cobra.Command, r *signature.Rule) {
	f := c.Flags()
	f.IntVar(&r.Lanes, "lanes", r.Lanes, "least number of agreeing lanes; 0 for the field's rule, or nine tenths of them")
	f.IntVar(&r.Hamming, "hamming", r.Bits(), "greatest Hamming distance of the simhashes, 0 to 64")
	f.StringVar((*string)(&r.Mode), "mode", string(signature.Either), "either, both, sketch_only, simhash_only or exact_only")
	f.IntVar(&r.MinWords, "min-words", r.MinWords, "texts of fewer words match nothing, not even equal texts")
	c.PreRunE = func(*cobra.Command, []string) error {
		r.Hamming, r.MinWords = cmp.Or(r.Hamming, -1), cmp.Or(r.MinWords, -1) // in a rule, 0 is the default
		if !f.Changed("hamming") {
			r.Hamming = 0
		}
		if !f.Changed("mode") {
			r.Mode = ""
		}
		if !f.Changed("min-words") {
			r.MinWords = 0
		}
		if err := r.Validate(); err != nil {
			return usageError{err}
		}
		return nil
	}
}

// pairFlags adds the flags that say, beside the rule, which documents match.
func pairFlags(c *cobra.Command, v *signature.Verify, within *[]string) {
	f := c.Flags()
	f.Float64Var(&v.Resemblance, "verify", 0, "compare the stored texts: they must have this resemblance, .3 to 1; 0 for the signatures alone")
	f.BoolVar(&v.Contained, "contained", false, "compare the stored texts: it is enough that one has all of the other")
	f.StringSliceVar(within, "within", nil, "fields in which the documents are equal, such as tenant,lang")
}

// verified marks the names of tests where texts were compared.
func verified(by string, texts bool) string {
	if texts {
		return by + ", texts"
	}
	return by
}

// htmlFlag adds the flag that says what is HTML, for commands that read whole files.
func htmlFlag(c *cobra.Command, s *documents.Source) {
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	s.Flags(all)
	c.Flags().AddFlag(all.Lookup("html"))
}

// lanes is how many lanes a rule asks for.
func lanes(r signature.Rule) string {
	if r.LongLanes > r.Lanes {
		return fmt.Sprintf("%d (long texts %d)", r.Lanes, r.LongLanes)
	}
	return fmt.Sprint(r.Lanes)
}
