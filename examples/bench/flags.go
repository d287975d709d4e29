package main

import (
	"cmp"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/neardup/bleve-neardup/examples/internal/command"
	"github.com/neardup/bleve-neardup/examples/internal/documents"
)

const usage = `Usage: bench [flags]
       bench rules [flags]
       bench latency [flags]

Measures programs that find near-duplicates, each on each corpus: CPU, time and memory, and
precision and recall against the exact resemblance. Prints a page with a table.

  go -C examples run ./bench
  go -C examples run ./bench --data ~/notes --program "naive exact,neardup lookup"
  go -C examples run ./bench rules --corpus manuals
  go -C examples run ./bench latency --docs 100000

Flags:
%s
Data of your own is a directory of .txt, .md, .rst, .html and .htm files, a document each, or
a file of JSON lines with an id, a text, and perhaps a label that versions of one document share.
`

// options is what the command line says.
type options struct {
	data      []string
	source    documents.Source
	label     string
	corpora   []string
	programs  []string
	list      string // file of programs
	threshold float64
	rounds    int
	deadline  time.Duration
	out       string
}

func parse(args []string) (measuring, *pflag.FlagSet, error) {
	var o options
	f := command.Flags("bench")
	o.flags(f)
	f.StringSliceVar(&o.programs, "program", nil, "only these programs")
	f.StringVar(&o.list, "programs", "bench/adapters/programs.json", "file that says which programs there are")
	f.Float64Var(&o.threshold, "threshold", .9, "resemblance from which on two documents are near-duplicates; programs get it, too")
	f.IntVar(&o.rounds, "rounds", 3, "times that a program is run, of which the least CPU counts; once if it takes more than 10 s")
	f.DurationVar(&o.deadline, "deadline", 5*time.Minute, "time after which a program is stopped")
	f.StringVar(&o.out, "out", "", "directory for the page and the results as JSON; the page is printed if empty")
	if err := f.Parse(args); err != nil {
		return nil, f, err
	}
	switch {
	case !(o.threshold >= lowest && o.threshold <= 1):
		return nil, f, fmt.Errorf("--threshold: wanted %v to 1, got %v", lowest, o.threshold)
	case o.rounds < 1:
		return nil, f, fmt.Errorf("--rounds: wanted 1 or more, got %d", o.rounds)
	case o.deadline <= 0:
		return nil, f, fmt.Errorf("--deadline: wanted more than 0, got %v", o.deadline)
	}
	return o.measure, f, cmp.Or(command.None(f), o.source.Validate())
}

// flags defines the flags that say what to measure on.
func (o *options) flags(f *pflag.FlagSet) {
	f.StringArrayVar(&o.data, "data", nil, "directory or file of documents to measure on, besides the corpora that come with the project; may be repeated")
	o.source.Flags(f)
	f.StringVar(&o.label, "label", "label", "member of a JSON object that is the label")
	f.StringSliceVar(&o.corpora, "corpus", nil, "only these of the corpora that come with the project; \"\" for none")
}
