// Accuracy measures how far the methods of this library can be trusted, in two
// ways, and draws what it finds.
//
// First on random sets whose resemblance is known, which gives the probability that
// a sketch takes two documents for near-duplicates, given how much they resemble
// each other: compare it with the binomial, which independent lanes would give. Then on text: every pair of a corpus is judged by the rules, and by
// its exact resemblance.
//
//	go -C examples/accuracy run .
//	go -C examples/accuracy run . --data ~/corpus.jsonl.gz --pairs 0
//
// The pictures that the documentation shows are in the folder pictures, drawn with
// --out pictures. (With go -C, a relative path is one below examples/accuracy.) It is
// a module of its own, so that the library does not depend on what draws.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"
)

const usage = `Usage: accuracy [flags]

Measures the accuracy of sketches and rules, prints tables and draws pictures.

  go -C examples/accuracy run .
  go -C examples/accuracy run . --pairs 100000 --data ""
  go -C examples/accuracy run . --short --out pictures
  go -C examples/accuracy run . --grid ~/sets

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
	data  []string
	pairs int
	seed  uint64
	out   string
	json  bool
	grid  string // a folder of sets
	most  int    // documents of a set for grid and short
	short bool
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main with its inputs and outputs given. It returns the exit code: 0, 1 if
// something went wrong, or 2 for a wrong command line.
func run(args []string, stdout, stderr io.Writer) int {
	o, flags, err := parse(args)
	if errors.Is(err, pflag.ErrHelp) {
		fmt.Fprintf(stdout, usage, flags.FlagUsages())
		return 0
	}
	if err != nil {
		fmt.Fprintf(stderr, "accuracy: %v\nRun accuracy --help for usage.\n", err)
		return 2
	}
	measured := measureAll
	switch {
	case o.grid != "":
		measured = printGrids
	case o.short:
		measured = printShort
	}
	if err := measured(o, stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "accuracy: %v\n", err)
		return 1
	}
	return 0
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
	f.BoolVar(&o.short, "short", false, "instead measure short texts of the data, in which one word was changed")
	f.IntVar(&o.most, "most", 10_000, "documents of a set for --grid and --short, chosen at random where there are more; 0 for all")
	f.BoolVar(&o.json, "json", false, "print JSON instead of tables")
	if err := f.Parse(args); err != nil {
		return o, f, err
	}
	switch {
	case f.NArg() > 0:
		return o, f, fmt.Errorf("wanted flags, got %q", f.Args())
	case o.grid != "" && o.short:
		return o, f, errors.New("--grid cannot be combined with --short")
	case o.most < 0:
		return o, f, fmt.Errorf("--most: wanted 0 or more, got %d", o.most)
	case o.pairs < 0:
		return o, f, fmt.Errorf("--pairs: wanted 0 or more, got %d", o.pairs)
	}
	return o, f, nil
}

// measureAll does what o asks for. A corpus is read, measured and dropped before
// the next one.
func measureAll(o options, stdout, stderr io.Writer) error {
	var r report
	for _, path := range o.data {
		if path == "" {
			continue
		}
		all, err := corpora(path)
		if err != nil {
			return err
		}
		for _, c := range all {
			fmt.Fprintf(stderr, "measuring %s: %d documents\n", c.name, len(c.docs))
			m, err := measure(c)
			if err != nil {
				return err
			}
			r.Corpora = append(r.Corpora, m)
		}
	}
	if o.pairs > 0 {
		fmt.Fprintln(stderr, "simulating")
		r.Simulated = simulate(methods(), o.pairs, o.seed)
	}
	if err := draw(&r, o.out); err != nil {
		return err
	}
	if o.json {
		return r.json(stdout)
	}
	return r.print(stdout)
}

// draw writes the pictures into a directory.
func draw(r *report, dir string) (err error) {
	if dir == "" {
		if dir, err = os.MkdirTemp("", "accuracy-*"); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, p := range pictures(r) {
		svg, err := p.svg()
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		path := filepath.Join(dir, p.name+".svg")
		if err := os.WriteFile(path, svg, 0o644); err != nil {
			return err
		}
		r.Pictures = append(r.Pictures, path)
	}
	return nil
}
