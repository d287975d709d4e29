package plugin_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/near"
)

var faultTrials = flag.Int("fault.trials", 15, "how often TestDamagedFiles damages an index")

// faultFamilies is how many families TestDamagedFiles writes, of four documents each.
const faultFamilies = 40

// settled copies an index whose segments are merged to dir, and returns the file of the one that is left.
func settled(t *testing.T, dir string) string {
	t.Helper()
	once.Do(func() { settledFile = settle(t, filepath.Join(made, "settled")) })
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(made, "settled"))); err != nil {
		t.Fatal(err)
	}
	return settledFile
}

// made is where indexes are that several tests copy.
var (
	made        string
	once        sync.Once
	settledFile string
)

func TestMain(m *testing.M) {
	var err error
	if made, err = os.MkdirTemp("", "plugin"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(made)
	os.Exit(code)
}

// settle makes an index at dir, has its segments merged and a policy in force, and returns the file of the one that is left.
func settle(t *testing.T, dir string) string {
	t.Helper()
	x, err := plugin.New(dir, bodies())
	if err != nil {
		t.Fatal(err)
	}
	for copies := range 4 {
		b := x.NewBatch()
		for f := range faultFamilies {
			if err := b.Index(fmt.Sprint(f, "-", copies), map[string]any{"body": secretText("copy", 100*f), "tenant": fmt.Sprint("t", f%3)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := x.Batch(b); err != nil {
			t.Fatal(err)
		}
	}
	var segments []string
	for end := time.Now().Add(time.Minute); len(segments) != 1; {
		if time.Now().After(end) {
			t.Fatalf("wanted one segment, got %v", segments)
		}
		if err := errors.Join(must(plugin.Of(x)).ForceMerge(t.Context(), nil), x.Close()); err != nil {
			t.Fatal(err)
		}
		if x, err = plugin.Open(dir); err != nil { // which drops the files of what was merged, by and by
			t.Fatal(err)
		}
		for range 100 {
			if segments, err = filepath.Glob(filepath.Join(dir, "store", "*.zap")); err != nil {
				t.Fatal(err)
			}
			if len(segments) == 1 {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	if err := errors.Join(plugin.SetPolicy(t.Context(), x, &admission.Policy{Near: admission.Reject}), x.Close()); err != nil {
		t.Fatal(err)
	}
	return filepath.Base(segments[0])
}

// One byte of a segment is another, again and again. Whatever is asked then gives an
// answer that accounts for every document, or an error, and panics nowhere outside of
// bleve. Answers about documents that are not damaged stay what they were.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "x")
	segment := settled(t, dir)
	rnd := rand.New(rand.NewPCG(1, 2))
	answers := map[string]int{}
	damaged := 0
	for trial := range *faultTrials {
		copied := filepath.Join(t.TempDir(), fmt.Sprint(trial))
		if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(copied, "store", segment)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		at := rnd.IntN(len(data))
		data[at] ^= 1 << rnd.IntN(8)
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		x, err := bleve.OpenUsing(copied, map[string]any{"read_only": true})
		if err != nil {
			answers["not opened"]++
			continue
		}
		for _, ask := range []func(bleve.Index) (int, error){faultPage, faultWhole, faultClusters, faultSimilar, faultVerdicts, faultTerm} {
			n, how := guarded(t, ask, x)
			answers[how]++
			damaged += n
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d damaged places: %v, %d damaged documents told of", *faultTrials, answers, damaged)
	if answers["answered"] < 2**faultTrials {
		t.Errorf("hardly anything could be read: %v", answers)
	}
}

// guarded asks, and says how that ended.
func guarded(t *testing.T, ask func(bleve.Index) (int, error), x bleve.Index) (damaged int, how string) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			stack := string(debug.Stack())
			stack = stack[strings.Index(stack, "panic(")+1:]
			ours, bleves := strings.Index(stack, "/bleve-neardup/"), strings.Index(stack, "github.com/blevesearch/")
			if how = "panic in bleve"; ours < bleves || bleves < 0 {
				t.Errorf("%v\n%s", p, stack)
			}
		}
	}()
	damaged, err := ask(x)
	if err != nil && strings.HasPrefix(err.Error(), "wrong: ") {
		t.Error(err)
	}
	if err != nil {
		return damaged, "error"
	}
	return damaged, "answered"
}

func faultPage(x bleve.Index) (int, error)  { return faultCollapse(x, collapse.Options{}) }
func faultWhole(x bleve.Index) (int, error) { return faultCollapse(x, collapse.Options{Whole: true}) }

func faultCollapse(x bleve.Index, o collapse.Options) (damaged int, err error) {
	const all = 4 * faultFamilies
	r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), all, 0, false)
	res, err := collapse.Search(context.Background(), x, r, o)
	if err != nil {
		return 0, err
	}
	head := map[string]string{} // of every document
	found := len(res.Hits)
	for _, g := range res.Groups {
		head[g.Head.ID] = g.Head.ID
		for _, m := range g.Members {
			head[m.ID] = g.Head.ID
		}
		found += len(g.Members)
	}
	if found != all || len(res.Hits) > faultFamilies+len(res.Damaged)+int(res.Unsigned) {
		return 0, fmt.Errorf("wrong: %d of %d documents, %d hits with %d damaged", found, all, len(res.Hits), len(res.Damaged))
	}
	for f := range faultFamilies {
		for n := range 4 {
			if id := fmt.Sprint(f, "-", n); head[id] == "" {
				return len(res.Damaged), nil // an id is damaged, and tells of no family
			}
		}
	}
	for id, of := range head {
		a, _, _ := strings.Cut(id, "-")
		if b, _, _ := strings.Cut(of, "-"); a != b {
			return 0, fmt.Errorf("wrong: %s lies under %s", id, of)
		}
	}
	return len(res.Damaged), nil
}

func faultClusters(x bleve.Index) (int, error) {
	n := 0
	for c, err := range near.Groups(context.Background(), x, near.GroupsOptions{Within: []string{"tenant"}}) {
		if err != nil {
			return 0, err
		}
		n += 1 + len(c.Members)
	}
	if n > 4*faultFamilies {
		return 0, fmt.Errorf("wrong: %d documents in groups", n)
	}
	return 0, nil
}

func faultSimilar(x bleve.Index) (int, error) {
	for f := range 4 {
		res, err := near.Similar(context.Background(), x, near.SimilarRequest{Query: near.SimilarQuery{Text: []string{secretText("copy", 100*f)}, MaxShare: 1}})
		if err != nil {
			return 0, err
		}
		if len(res.Hits) > 4 {
			return 0, fmt.Errorf("wrong: %d near-duplicates of one of 4", len(res.Hits))
		}
	}
	return 0, nil
}

// faultVerdicts judges copies of some families: one document of each can be damaged.
func faultVerdicts(x bleve.Index) (int, error) {
	b := x.NewBatch()
	for f := range 4 {
		if err := b.Index(fmt.Sprint("new", f), map[string]any{"body": secretText("copy", 100*f)}); err != nil {
			return 0, err
		}
	}
	verdicts, err := plugin.DryRun(context.Background(), x, b)
	if err != nil {
		return 0, err
	}
	for _, v := range verdicts {
		if v.Action != admission.Reject {
			return 0, fmt.Errorf("wrong: %v", v)
		}
	}
	return 0, nil
}

// faultTerm is a search by a term, with fields: much of it is bleve's alone.
func faultTerm(x bleve.Index) (int, error) {
	r := bleve.NewSearchRequest(bleve.NewMatchQuery("copy100x7 copy300x14"))
	r.Fields = []string{"*"}
	_, err := collapse.Search(context.Background(), x, r, collapse.Options{})
	return 0, err
}

// A segment that is cut short does not open, and the error says where.
func TestTruncatedFiles(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "x")
	file := filepath.Join(dir, "store", settled(t, dir))
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{len(data) - 1, len(data) / 2, 10, 0} {
		if err := os.WriteFile(file, data[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		x, err := plugin.Open(dir)
		if err == nil {
			t.Errorf("opened with %d of %d bytes", n, len(data))
			x.Close()
		} else if !strings.Contains(err.Error(), dir) {
			t.Errorf("%d of %d bytes: the error does not say where: %v", n, len(data), err)
		}
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	x, err := plugin.Open(dir)
	if err != nil {
		t.Fatalf("the file is whole again: %v", err)
	}
	defer x.Close()
	if n, err := x.DocCount(); n != 4*faultFamilies || err != nil {
		t.Errorf("%d documents, %v, want %d", n, err, 4*faultFamilies)
	}
}

// At a damaged segment bleve panics as it opens the index. That is an error, and once the segment is whole again the
// same process opens the index: nothing has kept its files locked.
func TestDamagedOpen(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a file at which bleve panicked stays mapped, and no mapped file can be written there")
	}
	dir := filepath.Join(t.TempDir(), "x")
	segment := settled(t, dir)
	whole, err := os.ReadFile(filepath.Join(dir, "store", segment))
	if err != nil {
		t.Fatal(err)
	}
	panics := 0
	// Where the doc values of the fields lie is said near the end.
	for at := len(whole) - 1; at > max(0, len(whole)-2000) && panics < 3; at -= 7 {
		copied := filepath.Join(t.TempDir(), "x")
		if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		damaged := slices.Clone(whole)
		damaged[at] ^= 0x80
		file := filepath.Join(copied, "store", segment)
		if err := os.WriteFile(file, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		x, err := plugin.Open(copied)
		if err == nil {
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if !errors.Is(err, signature.ErrMalformed) {
			continue
		}
		panics++
		if err := os.WriteFile(file, whole, 0o600); err != nil {
			t.Fatal(err)
		}
		if x, err = plugin.Open(copied); err != nil {
			t.Fatalf("byte %d from the end, whole again: %v", len(whole)-at, err)
		}
		if n, err := x.DocCount(); err != nil || n != 4*faultFamilies {
			t.Errorf("byte %d from the end, whole again: %d documents, %v", len(whole)-at, n, err)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if panics == 0 {
		t.Error("bleve panicked nowhere: the test shows nothing")
	}
}
