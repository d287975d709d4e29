// Peerbench compares this library with others that do part of what it does, on the
// same documents and in the same run. These are libraries that sketch in Go, what
// bleve itself does with the text, Lucene's MinHashFilter, the C program simhash,
// and, as a limit, one plain hash of the bytes.
//
//	go -C examples/peerbench run .
//	go -C examples/peerbench run . --data ~/corpus.jsonl.gz --rounds 15
//
// (With go -C, a relative path is one below examples/peerbench.) Time is CPU time
// of one thread at work, including the garbage collector. The peers take turns, round
// after round, so that a busy machine is busy for all of them, and medians are shown.
// Peers that are not installed are listed with the command that installs them. It runs on Unix only, and is a module of its own, so that the library does not
// depend on its peers.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"
)

const usage = `Usage: peerbench [flags]

Measures this library and its peers on the same documents, in the same run.

  go -C examples/peerbench run .

Flags:
%s
Data of your own is a file of JSON lines, plain or gzipped, each an object with
"text". Texts are joined and cut at spaces into documents of --size bytes.
`

// shipped is the corpus of the example docsearch, from this folder.
const shipped = "../docsearch/corpus/corpus.jsonl.gz"

// options is what the command line says.
type options struct {
	data                      string
	docs, size, rounds, pairs int
	json                      bool
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
		fmt.Fprintf(stderr, "peerbench: %v\nRun peerbench --help for usage.\n", err)
		return 2
	}
	if err := compare(o, stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "peerbench: %v\n", err)
		return 1
	}
	return 0
}

func parse(args []string) (options, *pflag.FlagSet, error) {
	var o options
	f := pflag.NewFlagSet("peerbench", pflag.ContinueOnError)
	f.SortFlags = false
	f.Usage = func() {}
	f.StringVar(&o.data, "data", shipped, "file of JSON lines to take the text from")
	f.IntVar(&o.docs, "docs", 1000, "most documents to take")
	f.IntVar(&o.size, "size", 3000, "bytes in a document")
	f.IntVar(&o.rounds, "rounds", 9, "times that every peer takes its turn")
	f.IntVar(&o.pairs, "pairs", 20_000, "random pairs of sets that accuracy is measured on; 0 for none")
	f.BoolVar(&o.json, "json", false, "print JSON instead of a table")
	if err := f.Parse(args); err != nil {
		return o, f, err
	}
	for _, v := range []struct {
		name       string
		got, least int
	}{{"docs", o.docs, 1}, {"size", o.size, 100}, {"rounds", o.rounds, 1}, {"pairs", o.pairs, 0}} {
		if v.got < v.least {
			return o, f, fmt.Errorf("--%s: wanted %d or more, got %d", v.name, v.least, v.got)
		}
	}
	if f.NArg() > 0 {
		return o, f, fmt.Errorf("wanted flags, got %q", f.Args())
	}
	return o, f, nil
}

// compare reads the documents, lets the peers take turns, and prints.
func compare(o options, stdout, stderr io.Writer) error {
	docs, err := read(o.data, o.docs, o.size)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "peerbench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	peers := inProcess(docs)
	for _, start := range []func(string, [][]byte) ([]peer, error){lucene, simhashTool} {
		more, err := start(dir, docs)
		if err != nil {
			return err
		}
		peers = append(peers, more...)
	}
	defer func() {
		for _, p := range peers {
			if p.stop != nil {
				p.stop()
			}
		}
	}()
	r, err := measure(peers, docs, o, stderr)
	if err != nil {
		return err
	}
	if o.json {
		return r.json(stdout)
	}
	return r.print(stdout)
}
