package main

import (
	"crypto/sha256"
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/neardup/bleve-neardup/examples/internal/serve"
	"github.com/neardup/bleve-neardup/examples/internal/style"
	neardup "github.com/neardup/bleve-neardup/plugin/prometheus"
)

func newServer(g *gate, l limits, token string, log *slog.Logger) http.Handler {
	s := &server{gate: g, limits: l, token: sha256.Sum256([]byte(token)), open: token == "", log: log}
	s.senders = serve.NewEach(l.requests)
	m := prometheus.NewRegistry()
	m.MustRegister(neardup.New(g.index), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	made := promauto.With(m)
	s.took = made.NewHistogram(prometheus.HistogramOpts{Name: "spamgate_verdict_seconds", Help: "Time until a document was judged, and written if it was let in.", Buckets: prometheus.ExponentialBuckets(.0001, 2.5, 12)})
	made.NewCounterFunc(prometheus.CounterOpts{Name: "spamgate_wrong_lines_total", Help: "Lines that were no document, or not written."}, func() float64 { return float64(g.errors()) })

	mux := http.NewServeMux()
	mux.HandleFunc("POST /documents", s.documents)
	mux.HandleFunc("POST /marks", s.operator(s.setMark))
	mux.HandleFunc("GET /marks", s.operator(s.listMarks))
	mux.HandleFunc("DELETE /marks/{name...}", s.operator(s.deleteMark))
	mux.HandleFunc("GET /stats", s.operator(s.stats))
	mux.HandleFunc("GET /status", s.operator(s.status))
	mux.HandleFunc("POST /status", s.operator(s.click))
	mux.HandleFunc("GET /assets/style.css", style.Serve)
	mux.HandleFunc("GET /assets/status.css", style.Text("status.css", statusStyle))
	mux.HandleFunc("GET /assets/status.js", style.Text("status.js", statusScript))
	mux.Handle("GET /{$}", http.RedirectHandler("/status", http.StatusFound))
	mux.HandleFunc("GET /metrics", s.operator(promhttp.HandlerFor(m, promhttp.HandlerOpts{}).ServeHTTP))
	// A page of another site must not have a browser set marks.
	h := http.NewCrossOriginProtection().Handler(mux)
	if s.open {
		h = serve.Hosts(h)
	}
	return h
}
