// Shards searches an index that is spread over several: local ones, or remote ones
// that are reached by JSON over HTTP. What they find is collapsed once, by who asks,
// and a document is admitted if no shard has a near-duplicate of it.
//
//	go -C examples run ./shards "loop vectorizer"                      four shards over HTTP, in this process
//	go -C examples run ./shards --local "loop vectorizer"              the same without HTTP
//	go -C examples run ./shards --serve localhost:9001                 one shard, empty at first, in this process
//	go -C examples run ./shards --at http://localhost:9001,http://...  ask such, wherever they run
//
// All of it is package plugin/cluster/shards. With NEARDUP_KEY in the environment, shards ask
// for that key; without it, none listens beyond this machine.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"
	"github.com/spf13/pflag"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/examples/docsearch/corpus"
	"github.com/neardup/bleve-neardup/examples/internal/documents"
	"github.com/neardup/bleve-neardup/examples/internal/serve"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/cluster/shards"
)

const usage = `Usage: shards [flags] [WORD ...]

Writes documents to the shards of an index, by default the LLVM and Clang manuals to
four, searches for the words, and submits a copy of the first hit. Or serves one shard:

  shards --serve localhost:9001
  shards --serve localhost:9002
  shards --at http://localhost:9001,http://localhost:9002 loop vectorizer

If NEARDUP_KEY is set, shards ask for that key, and are asked with it. Without it,
--serve wants an address of this machine.

Flags:
`

// options is what the command line says.
type options struct {
	n       int
	local   bool
	serve   string
	at      []string
	data    string
	none    bool
	partial string
	timeout time.Duration
	key     string
	words   string
}

func main() {
	query.CustomFilterQueryParser = shards.Parser(query.CustomFilterQueryParser)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(start(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// start is main with its inputs and outputs given. It returns the exit code: 0, 1 if
// something went wrong, or 2 for a wrong command line.
func start(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stdout)
	if errors.Is(err, pflag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintf(stderr, "shards: %v\nRun shards --help for usage.\n", err)
		return 2
	}
	if o.serve != "" {
		err = listen(ctx, o, slog.New(slog.NewTextHandler(stderr, nil)))
	} else {
		err = search(ctx, o, stdout)
	}
	if err != nil {
		fmt.Fprintf(stderr, "shards: %v\n", err)
		return 1
	}
	return 0
}

func parse(args []string, stdout io.Writer) (options, error) {
	o := options{key: os.Getenv("NEARDUP_KEY")}
	f := pflag.NewFlagSet("shards", pflag.ContinueOnError)
	f.SortFlags = false
	f.Usage = func() {}
	f.IntVar(&o.n, "n", 4, "number of shards in this process")
	f.BoolVar(&o.local, "local", false, "reach them without HTTP")
	f.StringVar(&o.serve, "serve", "", "serve one shard at this `address`, and do nothing else")
	f.StringSliceVar(&o.at, "at", nil, "the `URLs` of shards that are served, separated by commas, instead of --n")
	f.StringVar(&o.data, "data", "", "documents to write first, a `file` of JSON lines or a directory of texts, instead of the manuals")
	f.BoolVar(&o.none, "no-data", false, "write no documents first")
	f.StringVar(&o.partial, "partial", string(shards.FailClosed), "what to make of an answer that shards are missing from: closed or open")
	f.DurationVar(&o.timeout, "timeout", 2*time.Second, "longest `time` of one try to ask a shard; each is asked twice")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			fmt.Fprint(stdout, usage, f.FlagUsages())
		}
		return o, err
	}
	o.words = strings.Join(f.Args(), " ")
	if o.words == "" {
		o.words = "loop vectorizer"
	}
	return o, o.validate()
}

func (o options) validate() error {
	switch {
	case o.n < 1:
		return fmt.Errorf("--n: wanted 1 or more, got %d", o.n)
	case o.timeout <= 0:
		return fmt.Errorf("--timeout: wanted a positive time, got %v", o.timeout)
	case o.data != "" && o.none:
		return errors.New("--data cannot be combined with --no-data")
	case o.partial != string(shards.FailClosed) && o.partial != string(shards.FailOpen):
		return fmt.Errorf("--partial: wanted closed or open, got %q", o.partial)
	case o.serve == "":
		return nil
	}
	if _, _, err := net.SplitHostPort(o.serve); err != nil {
		return fmt.Errorf("--serve: wanted host:port, got %q", o.serve)
	}
	if o.key == "" && !serve.Loopback(o.serve) {
		return fmt.Errorf("--serve: wanted an address of this machine, such as localhost:9001, or NEARDUP_KEY set; got %q", o.serve)
	}
	return nil
}

// longest is the longest time that a request to a shard may take, to be read or to be answered.
const longest = time.Minute

// listen serves one shard until the context ends.
func listen(ctx context.Context, o options, log *slog.Logger) error {
	listener, err := net.Listen("tcp", o.serve)
	if err != nil {
		return err
	}
	defer listener.Close()
	x, err := newShard("shard at " + o.serve)
	if err != nil {
		return err
	}
	log.Info("serving", "url", "http://"+listener.Addr().String())
	err = serve.Until(ctx, serve.New(handler(x, o.key), longest, longest, log), listener, log)
	return errors.Join(err, x.Close())
}

// handler answers for a shard. Without a key, only programs of this machine may ask, and no
// web page that is open on it.
func handler(x bleve.Index, key string) http.Handler {
	h := shards.Handler(x)
	if key != "" {
		return shards.Authenticated(key, h)
	}
	return serve.Hosts(http.NewCrossOriginProtection().Handler(h))
}

// search writes documents to the shards that o names, and searches.
func search(ctx context.Context, o options, stdout io.Writer) error {
	all, err := shardsOf(o.n, o.local, o.at, shards.RemoteOptions{Timeout: o.timeout, Tries: 2, Key: o.key})
	if err != nil {
		return err
	}
	return run(ctx, stdout, all, shards.Partial(o.partial), o.documents(), o.words)
}

// documents are those to write first; nil if there are none.
func (o options) documents() iter.Seq2[documents.Document, error] {
	source := documents.Source{ID: "id", Text: []string{"text"}, HTML: documents.ByName, Stdin: bytes.NewReader(corpus.Lines)}
	switch {
	case o.none:
		return nil
	case o.data == "":
		return source.Read("-")
	}
	return source.Read(o.data)
}

// newMapping is the mapping of all shards: they must make signatures in the same way.
func newMapping() *mapping.IndexMappingImpl {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "text")
	project := bleve.NewTextFieldMapping()
	project.Analyzer = keyword.Name
	m.DefaultMapping.AddFieldMappingsAt("project", project)
	return m
}

func newShard(name string) (bleve.Index, error) {
	x, err := plugin.New("", newMapping())
	if err == nil {
		x.SetName(name)
	}
	return x, err
}

// shardsOf returns the shards at urls or, if there are none, n of its own.
func shardsOf(n int, local bool, urls []string, o shards.RemoteOptions) (all []bleve.Index, err error) {
	for _, url := range urls {
		all = append(all, shards.NewRemote("", url, o))
	}
	if len(urls) > 0 {
		return all, nil
	}
	for i := range n {
		x, err := newShard(fmt.Sprint("shard ", i))
		if err != nil {
			return nil, err
		}
		if !local {
			x = shards.NewRemote(x.Name(), httptest.NewServer(handler(x, o.Key)).URL, o)
		}
		all = append(all, x)
	}
	return all, nil
}

// run writes the documents, if any, searches, and submits a copy of the first hit.
func run(ctx context.Context, w io.Writer, all []bleve.Index, p shards.Partial, data iter.Seq2[documents.Document, error], words string) error {
	set, err := shards.New(newMapping(), shards.Options{Partial: p}, all...)
	if err != nil {
		return err
	}
	if data != nil {
		start := time.Now()
		written, err := load(set, data)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%d documents on %d shards in %.1f s\n", written, len(all), time.Since(start).Seconds())
	}
	match := bleve.NewMatchQuery(words)
	match.SetField("text")
	request := bleve.NewSearchRequestOptions(match, 5, 0, false)
	request.Fields = []string{"text"}
	res, err := set.Search(ctx, request, collapse.Options{})
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%d matches of %q\n", res.Total, words)
	if lost := shards.Missing(res.Status); len(lost) > 0 {
		fmt.Fprintf(w, "without those of %q, which did not answer\n", lost)
	}
	rank := 0
	for hit, place := range res.All() {
		rank++
		fmt.Fprintf(w, "%2d %s, %s\n", rank, hit.ID, hit.Index)
		for _, m := range place.Copies {
			fmt.Fprintf(w, "        hides %s, %s: %d lanes agree, Hamming %d\n", m.ID, m.Index, m.Agree, m.Hamming)
		}
	}
	if len(res.Hits) == 0 {
		return nil
	}
	text, _ := res.Hits[0].Fields["text"].(string)
	verdicts, err := set.Submit(ctx, shards.Document{ID: "a copy", Data: map[string]any{"text": "Seen elsewhere. " + text}})
	if err != nil {
		return err
	}
	switch v := verdicts[0]; {
	case v.Of != nil:
		fmt.Fprintf(w, "a copy of the first belongs on %s; not written: a near-duplicate of %s on %s\n",
			set.Owner(v.ID).Name(), v.Of.ID, v.Of.Index)
	case len(v.Unchecked) > 0:
		fmt.Fprintf(w, "a copy of the first was written, but nobody knows of %q\n", v.Unchecked)
	default:
		fmt.Fprintln(w, "a copy of the first was written")
	}
	return nil
}

// batch is how many documents are written at a time: few enough for a shard on a busy machine to
// answer within --timeout.
const batch = 100

// load writes documents to their shards, unchecked.
func load(set *shards.Set, data iter.Seq2[documents.Document, error]) (written int, err error) {
	var waiting []shards.Document
	for d, err := range data {
		if err != nil {
			return written, err
		}
		written++
		if waiting = append(waiting, shards.Document{ID: d.ID, Data: d.Fields}); len(waiting) == batch {
			if err := set.Write(waiting...); err != nil {
				return written, err
			}
			waiting = waiting[:0]
		}
	}
	return written, set.Write(waiting...)
}
