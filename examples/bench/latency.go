package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/spf13/pflag"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/examples/internal/markdown"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/near"
)

const latencyUsage = `Usage: bench latency [flags]

Measures how long this library's answers take while batches of 100 documents are written without
pause: collapsed pages of 10, whole sets, and near-duplicates by id, in an index on disk. First
without writing. Each answer is checked: a document and its copy never both stand on a page, and
who has a copy finds it.

  go -C examples run ./bench latency --docs 100000

Flags:
%s`

// latency is what its command line says.
type latency struct {
	docs int
	time time.Duration
	dir  string
	json bool
}

func parseLatency(args []string) (measuring, *pflag.FlagSet, error) {
	var o latency
	f := pflag.NewFlagSet("bench latency", pflag.ContinueOnError)
	f.SortFlags = false
	f.Usage = func() {}
	f.IntVar(&o.docs, "docs", 100_000, "documents in the index, of 60 words, a tenth of them copies")
	f.DurationVar(&o.time, "time", 30*time.Second, "how long it asks, with writing and without")
	f.StringVar(&o.dir, "dir", "", "directory for the index, which is removed; a temporary one by default")
	f.BoolVar(&o.json, "json", false, "print JSON instead of a table")
	if err := f.Parse(args); err != nil {
		return nil, f, err
	}
	switch {
	case f.NArg() > 0:
		return nil, f, fmt.Errorf("wanted flags, got %q", f.Args())
	case o.docs < 100:
		return nil, f, fmt.Errorf("--docs: wanted 100 or more, got %d", o.docs)
	case o.time <= 0:
		return nil, f, fmt.Errorf("--time: wanted more than 0, got %v", o.time)
	}
	return o.measure, f, nil
}

// wait is how long the answers of one kind took.
type wait struct {
	What    string        `json:"what"`
	Writing bool          `json:"writing"`
	Answers int           `json:"answers"`
	P50     time.Duration `json:"p50_ns"`
	P99     time.Duration `json:"p99_ns"`
	P999    time.Duration `json:"p99_9_ns"`
	Longest time.Duration `json:"longest_ns"`
}

// waits is all that was measured.
type waits struct {
	Machine   string  `json:"machine"`
	Documents int     `json:"documents"`
	Before    float64 `json:"written_a_second"`           // as the index was made
	Meanwhile float64 `json:"written_a_second_meanwhile"` // while it answered
	Waits     []wait  `json:"waits"`
}

func (o latency) measure(ctx context.Context, stdout, stderr io.Writer) (err error) {
	dir, err := os.MkdirTemp(o.dir, "bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	m := bleve.NewIndexMapping()
	m.DefaultMapping = bleve.NewDocumentStaticMapping()
	body := bleve.NewTextFieldMapping()
	body.Store, body.IncludeInAll, body.IncludeTermVectors, body.DocValues = false, false, false, false
	m.DefaultMapping.AddFieldMappingsAt("body", body, plugin.FieldMapping(neardup.Name))
	x, err := plugin.New(filepath.Join(dir, "index"), m)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	w := &writer{index: x}
	r := waits{Machine: machine(), Documents: o.docs}
	fmt.Fprintf(stderr, "writing %d documents\n", o.docs)
	start := time.Now()
	for w.next < o.docs {
		if err := errors.Join(ctx.Err(), w.write(min(1000, o.docs-w.next))); err != nil {
			return err
		}
	}
	r.Before = float64(w.next) / time.Since(start).Seconds()

	a := &asker{index: x, docs: o.docs, rnd: rand.New(rand.NewPCG(81, 82))}
	fmt.Fprintf(stderr, "answering for %v\n", o.time)
	if r.Waits, err = a.ask(ctx, o.time, false); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "answering for %v, and writing\n", o.time)
	stop, ended, before := make(chan struct{}), make(chan error, 1), w.next
	start = time.Now()
	go func() { ended <- w.until(stop) }()
	more, err := a.ask(ctx, o.time, true)
	close(stop)
	if err = errors.Join(err, <-ended); err != nil {
		return err
	}
	r.Meanwhile = float64(w.next-before) / time.Since(start).Seconds()
	r.Waits = append(r.Waits, more...)
	return r.print(stdout, o.json)
}

// print writes all as a table in Markdown, or as JSON.
func (r waits) print(w io.Writer, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(r)
	}
	rows := [][]string{{"what", "answers", "p50", "p99", "p99.9", "longest"}}
	for _, x := range r.Waits {
		what := x.What
		if x.Writing {
			what += ", while documents are written"
		}
		row := []string{what, fmt.Sprint(x.Answers)}
		for _, d := range []time.Duration{x.P50, x.P99, x.P999, x.Longest} {
			row = append(row, d.Round(10*time.Microsecond).String())
		}
		rows = append(rows, row)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d documents, %.0f a second as the index was made, %.0f a second meanwhile. %s.\n\n", r.Documents, r.Before, r.Meanwhile, r.Machine)
	markdown.Table(&b, rows, 1)
	_, err := io.WriteString(w, b.String())
	return err
}

// twin is the document that is a copy of the i-th, or of which that is one; -1 if there is none.
func twin(i int) int {
	switch i % 10 {
	case 8:
		return i + 1
	case 9:
		return i - 1
	}
	return -1
}

// bodyOf is the text of a document: 60 words, and two more if it is a copy of the one before it.
func bodyOf(i int) string {
	of, more := i, ""
	if i%10 == 9 {
		of, more = i-1, "once more"
	}
	rnd := rand.New(rand.NewPCG(83, uint64(of)))
	var text strings.Builder
	for range 60 {
		fmt.Fprintf(&text, "word%d ", rnd.IntN(50_000))
	}
	return text.String() + more
}

// writer writes documents, each with the next number.
type writer struct {
	index bleve.Index
	next  int
}

func (w *writer) write(n int) error {
	batch := w.index.NewBatch()
	for range n {
		if err := batch.Index(fmt.Sprint(w.next), map[string]any{"body": bodyOf(w.next)}); err != nil {
			return err
		}
		w.next++
	}
	return w.index.Batch(batch)
}

// until writes batches of 100, which hold both or neither of two copies, without pause.
func (w *writer) until(stop chan struct{}) error {
	for {
		select {
		case <-stop:
			return nil
		default:
			if err := w.write(100); err != nil {
				return err
			}
		}
	}
}

// asker asks about the documents that were there first.
type asker struct {
	index bleve.Index
	docs  int
	rnd   *rand.Rand
}

// ask asks for each kind of answer in turn.
func (a *asker) ask(ctx context.Context, how time.Duration, writing bool) (all []wait, err error) {
	kinds := []struct {
		what string
		one  func(ctx context.Context, i int) (time.Duration, error)
	}{
		{"pages of 10", a.page},
		{"whole sets", a.whole},
		{"near-duplicates by id", a.near},
	}
	took := make([][]time.Duration, len(kinds))
	for end := time.Now().Add(how); time.Now().Before(end) || len(took[0]) == 0; {
		for k, kind := range kinds {
			d, err := kind.one(ctx, a.rnd.IntN(a.docs-1))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", kind.what, err)
			}
			took[k] = append(took[k], d)
		}
	}
	for k, kind := range kinds {
		slices.Sort(took[k])
		at := func(share float64) time.Duration { return took[k][int(share*float64(len(took[k])-1))] }
		all = append(all, wait{kind.what, writing, len(took[k]), at(.5), at(.99), at(.999), at(1)})
	}
	return all, nil
}

func (a *asker) page(ctx context.Context, i int) (time.Duration, error) {
	return a.collapsed(ctx, i, collapse.Options{})
}

func (a *asker) whole(ctx context.Context, i int) (time.Duration, error) {
	return a.collapsed(ctx, i, collapse.Options{Whole: true})
}

// collapsed searches for three words of a document, which rank it and its copy first.
func (a *asker) collapsed(ctx context.Context, i int, o collapse.Options) (time.Duration, error) {
	words := strings.Fields(bodyOf(i))
	query := bleve.NewMatchQuery(strings.Join(words[:3], " "))
	query.SetField("body")
	start := time.Now()
	r, err := collapse.Search(ctx, a.index, bleve.NewSearchRequest(query), o)
	took := time.Since(start)
	if err != nil {
		return 0, err
	}
	heads := map[string]bool{}
	for hit := range r.All() {
		heads[hit.ID] = true
	}
	both := fmt.Sprint(twin(i))
	switch own := heads[fmt.Sprint(i)]; {
	case len(heads) == 0, !own && !heads[both]:
		return 0, fmt.Errorf("wanted document %d or its copy, got %v", i, heads)
	case own && heads[both]:
		return 0, fmt.Errorf("wanted document %d without its copy, got %v", i, heads)
	}
	return took, nil
}

// near asks for the near-duplicates of a document.
func (a *asker) near(ctx context.Context, i int) (time.Duration, error) {
	start := time.Now()
	r, err := near.Similar(ctx, a.index, near.SimilarRequest{Query: near.SimilarQuery{ID: fmt.Sprint(i)}})
	took := time.Since(start)
	if err != nil {
		return 0, err
	}
	if t := twin(i); t >= 0 && t < a.docs && !slices.ContainsFunc(r.Hits, func(h near.SimilarHit) bool { return h.ID == fmt.Sprint(t) }) {
		return 0, fmt.Errorf("%d: its copy %d is not among %v", i, t, r.Hits)
	}
	return took, nil
}
