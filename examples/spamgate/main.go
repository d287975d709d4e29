// Spamgate takes documents in over HTTP and answers each with what became of it. It
// is accepted, tagged as a near-duplicate, or rejected as part of a campaign or as
// what an operator has marked.
//
//	go -C examples run ./spamgate
//	curl --data-binary @mail.jsonl localhost:8081/documents
//	curl -d '{"name":"pills","label":"spam","tenant":"a","id":"17"}' localhost:8081/marks
//	open http://localhost:8081/status
//
// Replay sends a mailbox through the same gate in the order of its dates. It prints what
// was stopped, when, and which legitimate mail was touched. Without a file it takes
// made-up mail that comes with it:
//
//	go -C examples run ./spamgate replay
//
// A program of yours would have newMapping and submit of gate.go. Spamgate believes the
// tenant and the date of each line: a server in front of it must check them.
package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/neardup/bleve-neardup/examples/internal/command"
	"github.com/neardup/bleve-neardup/examples/internal/serve"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with its inputs and outputs given.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return command.Run("spamgate", args, stdout, stderr, func(args []string) (func() error, string, *pflag.FlagSet, error) {
		o, flags, err := parse(args)
		return func() error { return start(ctx, o, stdout, stderr) }, usage, flags, err
	})
}

func start(ctx context.Context, o options, stdout, stderr io.Writer) error {
	g, err := openGate(o.index, o.policy)
	if err != nil {
		return err
	}
	if o.replay {
		err = replay(ctx, g, o, stdout)
	} else {
		err = listen(ctx, g, o, slog.New(slog.NewTextHandler(stderr, nil)))
	}
	return errors.Join(err, g.index.Close())
}

// listen serves until the context ends.
func listen(ctx context.Context, g *gate, o options, log *slog.Logger) error {
	listener, err := net.Listen("tcp", o.addr)
	if err != nil {
		return err
	}
	s := serve.New(newServer(g, o.limits, o.token, log), o.limits.timeout, o.limits.timeout, log)
	log.Info("listening", "address", listener.Addr().String(), "policy", g.policyText())
	return serve.Until(ctx, s, listener, log)
}
