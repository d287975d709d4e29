// Docsearch searches documentation that is full of near-copies, and shows what
// collapsing them does.
//
// It indexes four versions of the LLVM and Clang manuals, which come with it. It
// answers each query twice, side by side: bleve's plain result on the left, the
// collapsed one on the right. Under each head it lists the copies it hides, and
// why. That is how many lanes of the sketches agree, how far apart the simhashes
// are, and which test of the rule was passed.
//
//	go -C examples run ./docsearch "loop vectorizer"
//
// It runs on data of your own too; see --help. (With go -C, a relative path is one
// below examples.) The parts that a program of yours would have are
// Mapping and fill in ../internal/pages, and ask in show.go.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/pflag"

	"github.com/neardup/bleve-neardup/examples/internal/command"
	"github.com/neardup/bleve-neardup/examples/internal/pages"
)

const usage = `Usage: docsearch [flags] [query ...]

Indexes documentation and answers each query with and without collapse of
near-copies, side by side. Without a query it runs three of its own.

  go -C examples run ./docsearch "loop vectorizer"
  go -C examples run ./docsearch --data ~/notes.jsonl "release plan" budget

Flags:
%s
Data of your own is a file of JSON lines (.jsonl, .ndjson, .json, or one of these
gzipped, .gz), each an object with "id" and "text", or what --id and --text name, and
"title", "project" (strings) and "version" (a number) if you like; or a directory of
.txt, .md, .rst, .html and .htm files, whose ids are their paths. Directories such as
.git are passed over.
`

// queries are run if none is given. The last shows pages that look alike and are
// not: the release notes of each version.
var queries = []string{"loop vectorizer", "address sanitizer", "release notes new features"}

// options is what the command line says.
type options struct {
	queries []string
	from    pages.Options
	size    int
}

func main() {
	// On an interrupt the temporary index is deleted all the same.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with its inputs and outputs given.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return command.Run("docsearch", args, stdout, stderr, func(args []string) (func() error, string, *pflag.FlagSet, error) {
		o, flags, err := parse(args)
		return func() error { return searchAll(ctx, o, stdout, stderr) }, usage, flags, err
	})
}

func parse(args []string) (options, *pflag.FlagSet, error) {
	var o options
	f := command.Flags("docsearch")
	o.from.Flags(f)
	f.IntVar(&o.size, "size", 10, "hits, and groups, to show")
	if err := f.Parse(args); err != nil {
		return o, f, err
	}
	if o.queries = f.Args(); len(o.queries) == 0 {
		o.queries = queries
	}
	return o, f, o.validate()
}

func (o options) validate() error {
	if o.size < 1 {
		return fmt.Errorf("--size: wanted 1 or more, got %d", o.size)
	}
	for _, q := range o.queries {
		if strings.TrimSpace(q) == "" {
			return fmt.Errorf("query: wanted words, got %q", q)
		}
	}
	return o.from.Validate()
}

// searchAll indexes if need be, and answers the queries.
func searchAll(ctx context.Context, o options, stdout, stderr io.Writer) error {
	o.from.Out = stderr
	index, err := pages.Open(ctx, o.from)
	if err != nil {
		return err
	}
	defer index.Close()
	fmt.Fprintf(stdout, "%d documents of %s", index.Docs, clean(index.Source))
	if index.Took > 0 {
		fmt.Fprintf(stdout, ", indexed in %.1f s", index.Took.Seconds())
	}
	fmt.Fprintln(stdout, ".")
	for _, q := range o.queries {
		a, err := ask(ctx, index.Index, q, o.size)
		if err != nil {
			return fmt.Errorf("query %q: %w", q, err)
		}
		fmt.Fprintf(stdout, "\nQuery: %s\n\n", clean(q))
		a.show(stdout)
	}
	return nil
}
