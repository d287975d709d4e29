package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/spf13/cobra"

	"github.com/neardup/bleve-neardup/examples/internal/documents"
	"github.com/neardup/bleve-neardup/plugin/indextype"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// shown says what is printed of each hit beside its id: the fields that were asked for, or
// else a title, or else the first words of its text.
type shown struct {
	asked  []string
	titles []string // stored fields: the first one that a hit has is shown
}

// titleField is the stored field that documents are known by, where they have it.
const titleField = "title"

// showing returns what to print of the hits of x.
func (a *app) showing(x bleve.Index, asked []string) shown {
	if len(asked) > 0 {
		return shown{asked: asked}
	}
	s := shown{titles: []string{titleField}}
	origins, err := documents.Origins(x.Mapping(), a.field)
	if err != nil { // the text is not stored
		return s
	}
	for _, o := range origins {
		s.titles = append(s.titles, o.Fields...)
	}
	return s
}

// fields are the stored fields to load.
func (s shown) fields() []string { return slices.Concat(s.asked, s.titles) }

// given is the document that others are listed beside, and the page of the list.
type given struct {
	file   string
	source documents.Source
}

func (g *given) flags(c *cobra.Command, size, from *int, fields *[]string, maxShare *float64) {
	f := c.Flags()
	f.StringVar(&g.file, "file", "", "a file of text or HTML")
	f.IntVar(size, "size", 10, "documents on the page")
	f.IntVar(from, "from", 0, "documents before the page")
	f.StringSliceVar(fields, "fields", nil, "stored fields to print with each document, in place of a title or the first words")
	f.Float64Var(maxShare, "max-share", 0, "what a greater share of documents have is passed over; 0 for .01, 1 for nothing")
	htmlFlag(c, &g.source)
}

// read sets what query asks for: an id, or the text of the file.
func (g *given) read(stdin io.Reader, ids []string, query interface{ Validate() error }, id *string, text *[]string) (err error) {
	if n := len(ids) + one(g.file != ""); n != 1 {
		return usageError{fmt.Errorf("needs exactly one of an id and --file, got %d", n)}
	}
	if g.file == "" {
		*id = ids[0]
	} else {
		g.source.Stdin = stdin
		d, err := g.source.Whole(g.file)
		if err != nil {
			return err
		}
		*text = d.Values
	}
	if err = query.Validate(); err != nil {
		err = usageError{err}
	}
	return err
}

// nearby opens an index, and calls ask with it, after it has added to fields what is printed of each hit. The error
// names an id that the index does not have.
func (a *app) nearby(path, id string, fields *[]string, ask func(bleve.Index) error) (s shown, err error) {
	err = with(path, true, func(x bleve.Index, _ *indextype.Index) error {
		if s = a.showing(x, *fields); !a.json {
			*fields = s.fields()
		}
		err := ask(x)
		if errors.Is(err, near.ErrNotFound) {
			return fmt.Errorf("%s: wanted the id of a document, got %q, which the index does not have", path, id)
		}
		return err
	})
	return s, err
}

// shownRunes bounds what is shown of one field.
const shownRunes = 80

// title returns a line to know a hit by, "" if it has none of its fields.
func (s shown) title(fields map[string]any) string {
	for _, name := range s.titles {
		if line := short(fields[name]); line != "" {
			return line
		}
	}
	return ""
}

// lines returns the requested fields that a hit has, in their order.
func (s shown) lines(fields map[string]any) (all []string) {
	names := s.asked
	if slices.Contains(names, "*") {
		names = nil
		for name := range fields {
			names = append(names, name)
		}
		slices.Sort(names)
	}
	for _, name := range names {
		if v, ok := fields[name]; ok {
			all = append(all, plain(name)+": "+short(v))
		}
	}
	return all
}

// short is a stored value, or several, on one line.
func short(v any) string {
	var text string
	switch v := v.(type) {
	case nil:
		return ""
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = fmt.Sprint(v[i])
		}
		text = strings.Join(parts, ", ")
	default:
		text = fmt.Sprint(v)
	}
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return ""
	}
	if r := []rune(text); len(r) > shownRunes {
		text = strings.TrimRight(string(r[:shownRunes]), " ") + "…"
	}
	return plain(text)
}
