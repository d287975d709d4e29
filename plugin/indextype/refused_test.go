package indextype_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2/index/scorch"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/indextype"
	"github.com/neardup/bleve-neardup/plugin/internal/engine"
)

// While the disk takes nothing, nobody is told that something was done which rests on what is in memory alone: a copy is not
// rejected, and a policy that could not be kept is not in force when it is set again. Searches go on, and the figures say why.
func TestRefused(t *testing.T) {
	t.Parallel()
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "x")
	x := open(t, path, testMapping("body"))
	defer x.Close()
	doc := map[string]any{"body": text}
	refused := func() string {
		why, _ := x.StatsMap()["index"].(map[string]any)["neardup_refused"].(string)
		return why
	}
	reject := &admission.Policy{Near: admission.Reject, Field: "sig"}
	if err := plugin.SetPolicy(ctx, x, reject); err != nil {
		t.Fatal(err)
	}
	put(t, x, "other", map[string]any{"body": "something else"})
	if why := refused(); why != "" {
		t.Errorf("figures: %s", why)
	}
	store := filepath.Join(path, "store")
	if err := os.Rename(store, store+" away"); err != nil {
		t.Skip(err) // of open files, on some systems
	}
	var all []error
	for _, id := range []string{"first", "copy"} {
		_, err := plugin.Submit(ctx, x, id, doc)
		all = append(all, err)
	}
	for range 2 {
		all = append(all, plugin.SetPolicy(ctx, x, &admission.Policy{Near: admission.Tag, Field: "sig"}))
	}
	for i, err := range append(all, x.Delete("other"), x.SetInternal([]byte("key"), []byte("value"))) {
		// bleve passes on the text alone of some
		if err == nil || i < 4 && !errors.Is(err, scorch.ErrPersist) {
			t.Errorf("%d: got error %v", i, err)
		}
	}
	_, absent := os.Open(filepath.Join(store, "any.zap"))
	if why := refused(); !strings.Contains(why, errors.Unwrap(absent).Error()) {
		t.Errorf("figures: %q", why)
	}
	if n, err := x.DocCount(); n != 2 || err != nil {
		t.Errorf("%d documents, %v, want 2", n, err)
	}
	in, err := x.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	if p := in.(*indextype.Index).Policy(); p.Near != admission.Reject {
		t.Errorf("got policy %v", p)
	}
	if err := os.Rename(store+" away", store); err != nil {
		t.Fatal(err)
	}
	for refused() != "" {
		time.Sleep(time.Millisecond)
	}
	v, err := plugin.Submit(ctx, x, "copy", doc)
	if err != nil || v.Of != "first" || v.Action != admission.Reject {
		t.Errorf("with room again: got %v, %v", v, err)
	}
}

// The id of which Purge deletes the document cannot be given to another.
func TestPurgeID(t *testing.T) {
	t.Parallel()
	x := open(t, filepath.Join(t.TempDir(), "x"), testMapping("body"))
	defer x.Close()
	for _, id := range []string{"\xff", engine.PurgeID + "/", "\xff\x00"} {
		put(t, x, id, map[string]any{"body": text})
	}
	for _, err := range []error{x.Index(engine.PurgeID, map[string]any{"body": text}), x.Index(engine.PurgeID, map[string]any{}), x.Delete(engine.PurgeID)} {
		if err == nil || !strings.Contains(err.Error(), "wanted another id") {
			t.Errorf("got error %v", err)
		}
	}
	if err := typed(x).Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, err := x.DocCount(); n != 3 || err != nil {
		t.Errorf("%d documents, %v, want 3", n, err)
	}
}
