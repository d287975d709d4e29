package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"
)

const usage = `Usage: bench [flags]
       bench latency [flags]

Measures programs that find near-duplicates, each on each corpus: CPU, time and memory, and
precision and recall against the exact resemblance. Writes a page with tables and pictures.
What an earlier run has measured is kept, unless the program or the corpus has changed.

  go -C examples run ./bench
  go -C examples run ./bench --data ~/notes --program naive,lookup
  go -C examples run ./bench latency --docs 100000

Flags:
%s
Data of your own is a directory of .txt, .md, .rst, .html and .htm files, a document each, or
a file of JSON lines with an id, a text, and perhaps a label that versions of one document share.
`

func parse(args []string) (measuring, *pflag.FlagSet, error) {
	var o options
	f := pflag.NewFlagSet("bench", pflag.ContinueOnError)
	f.SortFlags = false
	f.Usage = func() {}
	f.StringArrayVar(&o.data, "data", nil, "directory or file of documents to measure on, besides the corpora that come with the project; may be repeated")
	o.source.Flags(f)
	f.StringVar(&o.label, "label", "label", "member of a JSON object that is the label")
	f.StringSliceVar(&o.corpora, "corpus", nil, "only these of the corpora that come with the project; \"\" for none")
	f.StringSliceVar(&o.programs, "program", nil, "only these programs")
	f.StringVar(&o.list, "programs", "bench/adapters/programs.json", "file that says which programs there are")
	f.Float64Var(&o.threshold, "threshold", .9, "resemblance from which on two documents are near-duplicates; programs get it, too")
	f.IntVar(&o.rounds, "rounds", 3, "times that a program is run, of which the least CPU counts; once if it takes more than 10 s")
	f.DurationVar(&o.deadline, "deadline", 5*time.Minute, "time after which a program is stopped")
	f.StringVar(&o.out, "out", "", "directory for results, pages and pictures, kept for the next run; in the user's cache by default")
	if err := f.Parse(args); err != nil {
		return nil, f, err
	}
	switch {
	case f.NArg() > 0:
		return nil, f, fmt.Errorf("wanted flags, got %q", f.Args())
	case !(o.threshold >= lowest && o.threshold <= 1):
		return nil, f, fmt.Errorf("--threshold: wanted %v to 1, got %v", lowest, o.threshold)
	case o.rounds < 1:
		return nil, f, fmt.Errorf("--rounds: wanted 1 or more, got %d", o.rounds)
	case o.deadline <= 0:
		return nil, f, fmt.Errorf("--deadline: wanted more than 0, got %v", o.deadline)
	}
	if err := o.source.Validate(); err != nil {
		return nil, f, fmt.Errorf("--%w", err)
	}
	if o.out == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, f, fmt.Errorf("--out: wanted a directory, since there is none by default: %w", err)
		}
		o.out = filepath.Join(cache, "neardup-bench")
	}
	return o.measure, f, nil
}
