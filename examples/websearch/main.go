// Websearch is a search page over documents that are full of near-copies.
//
// It serves four versions of the LLVM and Clang manuals, which come with it, or
// documents of your own:
//
//	go -C examples run ./websearch
//	go -C examples run ./websearch --data ~/notes.jsonl
//
// (With go -C, a relative path is one below examples.) The page folds near-copies under the
// best-ranked of them, or does not. It shows why two documents count as near-copies: which
// lanes and bits agree, and which words differ. Where the documents have versions, it shows
// the newest of each group if asked to. Where they have projects, it can show one group of
// each. A card says in which of them its copies are. Pages are made on the server from the
// state in their URL; the script only saves reloading them.
//
// search.go, groups.go and paste.go ask the library three questions; compare.go puts two
// documents side by side.
package main

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"github.com/neardup/bleve-neardup/examples/internal/command"
	"github.com/neardup/bleve-neardup/examples/internal/pages"
	"github.com/neardup/bleve-neardup/examples/internal/serve"
)

const usage = `Usage: websearch [flags]

Serves a search page over documents, with and without their near-copies.

Flags:
%s
Data of your own is a file of JSON lines (.jsonl, .ndjson, .json, or one of these
gzipped, .gz), each an object with "id" and "text", or what --id and --text name, and
"title", "project" (strings) and "version" (a number) if you like; or a directory of
.txt, .md, .rst, .html and .htm files, whose ids are their paths. Directories such as
.git are passed over. An index has these fields, too, the text with a signature.
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with its inputs and outputs given.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var addr string
	var hosts []string
	o := pages.Options{Out: stderr, Passages: passageWords}
	f := command.Flags("websearch")
	o.Flags(f)
	f.StringVar(&addr, "addr", "127.0.0.1:8080", "address to serve at; port 0 takes a free one")
	f.StringSliceVar(&hosts, "host", nil, "`names` of the server, separated by commas, besides localhost and IP addresses. It answers no other name:\nelse any web page could point a name at this machine and read the documents")
	return command.Run("websearch", args, stdout, stderr, func(args []string) (func() error, string, *pflag.FlagSet, error) {
		err := f.Parse(args)
		if err == nil {
			err = cmp.Or(o.Validate(), command.None(f))
		}
		return func() error {
			return listen(ctx, addr, hosts, o, slog.New(slog.NewTextHandler(stderr, nil)))
		}, usage, f, err
	})
}

// listen serves until ctx is done, and then finishes what was asked before.
func listen(ctx context.Context, addr string, hosts []string, o pages.Options, log *slog.Logger) error {
	// Before the index is made, so that an address in use is reported at once.
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	index, err := pages.Open(ctx, o)
	if err != nil {
		return err
	}
	defer index.Close()
	site, err := newSite(index, log)
	if err != nil {
		return err
	}
	server := serve.New(serve.Hosts(site.handler(), hosts...), longestRead, longestAnswer, log)
	log.Info("serving", "url", "http://"+listener.Addr().String(), "documents", index.Docs, "of", index.Source)
	return serve.Until(ctx, server, listener, log)
}

// The longest times to read a request and to answer it.
const (
	longestRead   = 20 * time.Second
	longestAnswer = 30 * time.Second
)
