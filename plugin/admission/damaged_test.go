package admission_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// A verdict that rests on stored values which cannot be read any more is an error that names their document, not a
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
				if !errors.Is(err, want) || (err == nil) != (verdicts != nil) || err != nil && !strings.Contains(err.Error(), `"the document 0`) {
					t.Errorf("%d copies, %s, damaged %v: got %v, %v", copies, name, when == 1, verdicts, err)
				}
			}
			zap, data := segment(t, path)
			file, err := os.OpenFile(zap, os.O_RDWR, 0)
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

// A document whose signature cannot be read can be written anew, also where its group depends on what it was.
func TestDamagedUpdate(t *testing.T) {
	t.Parallel()
	path, rnd := filepath.Join(t.TempDir(), "x"), rand.New(rand.NewPCG(2, 2))
	x := newIndex(t, path)
	setPolicy(t, x, admission.Policy{Group: true, Rule: signature.Rule{MinWords: 1000}}) // of which no text is so long
	old := page{"a", words(rnd, 1), "", time.Time{}}
	if err := x.Index("a", old.data()); err != nil {
		t.Fatal(err)
	}
	sig, err := plugin.Sign(x, "", old.body)
	if err != nil {
		t.Fatal(err)
	}
	form, err := sig.MarshalBinary()
	if err = errors.Join(err, x.Close()); err != nil {
		t.Fatal(err)
	}
	file, data := segment(t, path)
	at := bytes.Index(data, form)
	if at < 0 {
		t.Fatal("wanted the signature in the file, got none")
	}
	data[at+len(form)/2] ^= 1
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if x, err = plugin.Open(path); err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	like, err := near.Similar(t.Context(), x, near.SimilarRequest{Query: near.SimilarQuery{Text: []string{old.body}}})
	if err != nil || like.Damaged != 1 {
		t.Fatalf("this test shows little: %+v, %v", like, err)
	}
	if v := submit(t, x, page{"a", old.body + " more", "", time.Time{}}); v.Action != admission.Accept || v.Group == "" {
		t.Errorf("got %+v", v)
	}
}

// segment returns the file of the one segment of an index, and what it has.
func segment(t *testing.T, path string) (file string, data []byte) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(path, "store", "*.zap"))
	if err != nil || len(files) != 1 {
		t.Fatalf("wanted one segment, got %v, %v", files, err)
	}
	if data, err = os.ReadFile(files[0]); err != nil {
		t.Fatal(err)
	}
	return files[0], data
}
