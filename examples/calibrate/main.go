// Calibrate helps to choose the thresholds of a rule for a corpus of your own. It finds all pairs of documents that any
// rule worth thinking about could fold. It tells how they spread over agreeing lanes and Hamming distances, what each
// threshold would hide, and how often it is right: by labelled pairs, by groups, or if there are neither, by the exact
// resemblance of the texts. It tries lanes, Hamming distances, least lengths, and with labels or groups widths of
// shingles. It recommends a rule. Shares have intervals of 95 %. Where there are too few pairs to tell, it says so, and
// keeps the present rule; where the recommended rule is at the edge of what was tried, it warns. First it shows the
// pairs on which the answer depends, with their differences. The report is a page of HTML that needs no other file, or
// JSON.
//
//	go -C examples run ./calibrate
//	go -C examples run ./calibrate --labels ~/pairs.tsv --out ~/report.html ~/notes.jsonl
//
// (With go -C, a relative path is one below examples.) labels.go says how labels are read,
// pairs.go how pairs are found; judge.go, what is right; and recommend.go by which rule a
// rule is recommended.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/examples/internal/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop) // the next interrupt ends at once, whatever is read meanwhile
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is main with its inputs and outputs given.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return command.Run("calibrate", args, stdout, stderr, func(args []string) (func() error, string, *pflag.FlagSet, error) {
		o, flags, err := parse(args)
		o.source.Stdin = stdin
		return func() error { return calibrate(ctx, o, stdout, stderr) }, usage, flags, err
	})
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
	if rule := c.analyzer.Rule(); o.own && rule.Normal().Mode == signature.Either {
		o.rule = signature.Rule{Lanes: rule.Need(c.lanes(), 0), LongLanes: rule.LongLanes, Hamming: rule.Bits(), MinWords: max(0, rule.MinWords)}
		o.loose.Lanes, o.loose.Hamming = min(o.loose.Lanes, o.rule.Lanes), max(o.loose.Hamming, o.rule.Hamming)
	}
	truth, err := newTruth(c, o)
	if err != nil {
		return err
	}
	all, left, err := variants(ctx, c, truth, o, stderr)
	if err != nil {
		return err
	}
	r := newReport(c, all, left, truth, o)
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
