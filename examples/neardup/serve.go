package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/neardup/bleve-neardup/collapse"
	collapseserve "github.com/neardup/bleve-neardup/collapse/serve"
	"github.com/neardup/bleve-neardup/examples/internal/serve"
)

func (a *app) serveCommand() *cobra.Command {
	var (
		addr, limits string
		hosts        []string
		h            collapseserve.Handler
	)
	c := &cobra.Command{
		Use:   "serve INDEX",
		Short: "Answer searches in JSON over HTTP, with near-copies folded",
		Long: `Serve answers POST /search. The body is bleve's search request in JSON, with one member more, "collapse", that
says how to fold: see collapse.Options. "collapse": false folds nothing. The index is open for reading alone. Each request
has limits (--limits, the members of serve.Limits in package collapse/serve) and a deadline. Anybody who reaches
the address can search all documents.`,
		Example: `  neardup serve notes.bleve
  curl -d '{"query": {"query": "release plan"}, "size": 10}' localhost:8082/search`,
		Args: args("an index", 1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := json.Unmarshal([]byte(limits), &h.Limits); err != nil {
				return usageError{fmt.Errorf("--limits: %w", err)}
			}
			if h.Timeout <= 0 {
				return usageError{fmt.Errorf("--timeout: wanted more than 0s, got %v", h.Timeout)}
			}
			x, err := open(args[0], true, true)
			if err != nil {
				return err
			}
			defer x.Close()
			listener, err := net.Listen("tcp", addr)
			if err != nil {
				return err
			}
			h.Index, h.Collapse = x, &collapse.Options{Field: a.field}
			mux := http.NewServeMux()
			mux.Handle("/search", &h)
			log := slog.New(slog.NewTextHandler(a.stderr, nil))
			log.Info("serving", "url", "http://"+listener.Addr().String()+"/search")
			server := serve.New(serve.Hosts(mux, hosts...), 20*time.Second, h.Timeout+10*time.Second, log)
			return serve.Until(c.Context(), server, listener, log)
		},
	}
	f := c.Flags()
	f.StringVar(&addr, "addr", "127.0.0.1:8082", "address to serve at; port 0 takes a free one")
	f.StringSliceVar(&hosts, "host", nil, "`names` of the server, besides localhost and IP addresses: it answers no other name")
	f.StringVar(&limits, "limits", "{}", "limits of a request, as JSON, such as '{\"hits\": 100}'")
	f.DurationVar(&h.Timeout, "timeout", 10*time.Second, "most time for an answer")
	return c
}
