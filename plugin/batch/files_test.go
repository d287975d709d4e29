package batch_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"

	"github.com/neardup/bleve-neardup/plugin/batch"
)

// A compressed file is read to its end, however well it is compressed.
func TestGzip(t *testing.T) {
	dir := t.TempDir()
	var want []batch.Document
	for _, name := range []string{"a", "b"} {
		f, err := os.Create(filepath.Join(dir, name+".jsonl.gz"))
		if err != nil {
			t.Fatal(err)
		}
		z := gzip.NewWriter(f)
		for i := range 500 {
			d := batch.Document{ID: fmt.Sprint(name, i), Text: strings.Repeat("na ", 100)}
			fmt.Fprintf(z, "{\"name\": %q, \"body\": %q}\n\n", d.ID, d.Text)
			want = append(want, d)
		}
		if err := errors.Join(z.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	p, s := beam.NewPipelineWithRoot()
	passert.EqualsList(s, batch.ReadJSON(s, dir+"/*.gz", "name", "body"), want)
	if _, err := beam.Run(context.Background(), "direct", p); err != nil {
		t.Error(err)
	}
}

// All lines are written, to one file if no number of files is asked for.
func TestWriteLines(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "lines")
	p, s := beam.NewPipelineWithRoot()
	batch.WriteLines(s, prefix, 0, beam.CreateList(s, []string{"a", "b"}))
	if _, err := beam.Run(context.Background(), "direct", p); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(prefix + "-00000-of-00001"); err != nil || string(text) != "a\nb\n" && string(text) != "b\na\n" {
		t.Errorf("got %q, error %v", text, err)
	}
}
