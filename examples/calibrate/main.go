// Calibrate helps to choose the thresholds of a rule for a corpus of your own. It finds
// all pairs of documents that any rule worth thinking about could fold, and tells how
// they spread over agreeing lanes and Hamming distances, what each threshold would hide,
// and how often it is right: by the exact resemblance of the texts, or by labels. It
// shows pairs from around the threshold with their differences, and recommends a rule
// for all texts, and ones for short and for long texts alone. The report is a page of HTML that needs no
// other file, or JSON.
//
//	go -C examples run ./calibrate
//	go -C examples run ./calibrate --out ~/report.html ~/notes.jsonl
//
// (With go -C, a relative path is one below examples.) pairs.go says how pairs are
// found, judge.go what is right, and recommend.go by which rule a rule is recommended.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/examples/internal/documents"
)

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
Labels are lines of two ids, separated by tabs, and then "copy" (or nothing) or
"different". Groups are lines of an id and the name of a group: documents of one group are
copies, of two groups different. Lines that begin with # are comments.

All texts are kept in memory, and 8 bytes for each distinct shingle.
`

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
	right   float64        // least precision that is recommended
	short   int            // shingles that long texts have

	labels, groups string
	samples        int
	seed           uint64
	out            string
	json           bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop) // the next interrupt ends at once, whatever is read meanwhile
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is main with its inputs and outputs given. It returns the exit code: 0, 1 if
// something went wrong, or 2 for a wrong command line.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	o, flags, err := parse(args)
	if errors.Is(err, pflag.ErrHelp) {
		fmt.Fprintf(stdout, usage, flags.FlagUsages())
		return 0
	}
	if err != nil {
		fmt.Fprintf(stderr, "calibrate: %v\nRun calibrate --help for usage.\n", err)
		return 2
	}
	o.source.Stdin = stdin
	if err := calibrate(ctx, o, stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "calibrate: %v\n", err)
		return 1
	}
	return 0
}

func parse(args []string) (o options, f *pflag.FlagSet, err error) {
	o.rule, o.loose = signature.DefaultRule(), signature.Rule{Mode: signature.Either, MinShingles: 1}
	f = pflag.NewFlagSet("calibrate", pflag.ContinueOnError)
	f.SortFlags = false
	f.Usage = func() {}
	o.source.Flags(f)
	f.StringVar(&o.field, "field", signature.DefaultField, "the fingerprinted field of an index")
	f.IntVar(&o.loose.Lanes, "loose-lanes", 60, "pairs of so many agreeing lanes are looked at")
	f.IntVar(&o.loose.Hamming, "loose-hamming", 10, "and those of at most this Hamming distance; above 5 all pairs of simhashes are compared")
	f.IntVar(&o.rule.Lanes, "lanes", 90, "threshold that the pairs shown are around")
	f.IntVar(&o.rule.Hamming, "hamming", o.rule.Hamming, "threshold that the pairs shown are around")
	f.IntVar(&o.rule.MinShingles, "min-shingles", o.rule.MinShingles, "texts of fewer shingles match only if equal")
	f.Float64Var(&o.copies, "copies", .9, "without labels: pairs of this exact resemblance are copies")
	f.Float64Var(&o.differs, "different", .8, "without labels: pairs below are different, those between count for neither")
	f.Float64Var(&o.right, "precision", .99, "least precision of a rule that is recommended")
	f.IntVar(&o.short, "short", 100, "texts of fewer shingles are short: they have a recommendation of their own")
	f.StringVar(&o.labels, "labels", "", "file of labelled pairs")
	f.StringVar(&o.groups, "groups", "", "file of groups")
	f.IntVar(&o.samples, "samples", 3, "pairs shown of each kind")
	f.Uint64Var(&o.seed, "sample-seed", 1, "of their selection")
	f.StringVar(&o.out, "out", "", "file for the page; a temporary one by default")
	f.BoolVar(&o.json, "json", false, "print JSON; a page only with --out")
	if err := f.Parse(args); err != nil {
		return o, f, err
	}
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
		loose = errors.New("wanted one of --labels and --groups, got both")
	case o.samples < 0:
		loose = fmt.Errorf("--samples: wanted 0 or more, got %d", o.samples)
	}
	err := o.source.Validate()
	if err != nil {
		err = fmt.Errorf("--%w", err)
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

// calibrate does what o asks for.
func calibrate(ctx context.Context, o options, stdout, stderr io.Writer) error {
	c, err := load(ctx, o)
	if err != nil {
		return err
	}
	if !o.json {
		fmt.Fprintf(stderr, "read %d documents\n", c.documents)
	}
	pairs, err := find(ctx, c, o.loose)
	if err != nil {
		return err
	}
	truth, err := newTruth(c, pairs, o)
	if err != nil {
		return err
	}
	r := newReport(c, pairs, truth, o)
	if o.out != "" || !o.json {
		if err := r.save(o.out); err != nil {
			return err
		}
	}
	if o.json {
		return r.json(stdout)
	}
	return r.print(stdout)
}

// save writes the page.
func (r *report) save(path string) error {
	var f *os.File
	var err error
	if path == "" {
		f, err = os.CreateTemp("", "calibrate-*.html")
	} else {
		f, err = os.Create(path)
	}
	if err != nil {
		return err
	}
	err = r.html(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	r.Page, _ = filepath.Abs(f.Name())
	return err
}
