package admission_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// A verdict that rests on stored values which cannot be read any more is an error, not a
// document that is accepted. The file is damaged after the signatures were read.
func TestDamagedWhileOpen(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	text := words(rand.New(rand.NewPCG(1, 1)), 1)
	for _, copies := range []int{1, 70} { // a verdict looks at 64, or goes on to find a flood
		path := filepath.Join(t.TempDir(), "x")
		x := newIndex(t, path)
		flood := admission.Policy{Time: "sent", Floods: []admission.Flood{{Copies: 200, Window: time.Hour}}}
		setPolicy(t, x, flood)
		b := x.NewBatch()
		name := func(i int) string { return fmt.Sprintf("the document %03d", i) }
		for i := range copies {
			if err := b.Index(name(i), page{name(i), text, "", at}.data()); err != nil {
				t.Fatal(err)
			}
		}
		if err := x.Batch(b); err != nil {
			t.Fatal(err)
		}
		x = reopen(t, x, path, nil)
		send := x.NewBatch()
		if err := send.Index("new", page{"new", text, "", at}.data()); err != nil {
			t.Fatal(err)
		}
		for when, want := range []error{nil, signature.ErrMalformed} {
			for name, p := range map[string]admission.Policy{
				"flood":  flood,
				"tag":    {Near: admission.Tag, Time: "sent"},
				"newest": {Near: admission.Replace, Time: "sent"},
				"both":   {Near: admission.Tag, Time: "sent", Floods: []admission.Flood{{Copies: 2, Window: time.Hour}}},
			} {
				setPolicy(t, x, p)
				verdicts, err := plugin.DryRun(context.Background(), x, send)
				if !errors.Is(err, want) || (err == nil) != (verdicts != nil) {
					t.Errorf("%d copies, %s, damaged %v: got %v, %v", copies, name, when == 1, verdicts, err)
				}
			}
			files, err := filepath.Glob(filepath.Join(path, "store", "*.zap"))
			if err != nil || len(files) != 1 {
				t.Fatalf("wanted one segment, got %v, %v", files, err)
			}
			file, err := os.OpenFile(files[0], os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			for i := range copies { // other stored values come, compressed, after the id
				from := bytes.Index(data, []byte(name(i))) + len(name(i))
				if _, err := file.WriteAt(bytes.Repeat([]byte{0xff}, 16), int64(from)); err != nil {
					t.Fatal(err)
				}
			}
			if err := file.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
