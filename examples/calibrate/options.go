package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
	"github.com/neardup/bleve-neardup/examples/internal/command"
	"github.com/neardup/bleve-neardup/examples/internal/documents"
)

// shipped is the corpus of the example docsearch, from the folder examples.
const shipped = "docsearch/corpus/corpus.jsonl.gz"

// options is what the command line says.
type options struct {
	paths  []string
	source documents.Source
	field  string

	loose   signature.Rule // what a pair is looked at for
	rule    signature.Rule // in the middle of the report
	copies  float64        // least exact resemblance of copies
	differs float64        // what is below is different
	widths  []int          // of shingles, besides the present one
	presets []string       // that are tried
	own     bool           // the command line says nothing of the rule: an index has its own
	right   float64        // least precision that is recommended

	labels, groups string
	samples        int
	out            string
	json           bool
}

const usage = `Usage: calibrate [flags] [FILE|DIRECTORY|INDEX|-]...

Reports which thresholds suit a corpus. Without an argument that is LLVM's manuals in
four versions, which come with the source.

  go -C examples run ./calibrate
  go -C examples run ./calibrate --labels ~/pairs.tsv --json ~/notes.jsonl

Documents are JSON lines (.jsonl, .ndjson, .json, .gz, "-"), objects with an id and a
text; directories of .txt, .md, .rst, .html and .htm files; other files, a document each;
or one bleve index with signatures and stored texts.

Flags:
%s
Labels are lines of two ids and "yes" (copies) or "no", separated by tabs. Groups are lines of an id and the
name of a group: documents of one group are copies, of two groups different. Lines that begin with # are comments.

Without labels or groups the truth is the resemblance at the present width, so other widths,
and presets, are shown but not recommended.

Where there are labels or groups, Verify is tried too: then the stored texts decide.

All texts are kept in memory, 8 bytes for each distinct shingle, and a signature for each width and preset.
`

func parse(args []string) (o options, f *pflag.FlagSet, err error) {
	o.rule.Hamming = signature.Rule{}.Bits()
	f = command.Flags("calibrate")
	o.source.Flags(f)
	f.StringVar(&o.field, "field", signature.DefaultField, "the fingerprinted field of an index")
	f.IntVar(&o.loose.Lanes, "loose-lanes", 60, "look at pairs of at least so many agreeing lanes")
	f.IntVar(&o.loose.Hamming, "loose-hamming", 10, "and at pairs of at most this Hamming distance; above 5 all pairs of simhashes are compared")
	f.IntVar(&o.rule.Lanes, "lanes", 90, "threshold; pairs around it are shown")
	f.IntVar(&o.rule.Hamming, "hamming", o.rule.Hamming, "threshold; pairs around it are shown")
	f.IntVar(&o.rule.MinWords, "min-words", o.rule.MinWords, "texts of fewer words match nothing")
	f.Float64Var(&o.copies, "copies", .9, "without labels: pairs of at least this exact resemblance are copies")
	f.Float64Var(&o.differs, "different", .8, "without labels: pairs below are different, pairs between count for neither")
	f.Float64Var(&o.right, "precision", .99, "least precision of a recommended rule")
	f.IntSliceVar(&o.widths, "widths", []int{2, 3, 4, 6}, "widths of shingles to try, besides the present one")
	f.StringSliceVar(&o.presets, "presets", []string{neardup.Short, neardup.Mail}, "presets to try, each with its rule, and pairs that it treats otherwise; \"\" for none")
	f.StringVar(&o.labels, "labels", "", "file of labelled pairs")
	f.StringVar(&o.groups, "groups", "", "file of groups")
	f.IntVar(&o.samples, "samples", 3, "pairs shown of each kind, 0 for none")
	f.StringVar(&o.out, "out", "", "file for the page; a temporary one by default")
	f.BoolVar(&o.json, "json", false, "print JSON; a page only with --out")
	if err := f.Parse(args); err != nil {
		return o, f, err
	}
	o.own = !f.Changed("lanes") && !f.Changed("hamming") && !f.Changed("min-words")
	if o.paths = f.Args(); len(o.paths) == 0 {
		o.paths = []string{shipped}
	}
	return o, f, o.validate()
}

func (o options) validate() error {
	share := func(name string, v float64) error {
		if !(v > 0 && v <= 1) {
			return fmt.Errorf("--%s: wanted more than 0, and at most 1, got %g", name, v)
		}
		return nil
	}
	var loose error
	switch {
	case o.loose.Lanes < 1 || o.loose.Lanes > o.rule.Lanes:
		loose = fmt.Errorf("--loose-lanes: wanted 1 to --lanes, %d, got %d", o.rule.Lanes, o.loose.Lanes)
	case o.loose.Hamming < o.rule.Hamming:
		loose = fmt.Errorf("--loose-hamming: wanted --hamming, %d, or more, got %d", o.rule.Hamming, o.loose.Hamming)
	case o.differs > o.copies:
		loose = fmt.Errorf("--different: wanted at most --copies, %g, got %g", o.copies, o.differs)
	case o.labels != "" && o.groups != "":
		loose = errors.New("--labels cannot be combined with --groups")
	case o.samples < 0:
		loose = fmt.Errorf("--samples: wanted 0 or more, got %d", o.samples)
	}
	err := o.source.Validate()
	for _, w := range o.widths {
		if w < 1 || w > shingle.MaxWidth {
			loose = cmp.Or(loose, fmt.Errorf("--widths: wanted 1 to %d, got %d", shingle.MaxWidth, w))
		}
	}
	for _, name := range o.presets {
		if name != "" && !slices.ContainsFunc(neardup.Presets(), func(p neardup.Preset) bool { return p.Name == name }) {
			loose = cmp.Or(loose, fmt.Errorf("--presets: wanted some of %q, %q, %q and %q, got %q", neardup.Pages, neardup.Versions, neardup.Short, neardup.Mail, name))
		}
	}
	for _, err := range []error{
		err, o.rule.Validate(), o.loose.Validate(),
		share("copies", o.copies), share("different", o.differs), share("precision", o.right), loose,
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// comparable reports whether variants can be compared: the resemblance at one width is no
// measure of another one.
func (o options) comparable() bool { return o.labels != "" || o.groups != "" }

// minWords are what is tried as min_words.
func (o options) minWords() []int { return []int{o.rule.MinWords, 5, 8, 10, 12, 15, 20, 30, 50} }
