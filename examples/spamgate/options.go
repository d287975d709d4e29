package main

import (
	"errors"
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
       spamgate attack [flags] [FILE.jsonl]

Takes documents in over HTTP; or replays a mailbox; or measures how many copies of its
spam get through if a spammer changes each of them. A file can be gzipped. A document is
a line of JSON:

  {"id": "17", "text": "Dear friend, ...", "tenant": "a", "date": "2026-03-02T09:15:00Z"}

An id is a string or an integer, which stands for its digits. Without a date, the time
of arrival counts. Lines for a replay may have a "label", "spam" or "ham". Other members
are an error.

  POST   /documents     lines in, a verdict or an error a line out, while more are sent
  POST   /marks         {"name", "label": "spam" or "wanted", "scope": [tenants],
                        "text", or "tenant" and "id" of a document, "expires"}
  GET    /marks         DELETE /marks/NAME
  GET    /status        a page for people that keeps itself up to date, with both texts
                        of the last verdicts, and buttons for marks; GET /stats is JSON
  GET    /metrics       for Prometheus; also /debug/vars and /debug/pprof/

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

	replay     bool
	file       string
	operator   bool
	quiet      bool
	compare    bool
	datesInIDs bool

	attack       bool
	spam, copies int
}

// limits are the limits of the intake.
type limits struct {
	body, line    int64         // bytes
	requests      int           // of one address at the same time, 0 for any number
	judged        int           // documents at the same time
	wait, timeout time.Duration // for a line, and for a request
}

func parse(args []string) (options, *pflag.FlagSet, error) {
	o := options{token: os.Getenv("SPAMGATE_TOKEN")}
	if len(args) > 0 && (args[0] == "replay" || args[0] == "attack") {
		o.replay, o.attack, args = args[0] == "replay", args[0] == "attack", args[1:]
	}
	f := command.Flags("spamgate")
	if !o.attack {
		f.StringVar(&o.index, "index", "", "`directory` to keep the index in; in memory if empty")
	}
	f.StringVar(&o.policy, "policy", "", "`file` with an admission policy in JSON, instead of\n"+defaultPolicy)
	if o.replay || o.attack {
		f.BoolVar(&o.datesInIDs, "dates-in-ids", false, "the date of a document without one is in its id, like a/2003-12-18.spam.txt")
	}
	switch {
	case o.attack:
		f.IntVar(&o.spam, "spam", 200, "spam mails that are copied")
		f.IntVar(&o.copies, "copies", 50, "changed copies of each, for each attack")
	case o.replay:
		f.BoolVar(&o.compare, "compare", false, "print a table of several policies instead, among them this one")
		f.BoolVar(&o.operator, "operator", true, "at the end of each day, mark documents with the label spam that got in")
		f.BoolVar(&o.quiet, "quiet", false, "print the summary alone")
	default:
		f.StringVar(&o.addr, "addr", "localhost:8081", "`address` to listen at")
		f.Int64Var(&o.limits.body, "max-body", 64<<20, "`bytes` of a request")
		f.Int64Var(&o.limits.line, "max-line", 1<<20, "`bytes` of a line")
		f.IntVar(&o.limits.requests, "max-requests", 16, "requests with documents from one address at the same time; more get\nstatus 429. 0 for any number: use it behind a proxy")
		f.IntVar(&o.limits.judged, "max-judged", 16, "documents judged at the same time; more wait")
		f.DurationVar(&o.limits.wait, "line-timeout", 30*time.Second, "longest time for a sender to send the next line")
		f.DurationVar(&o.limits.timeout, "timeout", 5*time.Minute, "longest time of a request")
	}
	if err := f.Parse(args); err != nil {
		return o, f, err
	}
	if o.file = f.Arg(0); f.NArg() > 1 || o.file != "" && !o.replay && !o.attack {
		return o, f, fmt.Errorf("arguments: wanted replay or attack and one file, got %q", args)
	}
	return o, f, o.validate()
}

func (o options) validate() error {
	switch {
	case o.attack && o.spam < 1:
		return fmt.Errorf("--spam: wanted 1 or more, got %d", o.spam)
	case o.attack && o.copies < 1:
		return fmt.Errorf("--copies: wanted 1 or more, got %d", o.copies)
	case o.replay && o.compare && o.index != "":
		return errors.New("--compare: cannot be combined with --index: each policy has an index of its own")
	case o.attack, o.replay:
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
