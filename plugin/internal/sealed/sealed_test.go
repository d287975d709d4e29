// Package sealed_test holds the test of bleve's file callbacks, which are the same for a whole
// process: so it is a package of its own.
package sealed_test

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/blevesearch/bleve/v2"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/indextype"
	"github.com/neardup/bleve-neardup/plugin/internal/marks"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// keyID is the name that bleve keeps with what was encrypted.
const keyID = "key 1"

// newerKey is another name of the same key.
const newerKey = "key 2"

// seal has bleve encrypt what it writes, with AES-GCM and a nonce of its own for each piece. What it
// returns sets the name that bleve keeps from then on: scorch's goroutines read bleve's hooks without
// a lock, so the hooks themselves must not change while an index is open.
func seal(t *testing.T) (rename func(id string)) {
	t.Helper()
	var id atomic.Value
	id.Store(keyID)
	block, err := aes.NewCipher(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	index.WriterHook = func([]byte) (string, func([]byte) []byte, error) {
		return id.Load().(string), func(data []byte) []byte {
			nonce := make([]byte, gcm.NonceSize())
			rand.Read(nonce)
			return gcm.Seal(nonce, nonce, data, nil)
		}, nil
	}
	index.ReaderHook = func(id string, _ []byte) (func([]byte) ([]byte, error), error) {
		switch id {
		case "": // written before there was a key
			return func(data []byte) ([]byte, error) { return data, nil }, nil
		case keyID, newerKey:
			return func(data []byte) ([]byte, error) {
				if len(data) < gcm.NonceSize() {
					return nil, errors.New("wanted a nonce")
				}
				return gcm.Open(nil, data[:gcm.NonceSize()], data[gcm.NonceSize():], nil)
			}, nil
		}
		return nil, fmt.Errorf("wanted %q, got %q", keyID, id)
	}
	t.Cleanup(func() { index.WriterHook, index.ReaderHook = nil, nil })
	return func(newer string) { id.Store(newer) }
}

// secrets are what must not be found in the files of a sealed index, and names are what
// bleve leaves in plain.
type secrets map[string][][]byte

func text(i int) string {
	var words []string
	for k := range 12 {
		words = append(words, fmt.Sprintf("%x", uint32(i*12+k+1)*2654435761))
	}
	return strings.Join(words, " ")
}

// write makes an index with everything that this library writes: signatures, simhashes, times,
// terms, tags, a policy, a mark, and what a backfill leaves.
func write(t *testing.T, path string) secrets {
	t.Helper()
	m := bleve.NewIndexMapping()
	if err := m.AddCustomAnalyzer("all", map[string]any{"type": "neardup", "terms": "bands", "seed": "0x5eed5eed5eed"}); err != nil {
		t.Fatal(err)
	}
	m.DefaultMapping.AddFieldMappingsAt("body", bleve.NewTextFieldMapping(), plugin.FieldMapping("all"))
	x, err := plugin.New(path, m)
	if err != nil {
		t.Fatal(err)
	}
	if err := plugin.SetPolicy(context.Background(), x, &admission.Policy{Near: admission.Tag}); err != nil {
		t.Fatal(err)
	}
	find := secrets{"mapping": {[]byte("0x5eed5eed5eed"), []byte("default_mapping")}}
	const n = 300
	b := x.NewBatch()
	for i := range n {
		if err := b.Index(fmt.Sprintf("document-%04d", i), map[string]any{"body": text(i / 2)}); err != nil {
			t.Fatal(err)
		}
		if b.Size() == 100 {
			if err := x.Batch(b); err != nil {
				t.Fatal(err)
			}
			b.Reset()
		}
		find["id"] = append(find["id"], fmt.Appendf(nil, "document-%04d", i))
		find["text"] = append(find["text"], []byte(text(i / 2)[:20]))
	}
	if err := typed(x).MarkDocument(context.Background(), "name of a mark", admission.Wanted, "document-0000"); err != nil {
		t.Fatal(err)
	}
	if err := x.SetInternal([]byte("neardup/backfill/x"), []byte(`{"last":"document-9999"}`)); err != nil {
		t.Fatal(err)
	}
	find["internal value"] = [][]byte{[]byte("document-9999"), []byte(`"label":"wanted"`), []byte("name of a mark")}
	for _, id := range find["id"] {
		d, err := x.Document(string(id))
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
			}
		})
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	return find
}

// contains counts the secrets of each kind in the files below a directory.
func (s secrets) contains(t *testing.T, dir string) map[string]int {
	t.Helper()
	var hay []byte
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		hay = append(hay, data...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]int{}
	for kind, some := range s {
		for _, secret := range some {
			if bytes.Contains(hay, secret) {
				all[kind]++
			}
		}
	}
	return all
}

// With bleve's file callbacks nothing of a document is on disk in plain, and nothing that this
// library keeps but the keys of internal values; everything works; and without the key nothing
// opens.
func TestSealed(t *testing.T) {
	dir := t.TempDir()
	plain, sealed := filepath.Join(dir, "plain"), filepath.Join(dir, "sealed")
	find := write(t, plain)
	open := find.contains(t, plain)
	for kind := range find {
		if open[kind] == 0 {
			t.Errorf("without callbacks, none of %d found (%s): the test shows nothing", len(find[kind]), kind)
		}
	}
	rename := seal(t)
	write(t, sealed)
	for kind, n := range find.contains(t, sealed) {
		t.Errorf("found %d of %d (%s)", n, len(find[kind]), kind)
	}
	left := secrets{"key of marks": {[]byte(marks.Key)}, "key of a mapping": {[]byte("_mapping")}}
	if got := left.contains(t, sealed); len(got) != len(left) {
		t.Errorf("bleve left %v in plain, where it left all of %q: SECURITY.md says so", got, left)
	}

	x, err := plugin.Open(sealed)
	if err != nil {
		t.Fatal(err)
	}
	r, err := collapse.Search(t.Context(), x, bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 1000, 0, false), collapse.Options{})
	if err != nil || len(r.Hits) != 150 {
		t.Errorf("%d groups, %v, want 150", len(r.Hits), err)
	}
	s, err := near.Similar(t.Context(), x, near.SimilarRequest{Query: near.SimilarQuery{ID: "document-0010"}, Size: 10})
	if err != nil || s.Total != 1 || s.Hits[0].ID != "document-0011" {
		t.Errorf("similar: got %+v, %v", s, err)
	}
	if marks, err := typed(x).Marks(); err != nil || len(marks) != 1 {
		t.Errorf("marks: got %v, %v", marks, err)
	}
	if err := x.Delete("document-0011"); err != nil {
		t.Fatal(err)
	}
	if err := typed(x).Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	for kind, n := range find.contains(t, sealed) {
		t.Errorf("after a purge: found %d of %d (%s)", n, len(find[kind]), kind)
	}
	if x, err = plugin.Open(sealed); err != nil {
		t.Fatal(err)
	}
	if n, err := x.DocCount(); n != 299 || err != nil {
		t.Errorf("%d documents, %v, want 299", n, err)
	}
	// A mark that is written with another key: bleve has to know that it is in use.
	rename(newerKey)
	if err := typed(x).MarkText(t.Context(), "name of a mark 2", admission.Wanted, text(1)); err != nil {
		t.Fatal(err)
	}
	if ids, err := x.(bleve.IndexWithCallbacks).FileWriterIDsInUse(); err != nil || len(ids) != 2 {
		t.Errorf("got the keys %v, %v", ids, err)
	}
	if !testing.Short() { // scorch looks every 5 s whether it is done
		for range 2 { // the second time nothing has it
			if err := x.(bleve.IndexWithCallbacks).DropFileWriterIDs(map[string]struct{}{keyID: {}}); err != nil {
				t.Fatal(err)
			}
		}
		if ids, err := x.(bleve.IndexWithCallbacks).FileWriterIDsInUse(); err != nil || len(ids) != 1 {
			t.Errorf("got the keys %v, %v", ids, err)
		}
		if marks, err := typed(x).Marks(); err != nil || len(marks) != 2 {
			t.Errorf("marks: got %v, %v", marks, err)
		}
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}

	index.ReaderHook = nil
	if x, err = plugin.Open(sealed); err == nil {
		x.Close()
		t.Error("it opens without the key")
	}
}

// typed is the index of type neardup inside x.
func typed(x bleve.Index) *indextype.Index {
	n, err := plugin.Of(x)
	if err != nil {
		panic(err)
	}
	return n
}
