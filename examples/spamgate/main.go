// Spamgate takes documents in over HTTP and answers each with what became of it: it
// is accepted, tagged as a near-duplicate, or refused as part of a campaign or as
// what an operator has marked.
//
//	go -C examples run ./spamgate
//	curl --data-binary @mail.jsonl localhost:8081/documents
//	curl -d '{"name":"pills","label":"spam","tenant":"a","id":"17"}' localhost:8081/marks
//	open http://localhost:8081/status
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
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"github.com/neardup/bleve-neardup/examples/internal/serve"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

const usage = `Usage: spamgate [flags]
       spamgate replay [flags] [FILE.jsonl]

Takes documents in over HTTP, or replays a mailbox. A document is a line of JSON:

  {"id": "17", "text": "Dear friend, ...", "tenant": "a", "date": "2026-03-02T09:15:00Z"}

An id is a string or an integer, which stands for its digits. The date is that of
arrival if it is left out. Lines to be replayed may have a "label", "spam" or "ham".
Other members are an error.

  POST   /documents     lines in, a verdict or an error a line out; the status is 200,
                        but for a request whose only line is wrong: 400
  POST   /marks         {"name", "label": "spam" or "wanted", "scope": [tenants],
                        "text", or "tenant" and "id" of a document, "expires"}
  GET    /marks         DELETE /marks/NAME
  GET    /status        a page for people; GET /stats is JSON
  GET    /metrics       for Prometheus; also /debug/vars and /debug/pprof/

All but documents is the operator's: if SPAMGATE_TOKEN is set, it wants it as a
password (any user), and there must be one unless the address is this machine's.
Without a token, the Host of a request must be localhost or an IP address: else any web
page could ask, by a name that points here.

Short mails get through: two texts count as copies if about .9 of their runs of four
words are the same, and one changed word changes four of them. A copy with one word
changed is usually found if it has 100 words or more, and usually not if it has 50. A
policy with a looser rule finds more of them, and more that are none; replay shows both:

  {"scope": "tenant", "time": "date", "rule": {"lanes": 75},
   "flood": {"copies": 3, "window": "24h"}, "known": "reject"}

A policy without a scope is for one tenant: documents that name one are an error then.

Flags:
`

// options is what the command line says.
type options struct {
	addr   string
	index  string
	policy string
	token  string
	limits limits

	replay   bool
	file     string
	operator bool
	quiet    bool
}

// limits are those of the intake.
type limits struct {
	body, line    int64         // bytes
	requests      int           // of one address at the same time, 0 for any number
	judged        int           // documents at the same time
	rate          int           // documents a second from one address, 0 for any number
	wait, timeout time.Duration // for a line, and for a request
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
	if errors.Is(err, pflag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintf(stderr, "spamgate: %v\nRun spamgate --help for usage.\n", err)
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
	f := pflag.NewFlagSet("spamgate", pflag.ContinueOnError)
	f.SortFlags = false
	f.Usage = func() {}
	f.StringVar(&o.index, "index", "", "`directory` to keep the index in; in memory if empty")
	f.StringVar(&o.policy, "policy", "", "`file` with an admission policy in JSON, instead of\n"+defaultPolicy)
	if o.replay {
		f.BoolVar(&o.operator, "operator", true, "mark, at the end of each day, what is labelled spam and got in")
		f.BoolVar(&o.quiet, "quiet", false, "print the summary alone")
	} else {
		f.StringVar(&o.addr, "addr", "localhost:8081", "`address` to listen at")
		f.Int64Var(&o.limits.body, "max-body", 64<<20, "`bytes` of a request")
		f.Int64Var(&o.limits.line, "max-line", 1<<20, "`bytes` of a line")
		f.IntVar(&o.limits.requests, "max-requests", 16, "requests with documents from one address at the same time; more get\nstatus 429; 0 for any number, as behind a proxy")
		f.IntVar(&o.limits.judged, "max-judged", 16, "documents judged at the same time; more wait")
		f.IntVar(&o.limits.rate, "rate", 0, "documents a second from one address, which are read no faster; 0 for any number")
		f.DurationVar(&o.limits.wait, "line-timeout", 30*time.Second, "longest time until a sender has sent the next line")
		f.DurationVar(&o.limits.timeout, "timeout", 5*time.Minute, "longest time of a request")
	}
	if err := f.Parse(args); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			fmt.Fprint(stdout, usage, f.FlagUsages())
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
	for _, n := range []struct {
		name       string
		got, least int64
	}{
		{"max-body", o.limits.body, 1},
		{"max-line", o.limits.line, 1},
		{"max-requests", int64(o.limits.requests), 0},
		{"max-judged", int64(o.limits.judged), 1},
		{"rate", int64(o.limits.rate), 0},
	} {
		if n.got < n.least {
			return fmt.Errorf("--%s: wanted %d or more, got %d", n.name, n.least, n.got)
		}
	}
	if o.limits.wait <= 0 {
		return fmt.Errorf("--line-timeout: wanted a positive time, got %v", o.limits.wait)
	}
	if o.limits.timeout <= 0 {
		return fmt.Errorf("--timeout: wanted a positive time, got %v", o.limits.timeout)
	}
	if _, _, err := net.SplitHostPort(o.addr); err != nil {
		return fmt.Errorf("--addr: wanted host:port, got %q", o.addr)
	}
	if !serve.Loopback(o.addr) && o.token == "" {
		return fmt.Errorf("--addr: wanted an address of this machine, such as localhost:8081, or SPAMGATE_TOKEN set; got %q", o.addr)
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
	s := serve.New(newServer(g, o.limits, o.token, log), o.limits.timeout, o.limits.timeout, log)
	log.Info("listening", "address", listener.Addr().String(), "policy", g.policyText())
	return serve.Until(ctx, s, listener, log)
}

// defaultPolicy stops campaigns and what was marked, and tags near-duplicates. Its rule is
// the default one, which sees few of the changed copies of mails below 80 words.
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
	if err == nil && p.Scope != "" && p.Scope != "tenant" {
		err = fmt.Errorf(`scope: wanted "tenant", or none if no document has a tenant; got %q`, p.Scope)
	}
	if err == nil && p.Time != "" && p.Time != "date" {
		err = fmt.Errorf(`time: wanted "date", or none for the time of arrival; got %q`, p.Time)
	}
	if err != nil && file != "" {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return p, err
}
