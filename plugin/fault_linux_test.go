package plugin_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// disk mounts a file system of that many bytes in memory, or skips the test.
func disk(t *testing.T, size int) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprint("size=", size)); err != nil {
		t.Skipf("this needs a file system of its own, which cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// writeFamily writes a batch of a family of 20 documents, 10 of each text.
func writeFamily(x bleve.Index, f int) error {
	b := x.NewBatch()
	for n := range 20 {
		if err := b.Index(fmt.Sprint(f, "-", n), map[string]any{"body": secretText("copy", 50*f+n%2*25)}); err != nil {
			return err
		}
	}
	_, err := plugin.SubmitBatch(context.Background(), x, b)
	return err
}

// The disk is full: writes say so, and neither panic nor hang; searches go on; and when
// there is room again, so do writes, and everything acknowledged is there.
func TestDiskFull(t *testing.T) {
	dir := disk(t, 6<<20)
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 4<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	path := filepath.Join(dir, "x")
	x, err := plugin.New(path, m)
	if err != nil {
		t.Fatal(err)
	}
	if err := plugin.SetPolicy(context.Background(), x, &admission.Policy{Near: admission.Tag}); err != nil {
		t.Fatal(err)
	}
	written := 0
	for err == nil && written < 2000 {
		if err = writeFamily(x, written); err == nil {
			written++
		}
	}
	if err == nil || !strings.Contains(err.Error(), syscall.ENOSPC.Error()) { // bleve passes on the text alone
		t.Errorf("after %d batches: %v, want that there is no space", written, err)
	}
	for range 3 { // which succeed only if merged segments have made room meanwhile
		if writeFamily(x, written) == nil {
			written++
		}
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	for range 3000 {
		if err = writeFamily(x, written); err == nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err != nil {
		t.Fatalf("with room again: %v", err)
	}
	written++
	for range 2 {
		r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 20*written, 0, false)
		res, err := collapse.Search(t.Context(), x, r, collapse.Options{Whole: true})
		if err != nil {
			t.Fatal(err)
		}
		if res.Hidden != 18*written || len(res.Hits) != 2*written || len(res.Damaged)+int(res.Unsigned) > 0 {
			t.Errorf("%d hits, %d hidden, %d damaged; want %d, %d, none", len(res.Hits), res.Hidden, len(res.Damaged), 2*written, 18*written)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		if x, err = plugin.Open(path); err != nil {
			t.Fatal(err)
		}
	}
	x.Close()
}

// A directory that may only be read: Open says so; with bleve's read_only searches work,
// and writes are errors.
func TestReadOnly(t *testing.T) {
	dir := disk(t, 16<<20)
	path := filepath.Join(dir, "x")
	settled(t, path)
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := plugin.Open(path); !errors.Is(err, syscall.EROFS) {
		t.Errorf("open: %v, want that it is read-only", err)
	}
	x, err := bleve.OpenUsing(path, map[string]any{"read_only": true})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, ask := range []func(bleve.Index) (int, error){faultPage, faultWhole, faultClusters, faultSimilar, faultVerdicts} {
		if n, err := ask(x); n != 0 || err != nil {
			t.Errorf("%d damaged, %v", n, err)
		}
	}
	for what, write := range map[string]func() error{
		"batch":    func() error { return writeFamily(x, 0) },
		"document": func() error { return x.Index("new", map[string]any{"body": "some words"}) },
		"delete":   func() error { return x.Delete("0-0") },
		"mark": func() error {
			return must(plugin.Of(x)).MarkText(context.Background(), "m", admission.Spam, "some words that are spam")
		},
	} {
		ended := make(chan error, 1)
		go func() { ended <- write() }()
		select {
		case err := <-ended:
			if err == nil {
				t.Errorf("%s: written", what)
			}
		case <-time.After(time.Minute):
			t.Errorf("%s: hangs", what)
		}
	}
}
