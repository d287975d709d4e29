package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/spf13/cobra"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/examples/internal/documents"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

// The findings of check.
const (
	missing      = "missing"  // there is text, and no signature
	damaged      = "damaged"  // the signature cannot be read
	foreign      = "foreign"  // it was made with other parameters than the mapping's
	differs      = "differs"  // the stored text has another signature
	otherSimhash = "simhash"  // the field beside it has another simhash
	before       = "before"   // signed as before the templates that are in use, or after others: no finding
	textless     = "textless" // there is no stored text to check a signature by: no finding
)

// finding is a document whose signature is not right.
type finding struct {
	ID     string `json:"id"`
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
}

// audit is the result of check.
type audit struct {
	Documents int       `json:"documents"`
	Right     int       `json:"right"`    // the same as recomputed
	Unsigned  int       `json:"unsigned"` // neither text nor signature
	Before    int       `json:"before"`   // right, but signed with a template that is left out now
	Textless  int       `json:"textless"` // a signature, and no stored text to check it by
	Findings  []finding `json:"findings"`
}

func (a *app) checkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check INDEX",
		Short: "Audit an index: sign all stored texts again, and compare",
		Long: `Check signs the stored text of every document again, and compares with the stored signature.
It names the documents whose signature is missing, damaged, foreign (made with other
parameters), or differs, and those whose simhash field is not the signature's. The exit code
is then 1. It counts those that have a template (see the command templates) in their signature which is
left out of it now: they are signed again when they are written.`,
		Example: "  neardup check notes.bleve && echo all signatures are right",
		Args:    args("an index", 1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return with(args[0], true, func(x bleve.Index, _ *indextype.Index) error { return a.check(c.Context(), x) })
		},
	}
}

func (a *app) check(ctx context.Context, x bleve.Index) error {
	origins, err := documents.Origins(x.Mapping(), a.field)
	if err != nil {
		return err
	}
	sets, err := indexes.OneTemplates(x, a.field)
	if err != nil {
		return err
	}
	total, err := x.DocCount()
	if err != nil {
		return err
	}
	r := audit{Findings: []finding{}}
	bar := a.progress("checking", int64(total), false)
	for d, err := range documents.Of(ctx, x, a.field) {
		if err != nil {
			bar.End()
			return fmt.Errorf("%w (%d of %d documents checked)", err, r.Documents, total)
		}
		r.add(d, origins, sets)
		bar.Add(1)
	}
	bar.End()
	if a.json {
		err = a.encode(r)
	} else {
		for _, f := range r.Findings {
			fmt.Fprintf(a.stdout, "%s: %s: %s\n", plain(string(f.ID)), f.Kind, f.Reason)
		}
		_, err = fmt.Fprintf(a.stdout, "%d documents: %d right, %d wrong, %d without text and signature, %d without stored text to check by\n",
			r.Documents, r.Right, len(r.Findings), r.Unsigned, r.Textless)
		if err == nil && r.Before > 0 {
			_, err = fmt.Fprintf(a.stdout, "%d more with a template in their signature that is left out now\n", r.Before)
		}
	}
	if err == nil && len(r.Findings) > 0 {
		err = errFinding
	}
	return err
}

// add counts a document.
func (r *audit) add(d documents.Stored, origins []documents.Origin, sets *template.Sets) {
	r.Documents++
	switch kind, reason := judge(d, origins, sets); kind {
	case "":
		if d.Signature == nil {
			r.Unsigned++
		} else {
			r.Right++
		}
	case textless:
		r.Textless++
	case before:
		r.Before++
	default:
		r.Findings = append(r.Findings, finding{d.ID, kind, reason})
	}
}

// judge says what is wrong with the signature of a document, "" for nothing. Of several
// document mappings one that explains it is enough.
func judge(d documents.Stored, origins []documents.Origin, sets *template.Sets) (kind, reason string) {
	if d.Damage != nil {
		return damaged, d.Damage.Error()
	}
	for _, o := range origins {
		values := o.Values(d)
		switch sig := d.Signature; {
		case sig == nil && len(values) > 0:
			kind, reason = missing, fmt.Sprintf("wanted a signature of %s, got none", strings.Join(o.Fields, ", "))
		case sig == nil:
		case len(values) == 0 && sig.Tokens > 0:
			kind, reason = textless, ""
		default:
			left := sets.For(func(field string) []string { return d.Fields[field] })
			again, err := o.Analyzer.SignWith(neardup.Figures{}, left, values...)
			if err != nil {
				return foreign, err.Error()
			}
			if kind, reason = difference(&again.Signature, sig, d.Simhash); kind == "" {
				return "", ""
			}
			whole, _ := o.Analyzer.Sign(values...)
			if as, _ := difference(&whole, sig, d.Simhash); as == "" {
				return before, ""
			}
		}
	}
	return kind, reason
}

// difference says how a stored signature differs from what it should be.
func difference(want, got *signature.Signature, stored string) (kind, reason string) {
	switch {
	case got.Params != want.Params:
		return foreign, fmt.Sprintf("parameters: wanted %08x, got %08x", want.Params, got.Params)
	case !table.Equal(want, got):
		return differs, fmt.Sprintf("wanted %s, got %s", describe(want), describe(got))
	case stored != simhash.Text(want.Simhash):
		return otherSimhash, fmt.Sprintf("wanted %s, got %q", simhash.Text(want.Simhash), stored)
	}
	return "", ""
}

// describe is a signature in short.
func describe(s *signature.Signature) string {
	return fmt.Sprintf("%d tokens, %d shingles, exact hash %016x, simhash %016x", s.Tokens, s.Shingles, s.Exact, s.Simhash)
}
