// Spamgate takes documents in over HTTP and answers each with what became of it: it
// is accepted, tagged as a near-duplicate, or refused as part of a campaign or as
// what an operator has marked.
//
//	go -C examples run ./spamgate
//	curl --data-binary @mail.jsonl localhost:8080/documents
//	curl -d '{"name":"pills","label":"spam","tenant":"a","id":"17"}' localhost:8080/marks
//	open http://localhost:8080/status
//
// Replay sends a mailbox through the same gate in the order of its dates, and prints
// what was stopped, when, and which legitimate mail was touched; without a file, one
// of made-up mail that comes with it:
//
//	go -C examples run ./spamgate replay
//
// The parts that a program of yours would have are newMapping and submit in gate.go.
// Spamgate believes the lines who their tenant is and when they were sent: what stands
// in front of it must see to that.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/neardup/bleve-neardup/examples/internal/serve"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

const usage = `Usage: spamgate [flags]
       spamgate replay [flags] [FILE.jsonl]

Takes documents in over HTTP, or replays a mailbox. A document is a line of JSON:

  {"id": "17", "text": "Dear friend, ...", "tenant": "a", "date": "2026-03-02T09:15:00Z"}

The date is that of arrival if it is left out. Lines to be replayed may have a
"label", "spam" or "ham".

  POST   /documents     lines in, a verdict a line out
  POST   /marks         {"name", "label": "spam" or "wanted", "scope": [tenants],
                        "text", or "tenant" and "id" of a document, "expires"}
  GET    /marks         DELETE /marks/NAME
  GET    /status        a page for people; GET /stats is JSON
  GET    /metrics       for Prometheus; also /debug/vars and /debug/pprof/

All but documents is the operator's: if SPAMGATE_TOKEN is set, it wants it as a
password (any user), and there must be one unless the address is this machine's.

Flags:
`

// options is what the command line says.
type options struct {
	addr    string
	index   string
	policy  string
	token   string
	limits  limits
	timeout time.Duration

	replay   bool
	file     string
	operator bool
	quiet    bool
}

// limits are those of the intake.
type limits struct {
	body, line int64 // bytes
	requests   int   // at the same time
	rate       int   // documents a second from one address, 0 for any number
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with its inputs and outputs given. It returns the exit code: 0, 1 if
// something went wrong, or 2 for a wrong command line.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintf(stderr, "spamgate: %v\nRun spamgate -help for usage.\n", err)
		return 2
	}
	if err = start(ctx, o, stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "spamgate: %v\n", err)
		return 1
	}
	return 0
}

func parse(args []string, stdout io.Writer) (options, error) {
	o := options{token: os.Getenv("SPAMGATE_TOKEN")}
	if len(args) > 0 && args[0] == "replay" {
		o.replay, args = true, args[1:]
	}
	f := flag.NewFlagSet("spamgate", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	f.StringVar(&o.index, "index", "", "`directory` to keep the index in; in memory if empty")
	f.StringVar(&o.policy, "policy", "", "`file` with an admission policy in JSON, instead of\n"+defaultPolicy)
	if o.replay {
		f.BoolVar(&o.operator, "operator", true, "mark, at the end of each day, what is labelled spam and got in")
		f.BoolVar(&o.quiet, "quiet", false, "print the summary alone")
	} else {
		f.StringVar(&o.addr, "addr", "localhost:8080", "`address` to listen at")
		f.Int64Var(&o.limits.body, "max-body", 64<<20, "`bytes` of a request")
		f.Int64Var(&o.limits.line, "max-line", 1<<20, "`bytes` of a line")
		f.IntVar(&o.limits.requests, "max-requests", 16, "requests at the same time; more get status 503")
		f.IntVar(&o.limits.rate, "rate", 0, "documents a second from one address, which are read no faster; 0 for any number")
		f.DurationVar(&o.timeout, "timeout", 5*time.Minute, "longest time of a request")
	}
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(stdout, usage)
			f.SetOutput(stdout)
			f.PrintDefaults()
		}
		return o, err
	}
	if o.file = f.Arg(0); f.NArg() > 1 || o.file != "" && !o.replay {
		return o, fmt.Errorf("arguments: wanted replay and one file, got %q", args)
	}
	return o, o.validate()
}

func (o options) validate() error {
	if o.replay {
		return nil
	}
	for name, n := range map[string]int64{
		"max-body": o.limits.body, "max-line": o.limits.line, "max-requests": int64(o.limits.requests),
		"rate": int64(o.limits.rate) + 1, "timeout": int64(o.timeout),
	} {
		if n < 1 {
			return fmt.Errorf("-%s: wanted a positive number, got less", name)
		}
	}
	host, _, err := net.SplitHostPort(o.addr)
	if err != nil {
		return fmt.Errorf("-addr: wanted host:port, got %q", o.addr)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) && o.token == "" {
		return fmt.Errorf("-addr: wanted an address of this machine, such as localhost:8080, or SPAMGATE_TOKEN set; got %q", o.addr)
	}
	return nil
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
	s := &http.Server{
		Handler:           newServer(g, o.limits, o.token, log),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       o.timeout,
		WriteTimeout:      o.timeout,
		IdleTimeout:       time.Minute,
	}
	log.Info("listening", "address", listener.Addr().String(), "policy", g.policyText())
	return serve.Until(ctx, s, listener, log)
}

// defaultPolicy stops campaigns and what was marked, and tags near-duplicates.
const defaultPolicy = `{"scope":"tenant","time":"date","near":"tag","flood":{"copies":3,"window":"24h"},"known":"reject"}`

// readPolicy reads the policy of a file, or the default.
func readPolicy(file string) (*admission.Policy, error) {
	data := []byte(defaultPolicy)
	if file != "" {
		var err error
		if data, err = os.ReadFile(file); err != nil {
			return nil, err
		}
	}
	p, err := admission.ParsePolicy(data)
	if err == nil && p.Scope != "tenant" {
		err = fmt.Errorf(`scope: wanted "tenant", or tenants learn of each other; got %q`, p.Scope)
	}
	if err == nil && p.Time != "" && p.Time != "date" {
		err = fmt.Errorf(`time: wanted "date", or none for the time of arrival; got %q`, p.Time)
	}
	if err != nil && file != "" {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return p, err
}
