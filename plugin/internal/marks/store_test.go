package marks_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/indextype"
	"github.com/neardup/bleve-neardup/plugin/internal/engine"
	"github.com/neardup/bleve-neardup/plugin/internal/marks"
)

var ctx = context.Background()

func newIndex(t testing.TB, path string, config map[string]any) bleve.Index {
	t.Helper()
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	x, err := bleve.NewUsing(path, m, indextype.Name, scorch.Name, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

func open(t testing.TB, path string, config map[string]any) bleve.Index {
	t.Helper()
	x, err := bleve.OpenUsing(path, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// text is the n-th text; no two are alike.
func text(n int) string {
	var words []string
	for i := range 20 {
		words = append(words, fmt.Sprintf("w%xx", uint32(n*20+i+1)*2654435761))
	}
	return strings.Join(words, " ")
}

// must fails the test at the first of some errors.
func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func mark(x bleve.Index, numbers ...int) error {
	var all []admission.Mark
	for _, n := range numbers {
		s, err := plugin.Sign(x, plugin.Field, text(n))
		if err != nil {
			return err
		}
		all = append(all, admission.Mark{Name: fmt.Sprint(n), Label: admission.Spam, Signature: s})
	}
	return typed(x).SetMark(ctx, all...)
}

func unmark(x bleve.Index, n int) error { return typed(x).Unmark(ctx, fmt.Sprint(n)) }

// has checks that an index has these marks and no others, and what it judges by them.
func has(t testing.TB, x bleve.Index, want ...int) {
	t.Helper()
	all, err := typed(x).Marks()
	if err != nil {
		t.Fatal(err)
	}
	got := []int{}
	for _, m := range all {
		n, err := strconv.Atoi(m.Name)
		s, err2 := plugin.Sign(x, plugin.Field, text(n))
		if err != nil || err2 != nil || m.Label != admission.Spam || m.Signature.Exact != s.Exact {
			t.Errorf("got the mark %+v, %v, %v", m, err, err2)
		}
		got = append(got, n)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Fatalf("got the marks %v, want %v", got, want)
	}
	b := x.NewBatch()
	for n := range 6 {
		must(t, b.Index(fmt.Sprint(n), map[string]any{"body": text(n)}))
	}
	verdicts, err := plugin.DryRun(ctx, x, b)
	must(t, err)
	for n, v := range verdicts {
		if known := slices.Contains(want, n); known != (v.Mark == fmt.Sprint(n)) || known != (v.Action == admission.Reject) {
			t.Errorf("text %d: got %v, with the marks %v", n, v, want)
		}
	}
}

func known(t testing.TB, x bleve.Index) {
	t.Helper()
	must(t, plugin.SetPolicy(ctx, x, &admission.Policy{Known: admission.Reject}))
}

// Marks and their uses are there when the index is opened again, by whatever settings, and after a mark was removed.
func TestReopened(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]map[string]any{"safe": nil, "unsafe": {"unsafe_batch": true}} {
		path := filepath.Join(t.TempDir(), name)
		x := newIndex(t, path, config)
		known(t, x)
		has(t, x)
		must(t, unmark(x, 1)) // of an index without marks
		if _, err := os.Stat(filepath.Join(path, "store", marks.Folder)); err == nil {
			t.Errorf("%s: there is a folder, and no mark", name)
		}
		must(t, mark(x, 1, 2, 3), unmark(x, 2), unmark(x, 4), mark(x, 3))
		has(t, x, 1, 3)
		for range 3 {
			if _, err := plugin.Submit(ctx, x, "d", map[string]any{"body": text(3)}); err != nil {
				t.Fatal(err)
			}
		}
		must(t, x.Close()) // with unsafe_batch bleve has not written the rest
		if _, err := plugin.Of(x); !errors.Is(err, bleve.ErrorIndexClosed) {
			t.Errorf("%s, closed: got %v", name, err)
		}
		for _, config := range []map[string]any{config, {"read_only": true}, nil} {
			x = open(t, path, config)
			has(t, x, 1, 3)
			all, err := typed(x).Marks()
			if must(t, err); all[0].Used != 0 || all[1].Used != 3 {
				t.Errorf("%s: got %d and %d uses, want 0 and 3", name, all[0].Used, all[1].Used)
			}
			if config["read_only"] == true {
				for _, err := range []error{mark(x, 4), unmark(x, 1)} {
					if err == nil || !strings.Contains(err.Error(), "wanted an index that is open for writing, got one with read_only") {
						t.Errorf("read_only: got %v", err)
					}
				}
				has(t, x, 1, 3)
			}
			must(t, x.Close())
		}
		x = open(t, path, nil)
		must(t, unmark(x, 1), unmark(x, 3))
		has(t, x)
		must(t, x.Close())
		has(t, open(t, path, nil))
	}
}

// Two processes, or two times the same one, cannot have the marks open for writing.
func TestHeld(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x")
	x := newIndex(t, path, nil)
	must(t, mark(x, 1))
	for _, readOnly := range []bool{false, true} {
		if y, err := bleve.OpenUsing(path, map[string]any{"bolt_timeout": "20ms", "read_only": readOnly}); err == nil {
			y.Close()
			t.Error("it opens twice")
		}
	}
	must(t, mark(x, 2), x.Close())
	x = open(t, path, map[string]any{"read_only": true})
	for _, y := range []bleve.Index{x, open(t, path, map[string]any{"read_only": true})} { // readers are any number
		if all, err := typed(y).Marks(); err != nil || len(all) != 2 {
			t.Errorf("got %d marks, %v", len(all), err)
		}
	}
}

// Writes of documents, of a policy and of values write nothing to the marks' own index. The uses of marks are written to that alone.
func TestDocumentsApart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x")
	x := newIndex(t, path, nil)
	must(t, mark(x, 1, 2, 3), x.Close())
	newest := func() uint64 {
		t.Helper()
		own, err := scorch.NewScorch(scorch.Name, map[string]any{"path": filepath.Join(path, "store", marks.Folder), "read_only": true}, nil)
		must(t, err, own.Open())
		epochs, err := own.(*scorch.Scorch).RootBoltSnapshotEpochs()
		must(t, err, own.Close())
		return epochs[0]
	}
	before := newest()
	for n := range 3 {
		x = open(t, path, nil)
		known(t, x)
		for i := range 5 {
			must(t, x.Index(fmt.Sprint(n, i), map[string]any{"body": text(10*n + i + 10)}), x.SetInternal([]byte("own"), []byte{byte(i)}))
		}
		must(t, x.Delete(fmt.Sprint(n, 1)), x.Close())
		if after := newest(); after != before {
			t.Fatalf("the newest snapshot of the marks was %d, and is %d", before, after)
		}
	}
	x = open(t, path, nil)
	if err := x.Index("spam", map[string]any{"body": text(1)}); err == nil {
		t.Error("spam is accepted")
	}
	must(t, x.Close())
	if after := newest(); after == before {
		t.Error("uses are not written")
	}
}

// What was being made when a process was killed is no mark and no error, whether or not there are files.
func TestHalfMade(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x")
	x := newIndex(t, path, nil)
	known(t, x)
	must(t, x.Close())
	folder := filepath.Join(path, "store", marks.Folder)
	for _, content := range []string{"", "no bolt"} {
		must(t, os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, "root.bolt"), []byte(content), 0o600))
		for _, readOnly := range []bool{true, false} {
			x = open(t, path, map[string]any{"read_only": readOnly})
			has(t, x)
			must(t, x.Close())
		}
	}
	x = open(t, path, nil)
	must(t, mark(x, 1))
	has(t, x, 1)
	must(t, x.Close())
	has(t, open(t, path, nil), 1)
}

// Marks that are gone, or cannot be read, are an error that says so, as the index is opened or as they are read: never
// an index without marks.
func TestDamaged(t *testing.T) {
	t.Parallel()
	original := filepath.Join(t.TempDir(), "x")
	x := newIndex(t, original, nil)
	must(t, mark(x, 1, 2, 3, 4, 5))
	known(t, x)
	must(t, x.Close())
	bolt := filepath.Join("store", marks.Folder, "root.bolt")
	zaps, err := filepath.Glob(filepath.Join(original, "store", marks.Folder, "*.zap"))
	if err != nil || len(zaps) != 1 {
		t.Fatalf("got the segments %q, %v", zaps, err)
	}
	zap, err := filepath.Rel(original, zaps[0])
	must(t, err)
	good, err := os.ReadFile(zaps[0])
	must(t, err)
	cases := map[string]func(path string) error{
		"no folder":      func(path string) error { return os.RemoveAll(filepath.Dir(filepath.Join(path, bolt))) },
		"no bolt":        func(path string) error { return os.Remove(filepath.Join(path, bolt)) },
		"an empty bolt":  func(path string) error { return os.Truncate(filepath.Join(path, bolt), 0) },
		"half a bolt":    func(path string) error { return os.Truncate(filepath.Join(path, bolt), 5000) },
		"no segment":     func(path string) error { return os.Remove(filepath.Join(path, zap)) },
		"half a segment": func(path string) error { return os.Truncate(filepath.Join(path, zap), int64(len(good)/2)) },
	}
	for at := 0; at < len(good); at += len(good)/12 + 1 {
		cases[fmt.Sprint("16 bytes wrong at ", at)] = func(path string) error {
			wrong := slices.Clone(good)
			for i := at; i < min(at+16, len(good)); i++ {
				wrong[i] ^= 0x5a
			}
			return os.WriteFile(filepath.Join(path, zap), wrong, 0o600)
		}
	}
	dir, found := t.TempDir(), 0
	for name, damage := range cases {
		path := filepath.Join(dir, name)
		must(t, os.CopyFS(path, os.DirFS(original)), damage(path))
		x, err := bleve.OpenUsing(path, map[string]any{"bolt_timeout": "1s"})
		var all []admission.Mark
		if err == nil {
			if all, err = typed(x).Marks(); err != nil {
				if v, wrong := plugin.Submit(ctx, x, "d", map[string]any{"body": text(9)}); wrong == nil {
					t.Errorf("%s: without marks, got %v", name, v)
				}
			}
			must(t, x.Close())
		}
		switch {
		case err != nil:
			if found++; !strings.Contains(err.Error(), "mark") {
				t.Errorf("%s: got %v, of which nobody knows that it is about marks", name, err)
			}
		case len(all) != 5 || !strings.HasPrefix(name, "16 bytes"): // what is not read can be wrong, such as terms
			t.Errorf("%s: got %d marks and no error", name, len(all))
		}
	}
	if found < len(cases)/2 {
		t.Errorf("%d of %d are errors: this test shows little", found, len(cases))
	}
}

// Copies have the marks and their uses, also of an index that is open with read_only.
func TestCopied(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	check := func(name string, x bleve.Index, want ...int) {
		t.Helper()
		path := filepath.Join(dir, "copy of "+name)
		must(t, x.(bleve.IndexCopyable).CopyTo(bleve.FileSystemDirectory(path)))
		c := open(t, path, nil)
		has(t, c, want...)
		if len(want) > 0 {
			all, err := typed(c).Marks()
			if must(t, err); all[0].Used != 2 {
				t.Errorf("%s: got %d uses, want 2", name, all[0].Used)
			}
		}
		must(t, mark(c, 5), c.Close())
		has(t, open(t, path, nil), append(want, 5)...)
	}
	path := filepath.Join(dir, "x")
	x := newIndex(t, path, nil)
	known(t, x)
	check("one without marks", x)
	must(t, mark(x, 1, 2, 3), unmark(x, 2))
	for range 2 {
		_, err := plugin.Submit(ctx, x, "d", map[string]any{"body": text(1)})
		must(t, err)
	}
	check("one", x, 1, 3)
	must(t, x.Close())
	check("one with read_only", open(t, path, map[string]any{"read_only": true}), 1, 3)
}

// In memory nothing is on disk; and there is no copy, by bleve, that could lack the marks.
func TestInMemory(t *testing.T) {
	t.Parallel()
	x := newIndex(t, "", nil)
	known(t, x)
	must(t, mark(x, 1, 2), unmark(x, 2), mark(x, 3))
	has(t, x, 1, 3)
	if err := x.(bleve.IndexCopyable).CopyTo(bleve.FileSystemDirectory(t.TempDir())); err == nil {
		t.Error("it can be copied: then its marks have to be")
	}
	if value, err := x.GetInternal([]byte(marks.Key)); value != nil || err != nil {
		t.Errorf("got the internal value %x, %v", value, err)
	}
	must(t, x.Close())
	if err := mark(x, 4); !errors.Is(err, bleve.ErrorIndexClosed) {
		t.Errorf("closed: got %v", err)
	}
}

// A copy is of one moment: where documents and marks are written in turns, it has what was there before the last one
// that it has, and nothing that came after.
func TestCopiedMeanwhile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	x := newIndex(t, filepath.Join(dir, "x"), map[string]any{"unsafe_batch": true})
	stop, writer := make(chan struct{}), sync.WaitGroup{}
	writer.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			if err := errors.Join(x.Index(fmt.Sprintf("%06d", n), map[string]any{"body": text(n)}), mark(x, n)); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for n := range 5 {
		time.Sleep(5 * time.Millisecond)
		path := filepath.Join(dir, fmt.Sprint("copy", n))
		must(t, x.(bleve.IndexCopyable).CopyTo(bleve.FileSystemDirectory(path)))
		c := open(t, path, nil)
		documents, err := c.DocCount()
		must(t, err)
		all, err := typed(c).Marks()
		must(t, err)
		if marks := uint64(len(all)); marks != documents && marks+1 != documents {
			t.Errorf("copy %d has %d documents and %d marks", n, documents, marks)
		}
		must(t, c.Close())
	}
	close(stop)
	writer.Wait()
}

// An index that is taken back to an older snapshot, by bleve's Rollback, keeps the marks that were set last: they are
// no part of its snapshots. Before its first mark it has none.
func TestRollback(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x")
	x := newIndex(t, path, map[string]any{"numSnapshotsToKeep": 100, "rollbackSamplingInterval": "0s"})
	known(t, x)
	put := func(n int) {
		t.Helper()
		must(t, x.Index(fmt.Sprint("d", n), map[string]any{"body": text(10 + n)}))
	}
	put(1)
	must(t, mark(x, 1))
	put(2)
	must(t, mark(x, 2), unmark(x, 1))
	put(3)
	must(t, x.Close())
	points, err := scorch.RollbackPoints(filepath.Join(path, "store"))
	must(t, err)
	seen := map[uint64]bool{}
	for _, p := range points { // the newest first
		must(t, scorch.Rollback(filepath.Join(path, "store"), p))
		x = open(t, path, map[string]any{"read_only": true})
		documents, err := x.DocCount()
		must(t, err)
		seen[documents] = true
		switch value := p.GetInternal([]byte(marks.Key)); {
		case value == nil:
			has(t, x)
		default:
			has(t, x, 2)
		}
		must(t, x.Close())
	}
	if !seen[1] || !seen[2] || !seen[3] {
		t.Errorf("snapshots of %v documents: this test shows little", seen)
	}
}

// If the index cannot say that it has marks, it has none, and can have some later. The form of marks of another version is an error.
func TestAnnounced(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	full := errors.New("full")
	var kept []byte
	queue := index.NewAnalysisQueue(1)
	defer queue.Close()
	s := marks.NewStore(map[string]any{"path": path}, queue, func(b *index.Batch) error {
		kept = b.InternalOps[marks.Key]
		return full
	})
	must(t, s.Open(nil))
	count := func(s *marks.Store) (n int) {
		_, err := s.Read(func(string, []byte) error { n++; return nil })
		must(t, err)
		return n
	}
	var files []os.FileInfo
	for range 2 {
		if err := s.Write(map[string][]byte{"a": {1}}); !errors.Is(err, full) || count(s) != 0 {
			t.Errorf("got %v, and %d marks", err, count(s))
		}
		must(t, s.WriteUses([]byte{1}))
		f, err := os.Open(filepath.Join(path, marks.Folder, "root.bolt"))
		must(t, err)
		defer f.Close() // no other file gets its number
		file, err := f.Stat()
		must(t, err)
		files = append(files, file)
	}
	if !os.SameFile(files[0], files[1]) {
		t.Error("the marks' own index was made anew, while the index might say that it has marks")
	}
	full = nil
	must(t, s.Write(map[string][]byte{"a": {1}}))
	if count(s) != 1 {
		t.Errorf("got %d marks", count(s))
	}
	must(t, s.Close(), s.Close())
	if err := s.Write(map[string][]byte{"a": {1}}); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("closed: got %v", err)
	}
	if _, err := s.Read(nil); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("closed: got %v", err)
	}
	for _, value := range [][]byte{{}, {kept[0] + 1}, {kept[0], 0}} {
		s = marks.NewStore(map[string]any{"path": path}, queue, nil)
		for _, err := range []error{s.Open(map[string][]byte{marks.Key: value}), s.Write(map[string][]byte{"b": {1}})} {
			if !errors.Is(err, signature.ErrVersion) || !strings.Contains(err.Error(), "form: wanted 2, got") {
				t.Errorf("form %x: got %v", value, err)
			}
		}
		must(t, s.Close())
	}
	s = marks.NewStore(map[string]any{"path": path}, queue, nil)
	must(t, s.Open(map[string][]byte{marks.Key: kept}))
	if count(s) != 1 {
		t.Errorf("opened: got %d marks", count(s))
	}
	must(t, s.Close())
}

// typed is the index of type neardup inside x.
func typed(x bleve.Index) *indextype.Index {
	n, err := plugin.Of(x)
	if err != nil {
		panic(err)
	}
	return n
}
