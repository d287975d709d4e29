package pages

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"strings"

	"github.com/spf13/pflag"

	"github.com/neardup/bleve-neardup/examples/docsearch/corpus"
	"github.com/neardup/bleve-neardup/examples/internal/documents"
)

// page is a document. bleve maps it by its JSON names. Documents without a project have no
// value of it, not "", in which they would all be equal.
type page struct {
	Project *string `json:"project"`
	Version float64 `json:"version"`
	Title   string  `json:"title"`
	Text    string  `json:"text"`
}

// source is how the documents are read: the flags' defaults, unless o says otherwise.
func (o Options) source() documents.Source {
	if o.ID != "" && o.Data != "" {
		return o.Source
	}
	s := documents.Source{Progress: o.Progress}
	s.Flags(pflag.NewFlagSet("", pflag.ContinueOnError))
	return s
}

// read yields the documents.
func (o Options) read() iter.Seq2[documents.Document, error] {
	s := o.source()
	if o.Data != "" {
		return s.Read(o.Data)
	}
	s.Stdin = bytes.NewReader(corpus.Lines)
	return s.Read("-")
}

// size is how many bytes read will read, -1 if that is not known.
func (o Options) size() int64 {
	if o.Data == "" {
		return int64(len(corpus.Lines))
	}
	return documents.Size(o.Data)
}

// newPage takes from a document what pages have.
func newPage(d documents.Document) (page, error) {
	p := page{Text: strings.Join(d.Values, "\n\n")}
	var project string
	err := cmp.Or(member(d, "title", &p.Title), member(d, "project", &project), member(d, "version", &p.Version))
	if project != "" {
		p.Project = &project
	}
	return p, err
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
