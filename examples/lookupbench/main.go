// Lookupbench measures lookups of near-duplicates among many signatures. It does so
// in an index on disk, in memory and by terms, in the tables alone, and with
// github.com/ekzhu/minhash-lsh, all on the same signatures and in the same run.
//
//	go -C examples/lookupbench run .
//	go -C examples/lookupbench run . -n 1000000
//
// The signatures are made up: three quarters are near no other, the rest are families
// of 2 to 61. Members differ from the first in up to 15 lanes, so that some just miss
// the rule. They are written into the index as they would be stored, without a text:
// the time of signing is not measured here, peerbench shows it.
//
// Lookups take turns, round after round. Their time is CPU time, including the
// garbage collector: medians are shown. It runs on Unix only, and is a module
// of its own, so that the library does not depend on its peer.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"
)

const usage = `Usage: lookupbench [flags]

Measures lookups of near-duplicates among made-up signatures.

  go -C examples/lookupbench run . -n 10000,100000

Flags:
%s`

// options is what the command line says.
type options struct {
	sizes                   []int
	lookups, rounds, checks int
	terms, json             bool
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
		fmt.Fprintf(stderr, "lookupbench: %v\nRun lookupbench --help for usage.\n", err)
		return 2
	}
	var all []report
	for _, n := range o.sizes {
		r, err := measure(o, n, stderr)
		if err != nil {
			fmt.Fprintf(stderr, "lookupbench: %v\n", err)
			return 1
		}
		all = append(all, *r)
	}
	if err := show(stdout, all, o.json); err != nil {
		fmt.Fprintf(stderr, "lookupbench: %v\n", err)
		return 1
	}
	return 0
}

func parse(args []string) (options, *pflag.FlagSet, error) {
	var o options
	f := pflag.NewFlagSet("lookupbench", pflag.ContinueOnError)
	f.SortFlags = false
	f.Usage = func() {}
	f.IntSliceVarP(&o.sizes, "signatures", "n", []int{10_000, 100_000}, "numbers of signatures, each for a run")
	f.IntVar(&o.lookups, "lookups", 3000, "lookups in a round")
	f.IntVar(&o.rounds, "rounds", 5, "times that every peer takes its turn")
	f.IntVar(&o.checks, "checks", 100, "lookups whose result is compared with the result of comparing all")
	f.BoolVar(&o.terms, "terms", true, "measure terms too, which take the most time to write")
	f.BoolVar(&o.json, "json", false, "print JSON instead of tables")
	if err := f.Parse(args); err != nil {
		return o, f, err
	}
	for _, v := range []struct {
		name       string
		got, least int
	}{{"lookups", o.lookups, 1}, {"rounds", o.rounds, 1}, {"checks", o.checks, 1}} {
		if v.got < v.least {
			return o, f, fmt.Errorf("--%s: wanted %d or more, got %d", v.name, v.least, v.got)
		}
	}
	for _, n := range o.sizes {
		if n < 100 {
			return o, f, fmt.Errorf("--signatures: wanted 100 or more, got %d", n)
		}
	}
	if f.NArg() > 0 {
		return o, f, fmt.Errorf("wanted flags, got %q", f.Args())
	}
	return o, f, nil
}
