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
	case o.widths != "":
		measured = printWidths
	case o.short:
		measured = printShort
	}
	if err := measured(o, stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "accuracy: %v\n", err)
		return 1
	}
	return 0
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
