// Bench measures programs that find near-duplicates. It hands the documents of a corpus to each program as
// JSON lines, takes pairs or groups back, and measures CPU, time, memory, precision and recall. README.md
// says how, and results/README.md has what it measured last.
//
//	go -C examples run ./bench
//	go -C examples run ./bench --data ~/notes
//	go -C examples run ./bench rules --corpus manuals
//	go -C examples run ./bench latency --docs 100000
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/neardup/bleve-neardup/examples/internal/command"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == childName {
		os.Exit(child(os.Args[2:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// measuring is what a command line asks for.
type measuring func(ctx context.Context, stdout, stderr io.Writer) error

// run is main with its inputs and outputs given.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	begin, usage := parse, usage
	switch {
	case len(args) > 0 && args[0] == "latency":
		begin, usage, args = parseLatency, latencyUsage, args[1:]
	case len(args) > 0 && args[0] == "rules":
		begin, usage, args = parseRules, rulesUsage, args[1:]
	}
	return command.Run("bench", args, stdout, stderr, func(args []string) (func() error, string, *pflag.FlagSet, error) {
		measure, flags, err := begin(args)
		return func() error { return measure(ctx, stdout, stderr) }, usage, flags, err
	})
}
