// Dedupe groups the documents of files with Apache Beam and lists those to keep.
//
//	go -C plugin/batch run ./dedupe --input 'crawl/*.jsonl.gz' --output ~/out/
//
// The README beside this folder tells how it is run on a cluster.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/batch"
	"github.com/neardup/bleve-neardup/plugin/batch/ondisk"
)

var (
	input  = flag.String("input", "", "pattern of the files of documents: JSON lines, or .gz")
	output = flag.String("output", "", "path that the names of all files that are written begin with, such as gs://bucket/out/")
	id     = flag.String("id_field", "id", "member of a JSON object that is the id")
	text   = flag.String("text_field", "text", "member of a JSON object that is the text")
	by     = flag.String("by", string(ondisk.Leaders), "leaders (every member is a copy of its head) or components (of some other member)")
	rule   = flag.String("rule", "{}", `the rule, as JSON: {"lanes": 90, "hamming": 3, "mode": "either", "min_words": 5}`)
	width  = flag.Int("width", signature.DefaultParams().Width, "tokens in a shingle, 1 to 16")
	shards = flag.Int("shards", 16, "files that each collection is written to")
	rounds = flag.Int("rounds", 3, "rounds towards components in one pipeline")
)

func main() {
	flag.Parse()
	beam.Init() // where this is a worker, it does not return
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "dedupe:", err)
		os.Exit(2)
	}
}

// run does what the flags say.
func run(ctx context.Context, stdout io.Writer) error {
	if *input == "" || *output == "" {
		return fmt.Errorf("--input, --output: wanted a pattern and a path, got %q and %q", *input, *output)
	}
	params := signature.DefaultParams()
	params.Width = *width
	var r signature.Rule
	if err := r.UnmarshalJSON([]byte(*rule)); err != nil {
		return fmt.Errorf("--rule: %w", err)
	}
	j := batch.Job{
		Options: batch.Options{Params: params, Rule: r, By: ondisk.By(*by)},
		Read:    func(s beam.Scope) beam.PCollection { return batch.ReadJSON(s, *input, *id, *text) },
		Work:    *output + "work-", Groups: *output + "groups", Keep: *output + "keep",
		Shards: *shards, Rounds: *rounds, Pipeline: beamx.RunWithMetrics,
	}
	if err := batch.Run(ctx, j); err != nil {
		return err
	}
	_, err := fmt.Fprintf(stdout, "%s and %s: %d files each\n", j.Groups, j.Keep, j.Shards)
	return err
}
