package main

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"
)

const usage = `Usage: accuracy [flags]

Measures the accuracy of sketches and rules, prints tables and draws pictures.

  go -C examples/accuracy run .
  go -C examples/accuracy run . --pairs 100000 --data ""
  go -C examples/accuracy run . --short --out pictures
  go -C examples/accuracy run . --grid ~/sets
  go -C examples/accuracy run . --widths ~/sets

Flags:
%s
Data of your own is a file of JSON lines, plain or gzipped, each an object with
"id" and "text"; or a directory of such files, each a corpus of its own. Beside
docs.jsonl.gz there may be pairs.j4.tsv.gz, of lines of two ids and a label,
separated by tabs: pairs that are known to belong together.
`

// defaultPairs is for two minutes on two cores.
const defaultPairs = 20_000

// options is what the command line says.
type options struct {
	data   []string
	pairs  int
	seed   uint64
	out    string
	json   bool
	grid   string // a folder of sets
	widths string // likewise
	most   int    // documents of a set for grid, widths and short
	short  bool
}

func parse(args []string) (options, *pflag.FlagSet, error) {
	var o options
	f := pflag.NewFlagSet("accuracy", pflag.ContinueOnError)
	f.SortFlags = false
	f.Usage = func() {}
	f.StringArrayVar(&o.data, "data", []string{shipped}, "file or directory of documents; may be repeated; \"\" for none")
	f.IntVar(&o.pairs, "pairs", defaultPairs, "random pairs of sets for each size and resemblance; 0 for none")
	f.Uint64Var(&o.seed, "seed", 1, "of the random sets: the same seed gives the same figures")
	f.StringVar(&o.out, "out", "", "directory for the pictures; a temporary one by default")
	f.StringVar(&o.grid, "grid", "", "instead measure all widths of shingles and numbers of lanes, on each set in a folder of folders")
	f.StringVar(&o.widths, "widths", "", "instead measure the default rule with shingles and features of 2 to 4 words, on each set in a folder of folders")
	f.BoolVar(&o.short, "short", false, "instead measure short texts of the data, in which one word was changed")
	f.IntVar(&o.most, "most", 10_000, "documents of a set for --grid, --widths and --short, chosen at random where there are more; 0 for all")
	f.BoolVar(&o.json, "json", false, "print JSON instead of tables")
	if err := f.Parse(args); err != nil {
		return o, f, err
	}
	switch {
	case f.NArg() > 0:
		return o, f, fmt.Errorf("wanted flags, got %q", f.Args())
	case o.grid != "" && o.short, o.grid != "" && o.widths != "", o.widths != "" && o.short:
		return o, f, errors.New("--grid, --widths and --short cannot be combined")
	case o.most < 0:
		return o, f, fmt.Errorf("--most: wanted 0 or more, got %d", o.most)
	case o.pairs < 0:
		return o, f, fmt.Errorf("--pairs: wanted 0 or more, got %d", o.pairs)
	}
	return o, f, nil
}
