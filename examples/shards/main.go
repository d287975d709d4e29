// Shards searches an index that is spread over several: local ones, or remote ones
// that are reached by JSON over HTTP. What they find is collapsed once, by who asks,
// and a document is admitted if no shard has a near-duplicate of it.
//
//	go run ./shards "loop vectorizer"                      four shards behind HTTP, in this process
//	go run ./shards -local "loop vectorizer"               the same without HTTP
//	go run ./shards -serve localhost:9001                  one shard, empty at first, in this process
//	go run ./shards -at http://localhost:9001,http://...   ask such, wherever they run
//
// All of it is package plugin/shards. With NEARDUP_KEY in the environment, shards ask
// for that key.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/examples/internal/documents"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/shards"
)

var key = os.Getenv("NEARDUP_KEY")

func main() {
	n := flag.Int("n", 4, "number of shards in this process")
	local := flag.Bool("local", false, "reach them without HTTP")
	address := flag.String("serve", "", "serve one shard at this `address`, and do nothing else")
	at := flag.String("at", "", "the `URLs` of shards that are served, separated by commas, instead of -n")
	data := flag.String("data", "docsearch/corpus/corpus.jsonl.gz", "documents to write first, a `file` of JSON lines or a directory of texts; none if empty")
	p := flag.String("partial", string(shards.FailClosed), "what to make of an answer that shards are missing from: closed or open")
	timeout := flag.Duration("timeout", 2*time.Second, "of one try to ask a shard; each is asked twice")
	flag.Parse()
	if *address != "" {
		x, err := newShard("shard at " + *address)
		if err != nil {
			log.Fatal(err)
		}
		h := shards.Handler(x)
		if key != "" {
			h = shards.Authenticated(key, h)
		}
		log.Fatal(http.ListenAndServe(*address, h))
	}
	var urls []string
	if *at != "" {
		urls = strings.Split(*at, ",")
	}
	words := strings.Join(flag.Args(), " ")
	if words == "" {
		words = "loop vectorizer"
	}
	o := shards.RemoteOptions{Timeout: *timeout, Tries: 2, Key: key}
	if err := run(os.Stdout, shardsOf(*n, *local, urls, o), shards.Partial(*p), *data, words); err != nil {
		log.Fatal(err)
	}
}

// newMapping is that of all shards: what signatures are made with must be the same.
func newMapping() *mapping.IndexMappingImpl {
	m := bleve.NewIndexMapping()
	plugin.Map(m.DefaultMapping, "text")
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
func shardsOf(n int, local bool, urls []string, o shards.RemoteOptions) (all []bleve.Index) {
	for _, url := range urls {
		all = append(all, shards.NewRemote("", url, o))
	}
	if len(urls) > 0 {
		return all
	}
	for i := range n {
		x, err := newShard(fmt.Sprint("shard ", i))
		if err != nil {
			log.Fatal(err)
		}
		if !local {
			x = shards.NewRemote(x.Name(), httptest.NewServer(shards.Handler(x)).URL, o)
		}
		all = append(all, x)
	}
	return all
}

// run writes the documents, searches, and submits a copy of the first hit.
func run(w io.Writer, all []bleve.Index, p shards.Partial, data, words string) error {
	set, err := shards.New(newMapping(), shards.Options{Partial: p}, all...)
	if err != nil {
		return err
	}
	if data != "" {
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
	ctx := context.Background()
	res, err := set.Search(ctx, request, collapse.Options{})
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%d matches of %q\n", res.Total, words)
	if lost := shards.Missing(res.Status); len(lost) > 0 {
		fmt.Fprintf(w, "without those of %q, which did not answer\n", lost)
	}
	for i, hit := range res.Hits {
		fmt.Fprintf(w, "%2d %s, %s\n", i+1, hit.ID, hit.Index)
		for _, m := range res.Groups[i].Members {
			fmt.Fprintf(w, "        hides %s, %s: %d lanes agree, Hamming %d\n", m.ID, m.Index, m.Lanes, m.Hamming)
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

// batch is how many documents are written at a time.
const batch = 400

// load writes the documents of a file to their shards, unchecked.
func load(set *shards.Set, path string) (written int, err error) {
	source := documents.Source{ID: "id", Text: []string{"text"}, HTML: documents.ByName}
	var waiting []shards.Document
	for d, err := range source.Read(path) {
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
