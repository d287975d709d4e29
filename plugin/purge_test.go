package plugin_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/index/scorch/mergeplan"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/indextype"
	"github.com/neardup/bleve-neardup/plugin/internal/engine"
	"github.com/neardup/bleve-neardup/plugin/internal/marks"
)

// needles are byte strings that must not be found in files, by what they are.
type needles map[string][][]byte

// randomText is text whose words occur nowhere else, too random for snappy to shorten.
func randomText(rnd *rand.Rand) string {
	var words []string
	for range 12 {
		words = append(words, fmt.Sprintf("%010x", rnd.Uint64()&(1<<40-1)))
	}
	return strings.Join(words, " ")
}

// erasable makes an index on disk with documents to keep and documents to delete, each tenth
// of which is a tagged copy of the one before it and each fourth of which was marked and
// unmarked; and tells what is in the files of those to delete. Some were replaced before.
// All of it is in files. config is scorch's.
func erasable(t *testing.T, path string, gone, kept int, config map[string]any) (x bleve.Index, ids []string, find needles, keep map[string]string) {
	t.Helper()
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	x, err := bleve.NewUsing(path, m, indextype.Name, scorch.Name, config)
	if err != nil {
		t.Fatal(err)
	}
	if err := plugin.SetPolicy(context.Background(), x, &admission.Policy{Near: admission.Tag}); err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(11, 12))
	find, keep = needles{}, map[string]string{}
	text := ""
	b := x.NewBatch()
	add := func(id, text string) {
		if err := b.Index(id, map[string]any{"body": text}); err != nil {
			t.Fatal(err)
		}
		if b.Size() == 100 {
			if err := x.Batch(b); err != nil {
				t.Fatal(err)
			}
			b.Reset()
		}
	}
	for i := range gone {
		id := fmt.Sprintf("gone-%05d-%016x", i, rnd.Uint64())
		if i%10 != 1 {
			text = randomText(rnd)
		}
		if i%20 == 0 { // a version before it, of which nothing may stay either
			before := randomText(rnd)
			add(id, before)
			find["text"] = append(find["text"], []byte(before[len(before)-20:]))
			if err := x.Batch(b); err != nil {
				t.Fatal(err)
			}
			b.Reset()
		}
		add(id, text)
		ids = append(ids, id)
		find["text"] = append(find["text"], []byte(text[len(text)-20:]))
		find["id"] = append(find["id"], []byte(id[5:])) // which also tags name
		// One to keep now and then: scorch drops a segment that has none.
		if len(keep) < (i+1)*kept/gone {
			id := fmt.Sprintf("kept-%05d", len(keep))
			keep[id] = randomText(rnd)
			add(id, keep[id])
		}
	}
	if err := x.Batch(b); err != nil {
		t.Fatal(err)
	}
	tags, marks, unmarks := 0, []admission.Mark(nil), []string(nil)
	for i, id := range ids {
		d, err := x.Document(id)
		if err != nil {
			t.Fatal(err)
		}
		d.VisitFields(func(f index.Field) {
			switch f.Name() {
			case signature.Field(plugin.Field).Sketch():
				raw, err := base64.RawStdEncoding.DecodeString(string(f.Value()))
				if err != nil {
					t.Fatal(err)
				}
				find["signature"] = append(find["signature"], slices.Clone(f.Value()), raw)
			case signature.Field(plugin.Field).Simhash():
				find["simhash"] = append(find["simhash"], slices.Clone(f.Value()))
			case admission.TagField:
				tags++
			}
		})
		if i%4 == 0 {
			m := admission.Mark{Name: fmt.Sprintf("mark-%016x", rnd.Uint64()), Label: admission.Wanted, Signature: new(signature.Signature)}
			if err := m.Signature.UnmarshalText(find["signature"][2*i]); err != nil {
				t.Fatal(err)
			}
			marks, unmarks = append(marks, m), append(unmarks, m.Name)
			find["mark"] = append(find["mark"], []byte(m.Name))
			if i%40 == 0 { // one to keep: scorch drops a segment that has none
				other := signature.Of(signature.DefaultParams(), []byte(randomText(rnd)))
				m.Name, m.Signature = fmt.Sprintf("kept-mark-%d", i), &other
				marks = append(marks, m)
			}
		}
	}
	inner := must(plugin.Of(x))
	if err := errors.Join(inner.SetMark(t.Context(), marks...), inner.Unmark(t.Context(), unmarks...)); err != nil {
		t.Fatal(err)
	}
	if tags != gone/10 || len(keep) != kept {
		t.Fatalf("%d documents are tagged, want %d", tags, gone/10)
	}
	// What is deleted in memory never comes to a file.
	keptSnapshot(t, x).Close()
	return x, ids, find, keep
}

func deleteAll(t *testing.T, x bleve.Index, ids []string) {
	t.Helper()
	b := x.NewBatch()
	for _, id := range ids {
		b.Delete(id)
	}
	if err := x.Batch(b); err != nil {
		t.Fatal(err)
	}
}

// found counts the needles of each kind in the files below dir, and in a text if there is one.
func (n needles) found(t *testing.T, dir, text string) map[string]int {
	t.Helper()
	hay := []byte(text)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) { // scorch has removed it since
			return nil
		}
		hay = append(hay, data...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	// One pass, by the first bytes of needles: there are thousands of them.
	type at struct {
		kind string
		i    int
	}
	const first = 8
	begin := map[[first]byte][]at{}
	for kind, some := range n {
		for i, needle := range some {
			b := [first]byte(needle)
			begin[b] = append(begin[b], at{kind, i})
		}
	}
	seen := map[at]bool{}
	for i := range max(0, len(hay)-first) {
		for _, a := range begin[[first]byte(hay[i:])] {
			if !seen[a] && bytes.HasPrefix(hay[i:], n[a.kind][a.i]) {
				seen[a] = true
			}
		}
	}
	all := map[string]int{}
	for a := range seen {
		all[a.kind]++
	}
	return all
}

// decodedMarks is decoded of the marks of a closed index.
func decodedMarks(t *testing.T, path string) string {
	t.Helper()
	inner, err := scorch.NewScorch(scorch.Name, map[string]any{"path": filepath.Join(path, "store", marks.Folder), "read_only": true}, nil)
	if err == nil {
		err = inner.Open()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer inner.Close()
	r, err := inner.Reader()
	if err != nil {
		t.Fatal(err)
	}
	text := decodedSnapshot(t, r.(*scorch.IndexSnapshot))
	if !strings.Contains(text, "kept-mark-0") {
		t.Fatal("no marks are decoded")
	}
	return text
}

// decoded is all that the segments of the newest snapshot have, deleted documents included:
// stored values, which are compressed on disk, and terms, of which a dictionary shares
// prefixes and suffixes. A search of bytes would find neither.
func decoded(t *testing.T, x bleve.Index) string {
	t.Helper()
	return decodedSnapshot(t, snapshotOf(t, x))
}

func decodedSnapshot(t *testing.T, snapshot *scorch.IndexSnapshot) string {
	t.Helper()
	defer snapshot.Close()
	var all strings.Builder
	for _, s := range snapshot.Segments() {
		for i := range uint64(s.FullSize()) {
			err := s.Segment().VisitStoredFields(i, func(field string, _ byte, value []byte, _ []uint64) bool {
				fmt.Fprintf(&all, "%s %s\n", field, value)
				return true
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, f := range s.Fields() {
			dict, err := s.Segment().Dictionary(f)
			if err != nil {
				t.Fatal(err)
			}
			terms := dict.AutomatonIterator(nil, nil, nil)
			for e, err := terms.Next(); e != nil; e, err = terms.Next() {
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&all, "%s term %s\n", f, e.Term)
			}
		}
	}
	return all.String()
}

func snapshotOf(t *testing.T, x bleve.Index) *scorch.IndexSnapshot {
	t.Helper()
	inner, err := x.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	r, err := inner.Reader()
	if err != nil {
		t.Fatal(err)
	}
	return r.(*scorch.IndexSnapshot)
}

// keptSnapshot returns a snapshot that scorch has on disk: of another one it removes the files, though they are in use.
func keptSnapshot(t *testing.T, x bleve.Index) *scorch.IndexSnapshot {
	t.Helper()
	epoch := func(name string) uint64 { return x.StatsMap()["index"].(map[string]any)[name].(uint64) }
	for ; ; time.Sleep(time.Millisecond) {
		at, s := epoch("CurRootEpoch"), snapshotOf(t, x)
		if epoch("LastPersistedEpoch") == at && epoch("CurRootEpoch") == at {
			return s
		}
		s.Close()
	}
}

// keeps checks that an index has these documents and no others.
func keeps(t *testing.T, x bleve.Index, keep map[string]string) {
	t.Helper()
	r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), len(keep)+10, 0, false)
	r.Fields = []string{"body"}
	result, err := x.Search(r)
	if err != nil {
		t.Fatal(err)
	}
	if int(result.Total) != len(keep) {
		t.Errorf("%d documents, want %d", result.Total, len(keep))
	}
	for _, hit := range result.Hits {
		if text := keep[hit.ID]; hit.Fields["body"] != text {
			t.Errorf("%s: got %q, want %q", hit.ID, hit.Fields["body"], text)
		}
	}
}

func TestPurge(t *testing.T) {
	t.Parallel()
	gone, kept := 1000, 300
	if testing.Short() {
		gone, kept = 200, 60
	}
	for _, alone := range []bool{false, true} {
		t.Run(map[bool]string{false: "several segments", true: "one segment"}[alone], func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			dir := t.TempDir()
			path := filepath.Join(dir, "x")
			// Scorch merges nothing unless it is told to: it would drop what the purge is to drop.
			never := map[string]any{"MaxSegmentsPerTier": 1 << 20, "FloorSegmentSize": 1, "SegmentsPerMergeTask": 10, "MaxSegmentSize": 1 << 20, "TierGrowth": 1}
			x, ids, find, keep := erasable(t, path, gone, kept, map[string]any{"scorchMergePlanOptions": never})
			inner, err := x.Advanced()
			if err != nil {
				t.Fatal(err)
			}
			if alone {
				if err := inner.(interface{ Purge(context.Context) error }).Purge(ctx); err != nil {
					t.Fatal(err)
				}
				mergeToOne(t, x)
			}
			deleteAll(t, x, ids)
			last := []admission.Mark{{Name: "the last mark before the purge"}, {Name: "kept-mark-last"}}
			for i := range last {
				s, err := plugin.Sign(x, plugin.Field, last[i].Name)
				if err != nil {
					t.Fatal(err)
				}
				last[i].Label, last[i].Signature = admission.Spam, s
			}
			if err := errors.Join(must(plugin.Of(x)).SetMark(ctx, last...), must(plugin.Of(x)).Unmark(ctx, last[0].Name)); err != nil {
				t.Fatal(err)
			}
			find["mark"] = append(find["mark"], []byte(last[0].Name))
			value := []byte("a value that the application had")
			find["value"] = append(find["value"], value)
			if err := errors.Join(x.SetInternal([]byte("own"), value), x.DeleteInternal([]byte("own"))); err != nil {
				t.Fatal(err)
			}
			found := find.found(t, path, decoded(t, x))
			for kind := range find {
				n, least := found[kind], len(find[kind])*4/5 // of what was replaced, some never came to a file
				switch kind {
				case "signature":
					least = len(find[kind]) * 2 / 5 // in base64, but not raw as well
				case "mark":
					least = 1 // one segment is made by a purge
				}
				if n < least {
					t.Errorf("before the purge, %d of %d found (%s), want %d at least: the test shows nothing", n, len(find[kind]), kind, least)
				}
			}
			// Nobody sees more than there is while it works.
			stop, seen := make(chan struct{}), sync.WaitGroup{}
			seen.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					if n, err := x.DocCount(); err != nil || int(n) != len(keep) {
						t.Errorf("during the purge: %d documents, %v, want %d", n, err, len(keep))
						return
					}
				}
			})
			if err := must(plugin.Of(x)).Purge(ctx); err != nil {
				t.Fatal(err)
			}
			close(stop)
			seen.Wait()
			keeps(t, x, keep)
			text := decoded(t, x)
			clean := func(where, dir, text string) {
				t.Helper()
				for kind, n := range find.found(t, dir, text) {
					t.Errorf("%s: found %d of %d (%s)", where, n, len(find[kind]), kind)
				}
			}
			clean("segments", "/dev/null", text)
			copied := filepath.Join(dir, "copy")
			if err := x.(bleve.IndexCopyable).CopyTo(bleve.FileSystemDirectory(copied)); err != nil {
				t.Fatal(err)
			}
			clean("a copy", copied, "")
			// How many pages of older values bolt has used again is a matter of luck. It has not used those of the newest one.
			if err := errors.Join(x.SetInternal([]byte("own"), value), x.DeleteInternal([]byte("own"))); err != nil {
				t.Fatal(err)
			}
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			if free := find.found(t, path, decodedMarks(t, path)); len(free) != 1 || free["value"] != 1 {
				t.Errorf("closed, with free pages: found %v, want the value alone", free)
			}
			clean("a copy's marks", "/dev/null", decodedMarks(t, copied))
			for _, path := range []string{path, copied} {
				y, err := plugin.Open(path)
				if err != nil {
					t.Fatal(err)
				}
				keeps(t, y, keep)
				if err := errors.Join(y.Index("kept-new", map[string]any{"body": "new"}), y.Delete("kept-new")); err != nil {
					t.Error(err)
				}
				clean(path, "/dev/null", decoded(t, y))
				if err := y.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// Others write and delete while purges run: what was deleted before each is gone after it. Where scorch takes its time
// to write, a segment in memory is nothing to merge the only file with.
func TestPurgeAmongWriters(t *testing.T) {
	t.Parallel()
	lazy := map[string]any{"scorchPersisterOptions": map[string]any{"PersisterNapTimeMSec": 50, "PersisterNapUnderNumFiles": 1000}}
	for name, tt := range map[string]struct {
		config               map[string]any
		writers, ids, rounds int
	}{"many": {nil, 2, 20, 4}, "one file": {lazy, 1, 1, 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "x")
			x, ids, find, _ := erasable(t, path, 100, 30, tt.config)
			defer x.Close()
			if tt.config != nil {
				mergeToOne(t, x)
			}
			stop, writers := make(chan struct{}), sync.WaitGroup{}
			for w := range tt.writers {
				writers.Go(func() {
					rnd := rand.New(rand.NewPCG(13, uint64(w)))
					for i := 0; ; i++ {
						select {
						case <-stop:
							return
						default:
						}
						id := fmt.Sprintf("busy-%d-%d", w, rnd.IntN(tt.ids))
						err := x.Index(id, map[string]any{"body": randomText(rnd)})
						if i%3 == 0 && tt.ids > 1 {
							err = x.Delete(id)
						}
						if err != nil {
							t.Error(err)
							return
						}
					}
				})
			}
			for some := range slices.Chunk(ids, len(ids)/tt.rounds) {
				deleteAll(t, x, some)
				if err := must(plugin.Of(x)).Purge(t.Context()); err != nil {
					t.Fatal(err)
				}
				gone := needles{"id": find["id"][:len(some)]}
				find["id"] = find["id"][len(some):]
				if left := gone.found(t, path, decoded(t, x)); len(left) > 0 {
					t.Errorf("%v of %d ids are there after the purge", left, len(some))
				}
			}
			close(stop)
			writers.Wait()
		})
	}
}

func TestPurgeErrors(t *testing.T) {
	t.Parallel()
	memory := opened(t, "", bodies())
	if err := must(plugin.Of(memory)).Purge(t.Context()); err == nil || !strings.Contains(err.Error(), "wanted an index on disk, got one in memory") {
		t.Errorf("in memory: got %v", err)
	}
	dir := t.TempDir()
	plain, err := bleve.New(filepath.Join(dir, "plain"), bleve.NewIndexMapping())
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	if _, err := plugin.Of(plain); err == nil || !strings.Contains(err.Error(), `wanted an index of type "neardup"`) {
		t.Errorf("plain: got %v", err)
	}

	path := filepath.Join(dir, "x")
	x, ids, find, keep := erasable(t, path, 100, 30, nil)
	reader := keptSnapshot(t, x) // before the deletions: scorch could rewrite all segments right after them
	b := x.NewBatch()            // with a document that stays, for one segment
	if err := errors.Join(b.Index("gone", map[string]any{"of one document": "x"}), b.Index("kept-00000", map[string]any{"body": keep["kept-00000"]}), x.Batch(b)); err != nil {
		t.Fatal(err)
	}
	deleteAll(t, x, append(ids, "gone"))
	short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	var none context.Context
	if err := must(plugin.Of(x)).Purge(none); err == nil || !strings.Contains(err.Error(), "wanted a context, got nil") {
		t.Errorf("without a context: got %v", err)
	}
	if err := must(plugin.Of(x)).Purge(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with a search that goes on: got %v", err)
	}
	reader.Close()
	if err := must(plugin.Of(x)).Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if fields, err := x.Fields(); err != nil || !slices.Contains(fields, "of one document") {
		t.Errorf("fields: got %q, %v; SECURITY.md says that bleve keeps their names", fields, err)
	}
	keeps(t, x, keep)
	if left := find.found(t, "/dev/null", decoded(t, x)); len(left) > 0 {
		t.Errorf("found %v", left)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	for want, config := range map[string]map[string]any{
		"read_only":            {"read_only": true},
		"keeps one snapshot (": {"numSnapshotsToKeep": 3},
	} {
		x, err := bleve.OpenUsing(path, config)
		if err != nil {
			t.Fatal(err)
		}
		if err := must(plugin.Of(x)).Purge(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v", config, err)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A process that was killed in the middle of a purge leaves nothing that a search sees.
func TestPurgeKilled(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x")
	x, _, _, _ := erasable(t, path, 10, 5, nil)
	inner, err := x.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	b := index.NewBatch()
	b.Update(document.NewDocument(engine.PurgeID))
	if err := errors.Join(inner.(*indextype.Index).Engine.Batch(b), x.Close()); err != nil {
		t.Fatal(err)
	}
	x, err = plugin.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if n, err := x.DocCount(); n != 15 || err != nil {
		t.Errorf("%d documents, %v, want 15", n, err)
	}
}

// mergeToOne leaves one segment.
func mergeToOne(t *testing.T, x bleve.Index) {
	t.Helper()
	inner, err := x.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n != 1; { // scorch merges by tens
		if err := forceMerge(t.Context(), inner); err != nil {
			t.Fatal(err)
		}
		s := snapshotOf(t, x)
		n = len(s.Segments())
		s.Close()
	}
}

func forceMerge(ctx context.Context, inner index.Index) error {
	return inner.(interface {
		ForceMerge(ctx context.Context, o *mergeplan.MergePlanOptions) error
	}).ForceMerge(ctx, nil)
}
