package main

import (
	"context"
	"fmt"
	"slices"
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
	Documents int              `json:"documents"`
	DiskBytes uint64           `json:"disk_bytes"`
	Signed    int              `json:"signed"`
	Unsigned  int              `json:"unsigned"`    // neither text nor signature
	Right     int              `json:"right"`       // the same as recomputed
	Before    int              `json:"before"`      // right, but signed with a template that is left out now
	Textless  int              `json:"textless"`    // a signature, and no stored text to check it by
	Empty     int              `json:"empty"`       // of the signed, without any token
	Copies    int              `json:"copies"`      // of the signed, equal to one before but for case, punctuation and space
	Fields    []string         `json:"fields"`      // of the index
	From      []string         `json:"signed_from"` // properties, where the mapping says so
	Rule      signature.Rule   `json:"rule"`
	Params    signature.Params `json:"params"`
	Findings  []finding        `json:"findings"`
}

func (a *app) checkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check INDEX",
		Short: "Audit an index: sign all stored texts again, compare, and count",
		Long: `Check signs the stored text of every document again, and compares with the stored signature.
It names the documents whose signature is missing, damaged, foreign (made with other
parameters), or differs, and those whose simhash field is not the signature's. The exit code
is then 1. It counts the texts that are empty or equal to another, and those that have a template (see the
command templates) in their signature which is left out of it now: they are signed again when they are written. It
shows which fields there are, which of them are signed, and the rule and the parameters.`,
		Example: "  neardup check notes.bleve && echo all signatures are right",
		Args:    args("an index", 1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return with(args[0], true, func(x bleve.Index, _ *indextype.Index) error {
				r, err := a.check(c.Context(), x)
				switch {
				case err != nil:
					return err
				case a.json:
					err = a.encode(r)
				default:
					err = a.audited(r)
				}
				if err == nil && len(r.Findings) > 0 {
					err = errFinding
				}
				return err
			})
		},
	}
}

func (a *app) check(ctx context.Context, x bleve.Index) (*audit, error) {
	analyzer, err := neardup.Of(x.Mapping(), a.field)
	if err != nil {
		return nil, err
	}
	r := &audit{Params: analyzer.Params(), Rule: analyzer.Rule().Explicit(analyzer.Params().Lanes), Findings: []finding{}}
	if r.Fields, err = fieldNames(x); err != nil {
		return nil, err
	}
	origins, _ := documents.Origins(x.Mapping(), a.field) // none if no text is stored
	for _, o := range origins {
		r.From = append(r.From, o.Fields...)
	}
	slices.Sort(r.From)
	r.From = slices.Compact(r.From)
	stats, _ := x.StatsMap()["index"].(map[string]any)
	r.DiskBytes, _ = stats["num_bytes_used_disk_by_root"].(uint64)
	sets, err := indexes.OneTemplates(x, a.field)
	if err != nil {
		return nil, err
	}
	total, err := x.DocCount()
	if err != nil {
		return nil, err
	}
	bar := a.progress("checking", int64(total), false)
	defer bar.End()
	seen := make(map[uint64]bool)
	for d, err := range documents.Of(ctx, x, a.field) {
		if err != nil {
			return nil, fmt.Errorf("%w (%d of %d documents checked)", err, r.Documents, total)
		}
		bar.Add(1)
		r.add(d, origins, sets)
		if s := d.Signature; s != nil {
			r.Signed++
			r.Empty += one(s.Exact == 0)
			r.Copies += one(s.Exact != 0 && seen[s.Exact])
			seen[s.Exact] = true
		}
	}
	return r, nil
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// audited prints r.
func (a *app) audited(r *audit) error {
	for _, f := range r.Findings {
		fmt.Fprintf(a.stdout, "%s: %s: %s\n", plain(f.ID), f.Kind, f.Reason)
	}
	return a.table([]string{
		fmt.Sprintf("documents\t%d\t%.1f MB on disk", r.Documents, float64(r.DiskBytes)/1e6),
		fmt.Sprintf("signed\t%d", r.Signed),
		fmt.Sprintf("right\t%d\tsigned as the stored text is now", r.Right),
		fmt.Sprintf("wrong\t%d", len(r.Findings)),
		fmt.Sprintf("before\t%d\tsigned with a template that is left out now", r.Before),
		fmt.Sprintf("textless\t%d\tsigned, without stored text to check by", r.Textless),
		fmt.Sprintf("unsigned\t%d\twithout text and signature", r.Unsigned),
		fmt.Sprintf("empty\t%d\tsigned, without any token", r.Empty),
		fmt.Sprintf("copies\t%d\tequal to another but for case, punctuation and space", r.Copies),
		fmt.Sprintf("fields\t%d\t%s", len(r.Fields), strings.Join(r.Fields, ", ")),
		fmt.Sprintf("signed from\t%d\t%s", len(r.From), strings.Join(r.From, ", ")),
		fmt.Sprintf("rule\t\t%s: %s lanes, Hamming distance %d, min_words %d", r.Rule.Mode, lanes(r.Rule), r.Rule.Hamming, max(r.Rule.MinWords, 0)),
		fmt.Sprintf("parameters\t%08x\t%+v", r.Params.ID(), r.Params),
	}, "")
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
	if d.Signature != nil {
		kind = textless
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
