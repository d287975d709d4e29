package plugin_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/index/scorch/mergeplan"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

// An index that is open is an error in time, also one of another type, and no longer one
// once it is closed.
func TestOpenLocked(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(path string) (bleve.Index, error){
		"neardup": func(path string) (bleve.Index, error) { return plugin.New(path, bodies()) },
		"plain":   func(path string) (bleve.Index, error) { return bleve.New(path, bleve.NewIndexMapping()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "x")
			x, err := make(path)
			if err != nil {
				t.Fatal(err)
			}
			for what, open := range map[string]func() (bleve.Index, error){
				"Open":      func() (bleve.Index, error) { return plugin.Open(path) },
				"OpenOrNew": func() (bleve.Index, error) { return plugin.OpenOrNew(path, bodies()) },
			} {
				failed := err
				inTime(t, time.Minute, func() { _, failed = open() })
				if failed == nil || !strings.Contains(failed.Error(), "wanted an index that nobody has open, got one that another process or this one holds") {
					t.Errorf("%s: got error %v", what, failed)
				}
			}
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			x, err = plugin.Open(path)
			if (err == nil) != (name == "neardup") {
				t.Errorf("closed: got error %v", err)
			}
			if err == nil {
				x.Close()
			}
		})
	}
}

// inTime fails the test if f takes longer.
func inTime(t *testing.T, most time.Duration, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(most):
		t.Fatalf("not done after %v", most)
	}
}

// bodies is a mapping that fingerprints the body.
func bodies() *mapping.IndexMappingImpl {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	return m
}

func TestOpenOrNew(t *testing.T) {
	t.Parallel()
	empty, path := t.TempDir(), filepath.Join(t.TempDir(), "x")
	for _, path := range []string{path, empty} {
		for n := range uint64(3) { // made, opened, opened
			x, err := plugin.OpenOrNew(path, bodies())
			if err != nil {
				t.Fatal(err)
			}
			if got, err := x.DocCount(); got != n || err != nil || must(plugin.Of(x)) == nil {
				t.Errorf("got %d documents, error %v, want %d", got, err, n)
			}
			if err := x.Index(fmt.Sprint(n), map[string]any{"body": "text"}); err != nil {
				t.Error(err)
			}
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	memory, err := plugin.OpenOrNew("", bodies())
	if err != nil {
		t.Fatal(err)
	}
	memory.Close()

	// What is there is not covered up.
	other := bleve.NewIndexMapping()
	if err := other.AddCustomAnalyzer("wide", map[string]any{"type": "neardup", "width": 5}); err != nil {
		t.Fatal(err)
	}
	other.DefaultMapping.AddFieldMappingsAt("body", plugin.FieldMapping("wide"))
	if _, err := plugin.OpenOrNew(path, other); err == nil || !strings.Contains(err.Error(), `field "neardup": wanted the analyzer's configuration that the index was made with, got another`) {
		t.Errorf("another width: got error %v", err)
	}
	if _, err := plugin.OpenOrNew(path, bleve.NewIndexMapping()); err == nil {
		t.Error("a mapping without signature is no error")
	}
	files := t.TempDir()
	if err := os.WriteFile(filepath.Join(files, "note"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := plugin.OpenOrNew(files, bodies()); err != bleve.ErrorIndexMetaMissing {
		t.Errorf("a directory of other files: got error %v", err)
	}
	plain, err := bleve.New(filepath.Join(files, "plain"), bleve.NewIndexMapping())
	if err != nil {
		t.Fatal(err)
	}
	plain.Close()
	if _, err := plugin.OpenOrNew(filepath.Join(files, "plain"), bodies()); err == nil || !strings.Contains(err.Error(), "without signatures: package plugin/backfill makes one of it") {
		t.Errorf("a plain index: got error %v", err)
	}
	if _, err := plugin.Open(filepath.Join(files, "plain")); err == nil || !strings.Contains(err.Error(), `wanted an index of type "neardup", got a *scorch.Scorch`) {
		t.Errorf("a plain index that is opened: got error %v", err)
	}
	if _, err := plugin.Open(filepath.Join(files, "none")); err != bleve.ErrorIndexPathDoesNotExist {
		t.Errorf("no index: got error %v", err)
	}
	if _, err := plugin.New(path, bodies()); err == nil {
		t.Error("a new index where there is one: no error")
	}
	if _, err := plugin.New(filepath.Join(files, "refused"), bleve.NewIndexMapping()); err == nil {
		t.Error("a new index without signatures: no error")
	} else if _, err := os.Stat(filepath.Join(files, "refused")); !os.IsNotExist(err) {
		t.Errorf("the refused index is there: %v", err)
	}
	x, err := plugin.Open(path) // all of them closed it again
	if err != nil {
		t.Fatal(err)
	}
	x.Close()
}

// wrapped is a mapping that an index would lose.
type wrapped struct{ mapping.IndexMapping }

// New takes what bleve.New takes, and says what is wrong with it.
func TestNewMappings(t *testing.T) {
	t.Parallel()
	disabled := bodies()
	disabled.DefaultMapping.Enabled = false
	below := bodies()
	draft := bleve.NewDocumentDisabledMapping()
	plugin.AddSignature(draft, "text")
	below.DefaultMapping.AddSubDocumentMapping("draft", draft)
	static := bleve.NewIndexMapping()
	static.DefaultAnalyzer = "neardup"
	static.DefaultMapping = bleve.NewDocumentStaticMapping()
	twice := bodies() // it can be reached by other documents
	page := bleve.NewDocumentDisabledMapping()
	plugin.AddSignature(page, "text")
	twice.AddDocumentMapping("page", page)
	analyzer, own, sub := bleve.NewIndexMapping(), bleve.NewIndexMapping(), bleve.NewIndexMapping()
	analyzer.DefaultAnalyzer = "neardup"
	if err := own.AddCustomAnalyzer("pages", map[string]any{"type": "neardup", "width": 5}); err != nil {
		t.Fatal(err)
	}
	own.DefaultMapping.AddFieldMappingsAt("body", plugin.FieldMapping("pages"))
	part := bleve.NewDocumentMapping()
	plugin.AddSignature(part, "body")
	sub.DefaultMapping.AddSubDocumentMapping("page", part)
	onlyType := bleve.NewIndexMapping()
	page = bleve.NewDocumentMapping()
	plugin.AddSignature(page, "text")
	onlyType.AddDocumentMapping("page", page)
	for name, tt := range map[string]struct {
		m    mapping.IndexMapping
		want string // part of the error; none if empty
	}{
		"interface": {m: bodies()},
		"nil":       {nil, "wanted a *mapping.IndexMappingImpl, which is all that bleve keeps with an index, got nil"},
		"typed nil": {(*mapping.IndexMappingImpl)(nil), "got nil"},
		"zero":      {new(mapping.IndexMappingImpl), "wanted a default mapping"},
		"wrapped":   {wrapped{bodies()}, "got a plugin_test.wrapped"},
		"disabled":  {disabled, `field "neardup": wanted a fingerprinted field that documents can have, got one below a document mapping that is not enabled`},
		"below":     {below, `field "draft.neardup": wanted a fingerprinted field that documents can have, got one below the property "draft" that is not enabled`},
		"static":    {static, "wanted a text field whose analyzer is of type"},
		"twice":     {m: twice},
		"type":      {m: onlyType},
		"analyzer":  {m: analyzer},
		"own":       {m: own},
		"property":  {m: sub},
	} {
		x, err := plugin.New("", tt.m)
		switch {
		case tt.want == "" && err != nil, tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: got error %v, want %q", name, err, tt.want)
		case err == nil:
			x.Close()
		}
	}
}

func TestIs(t *testing.T) {
	t.Parallel()
	x := opened(t, "", bodies())
	plain, err := bleve.New("", bodies())
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	closed, err := plugin.New("", bodies())
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		x    bleve.Index
		want bool
	}{
		"neardup": {x, true}, "closed": {closed, false}, "alias": {bleve.NewIndexAlias(x), true}, "plain": {plain, false}, "none": {nil, false},
		"several": {bleve.NewIndexAlias(x, x), false}, "empty": {bleve.NewIndexAlias(), false},
	} {
		if _, err := plugin.Of(tt.x); err == nil != tt.want {
			t.Errorf("%s: got error %v", name, err)
		}
	}
}

// ForceMerge leaves one segment, is reached by an interface too, and is an error where
// there is nobody to merge.
func TestForceMerge(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x")
	x, err := plugin.New(path, bodies())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		if err := x.Index(fmt.Sprint(i), map[string]any{"body": "some text"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := must(plugin.Of(x)).ForceMerge(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	inner, err := x.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	r, err := inner.Reader()
	if err != nil {
		t.Fatal(err)
	}
	if got := len(r.(*scorch.IndexSnapshot).Segments()); got != 1 {
		t.Errorf("got %d segments", got)
	}
	r.Close()
	merges, ok := inner.(interface {
		ForceMerge(context.Context, *mergeplan.MergePlanOptions) error
	})
	if !ok {
		t.Fatalf("%T has no ForceMerge", inner)
	}
	if err := merges.ForceMerge(context.Background(), nil); err != nil {
		t.Error(err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if err := must(plugin.Of(x)).ForceMerge(cancelled, nil); err != context.Canceled {
		t.Errorf("cancelled: got error %v", err)
	}
	x.Close()
	if x, err = bleve.OpenUsing(path, map[string]any{"read_only": true}); err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	memory := opened(t, "", bodies())
	plain, err := bleve.New("", bodies())
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	for _, tt := range []struct {
		x    bleve.Index
		want string
	}{{x, "open for writing"}, {memory, "wanted an index on disk to merge, got one in memory"}, {plain, `wanted an index of type "neardup"`}, {nil, "wanted an index, got nil"}} {
		var err error
		inTime(t, time.Minute, func() {
			var n *indextype.Index
			if n, err = plugin.Of(tt.x); err == nil {
				err = n.ForceMerge(context.Background(), nil)
			}
		})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got error %v, want %q", err, tt.want)
		}
	}
}

// One line makes what bleve.New makes an index of type neardup.
func ExampleNew_default() {
	before := bleve.Config.DefaultIndexType
	defer func() { bleve.Config.DefaultIndexType = before }()
	bleve.Config.DefaultIndexType = indextype.Name

	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	index, err := bleve.New("", m) // deep in code of others
	if err != nil {
		fmt.Println(err)
		return
	}
	defer index.Close()
	_, err = plugin.Of(index)
	fmt.Println(err == nil)
	if err := index.Index("a", map[string]any{"body": "A fox is a small animal of the dog family."}); err != nil {
		fmt.Println(err)
	}
	fmt.Println(index.StatsMap()["index"].(map[string]any)["neardup_signed"])
	verdict, err := plugin.Submit(context.Background(), index, "b", map[string]any{"body": "a fox"})
	fmt.Println(verdict.Action == admission.Accept, err)
	// Output:
	// true
	// 1
	// true <nil>
}

// opened makes an index that is closed when the test ends.
func opened(t testing.TB, path string, m mapping.IndexMapping) bleve.Index {
	t.Helper()
	x, err := plugin.New(path, m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}
