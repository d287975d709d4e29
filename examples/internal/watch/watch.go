// Package watch shows what a running example does: as metrics for Prometheus, in
// expvar, in profiles and in traces of the runtime.
package watch

import (
	"expvar"
	"net/http"
	"net/http/pprof"
	"runtime/trace"

	"github.com/blevesearch/bleve/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	neardup "github.com/neardup/bleve-neardup/plugin/prometheus"
)

// Metrics are the metrics of an index and of the requests that are answered from it. An
// example registers its own metrics here, too.
type Metrics struct {
	*prometheus.Registry
	requests *prometheus.HistogramVec
}

// New returns the metrics of an index.
func New(x bleve.Index) *Metrics {
	m := &Metrics{Registry: prometheus.NewRegistry()}
	m.MustRegister(neardup.New(x), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.requests = promauto.With(m).NewHistogramVec(prometheus.HistogramOpts{
		Name: "http_request_duration_seconds", Help: "Time until a request was answered.", Buckets: Buckets,
	}, []string{"route", "code"})
	return m
}

// Buckets are the buckets for times, in seconds.
var Buckets = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5}

// Route times the requests that next answers, and makes each a task of that name for
// runtime/trace: the library's regions are then in it.
func (m *Metrics) Route(name string, next http.Handler) http.Handler {
	task := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, task := trace.NewTask(r.Context(), name)
		defer task.End()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
	return promhttp.InstrumentHandlerDuration(m.requests.MustCurryWith(prometheus.Labels{"route": name}), task)
}

// Handler serves GET /metrics, /debug/vars and /debug/pprof/, with /debug/pprof/trace
// among these. They tell much of the program: they are for its operator.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m, promhttp.HandlerOpts{}))
	mux.Handle("GET /debug/vars", expvar.Handler())
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return mux
}
