// Bench measures programs that find near-duplicates. It hands the documents of a corpus to each program as
// JSON lines, takes pairs or groups back, and measures CPU, time, memory, precision and recall. README.md
// says how, and results/README.md has what it measured last.
//
//	go -C examples run ./bench
//	go -C examples run ./bench --data ~/notes
//	go -C examples run ./bench latency --docs 100000
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/pflag"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == childName {
		os.Exit(child(os.Args[2:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with its inputs and outputs given. It returns the exit code: 0, 1 if
// something went wrong, or 2 for a wrong command line.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	begin, usage := parse, usage
	if len(args) > 0 && args[0] == "latency" {
		begin, usage, args = parseLatency, latencyUsage, args[1:]
	}
	measure, flags, err := begin(args)
	if errors.Is(err, pflag.ErrHelp) {
		fmt.Fprintf(stdout, usage, flags.FlagUsages())
		return 0
	}
	if err != nil {
		fmt.Fprintf(stderr, "bench: %v\nRun bench --help for usage.\n", err)
		return 2
	}
	if err := measure(ctx, stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "bench: %v\n", err)
		return 1
	}
	return 0
}
