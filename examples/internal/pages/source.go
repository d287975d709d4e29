package pages

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"path/filepath"

	"github.com/neardup/bleve-neardup/examples/docsearch/corpus"
	"github.com/neardup/bleve-neardup/examples/internal/documents"
)

// page is a document. bleve maps it by its JSON names.
type page struct {
	Project string  `json:"project"`
	Version float64 `json:"version"`
	Title   string  `json:"title"`
	Text    string  `json:"text"`
}

// read yields the documents of a file or directory; or, if data is empty, the manuals.
// progress is told of the bytes read of so many, -1 if that is not known.
func read(data string, progress func(n int)) iter.Seq2[documents.Document, error] {
	s := documents.Source{ID: "id", Text: []string{"text"}, HTML: documents.ByName, Progress: progress}
	if data == "" {
		s.Stdin, data = bytes.NewReader(corpus.Lines), "-"
	}
	return s.Read(data)
}

// size is how many bytes read will read.
func size(data string) int64 {
	if data == "" {
		return int64(len(corpus.Lines))
	}
	return documents.Size(data)
}

// origin is what an index remembers of its source.
func origin(data string) string {
	if data == "" {
		return "LLVM and Clang manuals, versions 13 to 16"
	}
	if abs, err := filepath.Abs(data); err == nil {
		return abs
	}
	return data
}

// newPage takes from a document what pages have.
func newPage(d documents.Document) (page, error) {
	p := page{Text: d.Values[0]}
	return p, cmp.Or(member(d, "title", &p.Title), member(d, "project", &p.Project), member(d, "version", &p.Version))
}

// member sets v to a member of a document's JSON object, if there is one.
func member[T any](d documents.Document, name string, v *T) error {
	switch got := d.Fields[name].(type) {
	case nil:
	case T:
		*v = got
	default:
		return fmt.Errorf("id %q: %s: wanted a %T, got %#v", d.ID, name, *v, got)
	}
	return nil
}
