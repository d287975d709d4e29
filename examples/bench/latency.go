package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch/mergeplan"
	"github.com/spf13/pflag"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/examples/internal/command"
	"github.com/neardup/bleve-neardup/examples/internal/markdown"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/near"
)

const latencyUsage = `Usage: bench latency [flags]

Measures what a user of many small documents has of this library. It writes documents of some 60
words of the manuals, a tenth of them near-copies, to an index of bleve's and to one of this library,
in turns, and says what that took. It opens the second index, and says what the first answers of each
kind took, and the memory after each. Then it asks for plain pages, collapsed pages, whole sets, and
near-duplicates by id, in turns: first without writing, then while one writer adds 100 documents a
second. Answers are checked: a document and its copy never both stand on a page, and who has a copy finds it.

  go -C examples run ./bench latency --docs 100000

Flags:
%s`

// latency is what its command line says.
type latency struct {
	docs int
	time time.Duration
	dir  string
}

func parseLatency(args []string) (measuring, *pflag.FlagSet, error) {
	var o latency
	f := command.Flags("bench latency")
	f.IntVar(&o.docs, "docs", 100_000, "documents in each index")
	f.DurationVar(&o.time, "time", 30*time.Second, "how long it asks, with writing and without")
	f.StringVar(&o.dir, "dir", "", "directory for the indexes, which are removed; a temporary one by default")
	if err := f.Parse(args); err != nil {
		return nil, f, err
	}
	switch {
	case o.docs < 100:
		return nil, f, fmt.Errorf("--docs: wanted 100 or more, got %d", o.docs)
	case o.time <= 0:
		return nil, f, fmt.Errorf("--time: wanted more than 0, got %v", o.time)
	}
	return o.measure, f, command.None(f)
}

func (o latency) measure(ctx context.Context, stdout, stderr io.Writer) (err error) {
	dir, err := os.MkdirTemp(o.dir, "bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	w := &library{docs: o.docs, rnd: rand.New(rand.NewPCG(81, 82))}
	if err := w.read(); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "writing %d documents twice\n", o.docs)
	written, err := w.make(ctx, dir)
	if err != nil {
		return err
	}
	w.words = nil // who only asks has none in memory
	debug.FreeOSMemory()
	first := [][]string{{"after opening", "took", "CPU", "memory after it, MB"}}
	step := func(what string, do func() error) error {
		begin, before := time.Now(), cpu()
		err := do()
		first = append(first, []string{what, brief(time.Since(begin)), brief(cpu() - before), fmt.Sprintf("%.0f", float64(memory())/1e6)})
		return err
	}
	err = step("opening", func() (err error) {
		w.index, err = plugin.Open(filepath.Join(dir, "neardup"))
		return err
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.index.Close()) }()
	if err := w.choose(); err != nil {
		return err
	}
	for k, kind := range kinds {
		if err := step("first: "+kind, func() error { return w.answer(ctx, k, &w.queries[0]) }); err != nil {
			return err
		}
	}
	waits := [][]string{{"what", "matches", "1st", "3rd", "10th", "100th", "p50", "p99", "p50 to plain"}}
	fmt.Fprintf(stderr, "answering for %v\n", o.time)
	if err := w.ask(ctx, o.time, "", &waits); err != nil {
		return err
	}
	if err := errors.Join(step("later: all of these", func() error { return nil }), w.read()); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "answering for %v, and writing\n", o.time)
	stop, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- w.until(stop) }()
	err = w.ask(ctx, o.time, ", while documents are written", &waits)
	close(stop)
	if err = errors.Join(err, <-ended); err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d documents. %s.\n", o.docs, machine())
	for _, rows := range [][][]string{written, first, waits} {
		b.WriteByte('\n')
		markdown.Table(&b, rows, 1)
	}
	_, err = io.WriteString(stdout, b.String())
	return err
}

func brief(d time.Duration) string { return d.Round(10 * time.Microsecond).String() }

// memory is the anonymous memory of this process, in bytes; 0 where the system does not say.
func memory() (kB int64) {
	status, _ := os.ReadFile("/proc/self/status")
	if _, after, ok := strings.Cut(string(status), "RssAnon:"); ok {
		_, _ = fmt.Sscan(after, &kB)
	}
	return kB << 10
}

// library is the index that is asked, and what its documents are made of.
type library struct {
	words   []string // while documents are written
	index   bleve.Index
	docs    int // which are there first; later ones are added by the writer
	rnd     *rand.Rand
	queries []asked
}

// asked is a query of one word, and how long the answers took, by kind.
type asked struct {
	word    string
	matches uint64
	took    [4][]time.Duration
}

// kinds are the kinds of answers.
var kinds = [...]string{"plain pages of 10", "pages of 10", "near-duplicates by id", "whole sets"}

// read reads the words.
func (w *library) read() error {
	_, texts, err := manuals()
	w.words = strings.Fields(strings.Join(texts, "\n"))
	return err
}

// bodyOf is the text of a document: three runs of words. Each tenth is a copy of the one before it: the same, or
// with a word in front, or at the end, or with one changed.
func (w *library) bodyOf(i int) string {
	rnd := rand.New(rand.NewPCG(83, uint64(i)))
	if i%10 == 9 {
		all, word := strings.Fields(w.bodyOf(i-1)), "1"
		for strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) { // an address has words of its own
			word = w.words[rnd.IntN(len(w.words))]
		}
		switch i / 10 % 4 {
		case 1:
			all = slices.Insert(all, 0, word)
		case 2:
			all = append(all, word)
		case 3:
			all[rnd.IntN(len(all))] = word
		}
		return strings.Join(all, " ")
	}
	var all []string
	for range 3 {
		n := 14 + rnd.IntN(13)
		at := rnd.IntN(len(w.words) - n)
		all = append(all, w.words[at:at+n]...)
	}
	return strings.Join(all, " ")
}

// twin is the document that is a copy of the i-th, or of which that is one, within the rule; -1 if there is none.
func twin(i int) int {
	if i%10 < 8 || i/10%4 == 3 {
		return -1
	}
	return i ^ 1 // of 8 and 9 the other
}

// write writes documents from one number to before another.
func (w *library) write(x bleve.Index, from, to int) error {
	batch := x.NewBatch()
	for i := from; i < to; i++ {
		if err := batch.Index(fmt.Sprint(i), map[string]any{"body": w.bodyOf(i)}); err != nil {
			return err
		}
	}
	return x.Batch(batch)
}

type merger interface {
	ForceMerge(context.Context, *mergeplan.MergePlanOptions) error
}

// make makes an index of bleve's and one of this library, a tenth of each in turn.
func (w *library) make(ctx context.Context, dir string) (rows [][]string, err error) {
	rows = [][]string{{"index", "CPU a document", "bytes a document"}}
	names, indexes, took := []string{"bleve", "neardup"}, make([]bleve.Index, 2), make([]time.Duration, 2)
	for i, name := range names {
		m, name := bleve.NewIndexMapping(), filepath.Join(dir, name)
		m.DefaultMapping.AddFieldMappingsAt("body", bleve.NewTextFieldMapping())
		if i == 0 {
			indexes[i], err = bleve.New(name, m)
		} else {
			plugin.AddSignature(m.DefaultMapping, "body")
			indexes[i], err = plugin.New(name, m)
		}
		if err != nil {
			return nil, err
		}
	}
	for part := range 10 {
		for i, x := range indexes {
			begin, end := cpu(), w.docs*(part+1)/10
			for from := w.docs * part / 10; from < end; from += 1000 {
				if err := errors.Join(ctx.Err(), w.write(x, from, min(from+1000, end))); err != nil {
					return nil, err
				}
			}
			// The merges that bleve would do beside the next writes: both are measured without any to do.
			if inner, err := x.Advanced(); err != nil {
				return nil, err
			} else if err := inner.(merger).ForceMerge(ctx, &mergeplan.DefaultMergePlanOptions); err != nil {
				return nil, err
			}
			took[i] += cpu() - begin
		}
	}
	for i, x := range indexes {
		disk := x.StatsMap()["index"].(map[string]any)["num_bytes_used_disk_by_root"].(uint64)
		if err := x.Close(); err != nil {
			return nil, err
		}
		rows = append(rows, []string{names[i], (took[i] / time.Duration(w.docs)).String(), fmt.Sprint(disk / uint64(w.docs))})
	}
	return rows, nil
}

// until adds ten documents ten times a second.
func (w *library) until(stop chan struct{}) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for next := w.docs; ; next += 10 {
		select {
		case <-stop:
			return nil
		case <-tick.C:
			if err := w.write(w.index, next, next+10); err != nil {
				return err
			}
		}
	}
}

// choose chooses words that are in certain shares of the documents.
func (w *library) choose() error {
	words, err := w.index.FieldDict("body")
	if err != nil {
		return err
	}
	defer words.Close()
	shares := []float64{.12, .07, .045, .005}
	w.queries = make([]asked, len(shares))
	for {
		e, err := words.Next()
		if err != nil || e == nil {
			return err
		}
		for i, share := range shares {
			far := func(n uint64) float64 { return math.Abs(share*float64(w.docs) - float64(n)) }
			if far(e.Count) < far(w.queries[i].matches) {
				w.queries[i] = asked{word: e.Term, matches: e.Count}
			}
		}
	}
}

// ask asks for each kind of answer to each query in turn, and adds rows that say how long that took.
func (w *library) ask(ctx context.Context, how time.Duration, while string, rows *[][]string) error {
	for i := range w.queries {
		w.queries[i].took = [4][]time.Duration{}
	}
	for end := time.Now().Add(how); time.Now().Before(end) || len(w.queries[0].took[0]) == 0; {
		for i := range w.queries {
			for k := range kinds {
				if err := w.answer(ctx, k, &w.queries[i]); err != nil {
					return fmt.Errorf("%s: %w", kinds[k], err)
				}
			}
		}
	}
	for _, q := range w.queries {
		var plain time.Duration
		for k, all := range q.took {
			row := []string{kinds[k] + while, fmt.Sprint(q.matches)}
			for _, n := range []int{1, 3, 10, 100} {
				row = append(row, brief(all[min(n, len(all))-1]))
			}
			slices.Sort(all)
			middle := all[len(all)/2]
			if k == 0 {
				plain = middle
			}
			*rows = append(*rows, append(row, brief(middle), brief(all[len(all)*99/100]), fmt.Sprintf("%.2f", float64(middle)/float64(plain))))
		}
	}
	return nil
}

// answer asks for one answer, checks it, and keeps how long it took.
func (w *library) answer(ctx context.Context, kind int, q *asked) error {
	match := bleve.NewMatchQuery(q.word)
	match.SetField("body")
	request, one := bleve.NewSearchRequest(match), w.rnd.IntN(w.docs)
	var r *collapse.Result
	var like *near.SimilarResult
	var err error
	begin := time.Now()
	switch kind {
	case 0:
		_, err = w.index.SearchInContext(ctx, request)
	case 2:
		like, err = near.Similar(ctx, w.index, near.SimilarRequest{Query: near.SimilarQuery{ID: fmt.Sprint(one)}})
	default:
		r, err = collapse.Search(ctx, w.index, request, collapse.Options{Whole: kind == 3})
	}
	q.took[kind] = append(q.took[kind], time.Since(begin))
	if err != nil {
		return err
	}
	shown := map[string]bool{}
	for hit := range r.All() {
		n, _ := strconv.Atoi(hit.ID)
		if shown[hit.ID] = true; shown[fmt.Sprint(twin(n))] {
			return fmt.Errorf("wanted one of two copies, got %d and %d", n, twin(n))
		}
	}
	if t := twin(one); like != nil && t >= 0 && !slices.ContainsFunc(like.Hits, func(h near.SimilarHit) bool { return h.ID == fmt.Sprint(t) }) {
		return fmt.Errorf("%d: its copy %d is not among %v", one, t, like.Hits)
	}
	return nil
}
