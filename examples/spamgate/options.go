package main

import (
	"fmt"
	"net"
	"os"
	"time"

	"github.com/spf13/pflag"

	"github.com/neardup/bleve-neardup/examples/internal/command"
	"github.com/neardup/bleve-neardup/examples/internal/serve"
)

const usage = `Usage: spamgate [flags]
       spamgate replay [flags] [FILE.jsonl]

Takes documents in over HTTP; or replays a mailbox, a file that can be gzipped. A document
is a line of JSON:

  {"id": "17", "text": "Dear friend, ...", "tenant": "a", "date": "2026-03-02T09:15:00Z"}

An id is a string or an integer, which stands for its digits. Without a date, the time
of arrival counts. Lines for a replay may have a "label", "spam" or "ham". Other members
are an error.

  POST   /documents     lines in, and out for each a verdict or an error
  POST   /marks         {"name", "label": "spam" or "wanted", "scope": [tenants],
                        "text", or "tenant" and "id" of a document, "expires"}
  GET    /marks         DELETE /marks/NAME
  GET    /status        a page for people that keeps itself up to date, with both texts
                        of the last verdicts, and buttons for marks; GET /stats is JSON
  GET    /metrics       for Prometheus

Everything but documents is for the operator. If SPAMGATE_TOKEN is set, it is the password
(any user). It must be set unless the address is this machine's. Without a token, the Host
of a request must be localhost or an IP address: else any web page could point a name
here and ask.

Short mails get through: two texts count as copies if about .9 of their runs of four
words are the same, and one changed word changes four of them. A copy with one word
changed is usually found if it has 100 words or more, and usually not if it has 50. A
policy with a looser rule finds more of them, and more that are none; replay shows both:

  {"scope": "tenant", "time": "date", "rule": {"lanes": 75},
   "floods": [{"copies": 3, "window": "24h"}], "known": "reject"}

A policy without a scope is for one tenant: documents that name one are an error then.

Flags:
%s`

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

// limits are the limits of the intake.
type limits struct {
	body     int64         // bytes
	requests int           // of one address at the same time, 0 for any number
	timeout  time.Duration // for a request
}

func parse(args []string) (options, *pflag.FlagSet, error) {
	o := options{token: os.Getenv("SPAMGATE_TOKEN")}
	if len(args) > 0 && args[0] == "replay" {
		o.replay, args = true, args[1:]
	}
	f := command.Flags("spamgate")
	f.StringVar(&o.index, "index", "", "`directory` to keep the index in; in memory if empty")
	f.StringVar(&o.policy, "policy", "", "`file` with an admission policy in JSON, instead of\n"+defaultPolicy)
	if o.replay {
		f.BoolVar(&o.operator, "operator", true, "at the end of each day, mark documents with the label spam that got in")
		f.BoolVar(&o.quiet, "quiet", false, "print the summary alone")
	} else {
		f.StringVar(&o.addr, "addr", "localhost:8081", "`address` to listen at")
		f.Int64Var(&o.limits.body, "max-body", 8<<20, "`bytes` of a request, which is read whole")
		f.IntVar(&o.limits.requests, "max-requests", 16, "requests with documents from one address at the same time; more get\nstatus 429. 0 for any number: use it behind a proxy")
		f.DurationVar(&o.limits.timeout, "timeout", time.Minute, "longest time for a request to come, and for its answer")
	}
	if err := f.Parse(args); err != nil {
		return o, f, err
	}
	if o.file = f.Arg(0); f.NArg() > 1 || o.file != "" && !o.replay {
		return o, f, fmt.Errorf("arguments: wanted replay and one file, got %q", args)
	}
	return o, f, o.validate()
}

func (o options) validate() error {
	_, _, split := net.SplitHostPort(o.addr)
	switch {
	case o.replay:
		return nil
	case o.limits.body < 1:
		return fmt.Errorf("--max-body: wanted 1 or more, got %d", o.limits.body)
	case o.limits.requests < 0:
		return fmt.Errorf("--max-requests: wanted 0 or more, got %d", o.limits.requests)
	case o.limits.timeout <= 0:
		return fmt.Errorf("--timeout: wanted a positive time, got %v", o.limits.timeout)
	case split != nil:
		return fmt.Errorf("--addr: wanted host:port, got %q", o.addr)
	case !serve.Loopback(o.addr) && o.token == "":
		return fmt.Errorf("--addr: wanted an address of this machine, such as localhost:8081, or SPAMGATE_TOKEN set; got %q", o.addr)
	}
	return nil
}
