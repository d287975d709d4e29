package main

import (
	"crypto/sha256"
	"crypto/subtle"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/neardup/bleve-neardup/examples/internal/serve"
	"github.com/neardup/bleve-neardup/examples/internal/watch"
	"github.com/neardup/bleve-neardup/internal/ids"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

//go:embed status.html
var statusText string

var statusPage = template.Must(template.New("status").Funcs(template.FuncMap{
	"clock":  func(t time.Time) string { return t.Format("15:04:05") },
	"expiry": func(t time.Time) string { return t.Format("2006-01-02 15:04") },
	"join":   func(s []name) string { return strings.Join(ids.Strings(s), ", ") },
}).Parse(statusText))

// server is the HTTP side of a gate.
type server struct {
	gate    *gate
	limits  limits
	token   [sha256.Size]byte
	open    bool // no token is wanted
	pace    *pace
	senders *serve.Each
	judges  places
	offices places
	took    prometheus.Histogram
	log     *slog.Logger
}

func newServer(g *gate, l limits, token string, log *slog.Logger) http.Handler {
	s := &server{gate: g, limits: l, token: sha256.Sum256([]byte(token)), open: token == "", log: log}
	s.pace, s.senders = newPace(l.rate), serve.NewEach(l.requests)
	s.judges, s.offices = make(places, l.judged), make(places, operators)
	m := watch.New(g.index)
	made := promauto.With(m)
	s.took = made.NewHistogram(prometheus.HistogramOpts{Name: "spamgate_verdict_seconds", Help: "Time until a document was judged, and written if it was let in.", Buckets: watch.Buckets})
	made.NewCounterFunc(prometheus.CounterOpts{Name: "spamgate_wrong_lines_total", Help: "Lines that were no document, or not written."}, func() float64 { return float64(g.errors()) })

	mux := http.NewServeMux()
	mux.HandleFunc("POST /documents", s.documents)
	mux.HandleFunc("POST /marks", s.operator(s.setMark))
	mux.HandleFunc("GET /marks", s.operator(s.office(s.listMarks)))
	mux.HandleFunc("DELETE /marks/{name...}", s.operator(s.office(s.deleteMark)))
	mux.HandleFunc("GET /stats", s.operator(s.office(s.stats)))
	mux.HandleFunc("GET /status", s.operator(s.office(s.status)))
	mux.Handle("GET /{$}", http.RedirectHandler("/status", http.StatusFound))
	watched := s.operator(m.Handler().ServeHTTP)
	mux.HandleFunc("GET /metrics", watched)
	mux.HandleFunc("GET /debug/", watched)
	// A page of another site must not have a browser set marks.
	h := http.NewCrossOriginProtection().Handler(mux)
	if s.open {
		h = serve.Hosts(h)
	}
	return h
}

// operator lets those pass who know the token.
func (s *server) operator(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := r.BasicAuth()
		got := sha256.Sum256([]byte(password))
		if !s.open && subtle.ConstantTimeCompare(got[:], s.token[:]) == 0 {
			w.Header().Set("WWW-Authenticate", `Basic realm="spamgate"`)
			http.Error(w, "wanted the token as password", http.StatusUnauthorized)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		next(w, r)
	}
}

// setMark reads a mark, and only then takes a place.
func (s *server) setMark(w http.ResponseWriter, r *http.Request) {
	if err := http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.limits.wait)); err != nil {
		s.answer(w, nil, err)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.limits.line))
	large := (*http.MaxBytesError)(nil)
	switch {
	case errors.As(err, &large):
		http.Error(w, tooLong("body", s.limits.line).Error(), http.StatusRequestEntityTooLarge)
	case errors.Is(err, os.ErrDeadlineExceeded):
		http.Error(w, fmt.Sprintf("mark: wanted a whole one within %v, got less", s.limits.wait), http.StatusRequestTimeout)
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
	default:
		s.office(func(w http.ResponseWriter, _ *http.Request) { s.mark(w, body) })(w, r)
	}
}

func (s *server) mark(w http.ResponseWriter, body []byte) {
	err := s.gate.mark(body)
	switch {
	case errors.Is(err, errNotFound):
		http.Error(w, err.Error(), http.StatusNotFound)
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// shown is a mark without its signature.
type shown struct {
	Name    name            `json:"name"`
	Label   admission.Label `json:"label"`
	Scope   []name          `json:"scope,omitempty"`
	Expires time.Time       `json:"expires,omitzero"`
	Tokens  int             `json:"tokens"`
}

func (s *server) marks() ([]shown, error) {
	marks, err := plugin.Marks(s.gate.index)
	all := []shown{}
	for _, m := range marks {
		all = append(all, shown{name(m.Name), m.Label, ids.Of(m.Scope), m.Expires, int(m.Signature.Tokens)})
	}
	return all, err
}

func (s *server) listMarks(w http.ResponseWriter, _ *http.Request) {
	marks, err := s.marks()
	s.answer(w, marks, err)
}

func (s *server) deleteMark(w http.ResponseWriter, r *http.Request) {
	mark := r.PathValue("name")
	marks, err := s.marks()
	there := slices.ContainsFunc(marks, func(m shown) bool { return string(m.Name) == mark })
	switch {
	case err != nil:
		s.answer(w, nil, err)
	case !there:
		http.Error(w, "no such mark", http.StatusNotFound)
	default:
		if err := plugin.Unmark(s.gate.index, mark); err != nil {
			s.answer(w, nil, err)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

// figures is what stats and status show.
type figures struct {
	Since     time.Time         `json:"since"`
	Documents uint64            `json:"documents"` // in the index
	Policy    *admission.Policy `json:"policy"`
	counts

	Recent []judged `json:"-"`
	Marks  []shown  `json:"-"`
	Text   string   `json:"-"` // of the policy
}

func (s *server) figures() (figures, error) {
	f := figures{Since: s.gate.since, Policy: s.gate.policy, Text: s.gate.policyText()}
	f.counts, f.Recent = s.gate.now()
	var err, merr error
	f.Documents, err = s.gate.index.DocCount()
	f.Marks, merr = s.marks()
	return f, errors.Join(err, merr)
}

func (s *server) stats(w http.ResponseWriter, _ *http.Request) {
	f, err := s.figures()
	s.answer(w, f, err)
}

func (s *server) status(w http.ResponseWriter, _ *http.Request) {
	f, err := s.figures()
	if err != nil {
		s.answer(w, nil, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	if err := statusPage.Execute(w, f); err != nil {
		s.log.Warn("writing the page", "error", err)
	}
}

// answer writes JSON, or says that something went wrong and logs what.
func (s *server) answer(w http.ResponseWriter, v any, err error) {
	if err != nil {
		s.log.Error("reading the index", "error", err)
		http.Error(w, "something went wrong; the log says what", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		s.log.Warn("writing an answer", "error", err)
	}
}
