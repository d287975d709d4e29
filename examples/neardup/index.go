package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/spf13/cobra"

	"github.com/neardup/bleve-neardup/examples/internal/documents"
	"github.com/neardup/bleve-neardup/plugin"
)

// indexing is what the command line of index says.
type indexing struct {
	signing
	documents.Source
	analyzer string
	batch    int
}

func (a *app) indexCommand() *cobra.Command {
	var o indexing
	c := &cobra.Command{
		Use:   "index INDEX [FILE|DIRECTORY|-]...",
		Short: "Write documents into an index, which is made if need be",
		Long: `Index writes documents into an index, with signatures. If there is no index, it is made
and keeps the flags of signatures and of --text. An existing index must have the same flags.

Documents are JSON lines (files named .jsonl, .ndjson, .json or .gz, or standard input, "-",
the default): objects with an id and a text, whose other members are indexed as bleve does by
default. CSV (.csv, .csv.gz) is the same, a document a record; its first record names the
members. An id that is not UTF-8 is {"base64": "..."}, here and in all output. Directories are
searched for .txt, .md, .rst, .html and .htm files; these, and any other file, are a document
each, whose id is the path. A document replaces an earlier one with its id.

After an interrupt the batches written so far are in the index. Run the same command again
to go on.`,
		Example: "  neardup index notes.bleve ~/notes.jsonl\n  neardup index --html all --text body pages.bleve crawl.jsonl.gz\n  zstdcat big.jsonl.zst | neardup index big.bleve",
		Args:    args("an index and, if not standard input, what to index", 1, -1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				args = append(args, "-")
			}
			return a.index(c.Context(), args[0], args[1:], o)
		},
	}
	o.add(c)
	o.Source.Flags(c.Flags())
	c.Flags().StringVar(&o.analyzer, "analyzer", "standard", "bleve's analyzer of the text, such as en")
	c.Flags().IntVar(&o.batch, "batch", 500, "documents written at once")
	return c
}

func (a *app) index(ctx context.Context, path string, from []string, o indexing) (err error) {
	o.Stdin = a.stdin
	if o.batch < 1 {
		return usageError{fmt.Errorf("--batch: wanted 1 or more, got %d", o.batch)}
	}
	if err := o.Validate(); err != nil {
		return usageError{err}
	}
	made := free(path)
	x, err := a.openOrMake(path, made, o)
	if err != nil {
		return err
	}
	n := uint64(0)
	defer func() {
		if cerr := x.Close(); err == nil {
			err = cerr
		}
		if made && n == 0 && err != nil { // an index of nothing is of no use
			os.RemoveAll(path)
		}
	}()
	bar := a.progress("indexing", documents.Size(from...), true)
	o.Progress = bar.Add
	var absent []string
	n, absent, err = fill(ctx, x, o, from)
	bar.End()
	if err != nil {
		return fmt.Errorf("%w (%d documents are written)", err, n)
	}
	total, err := x.DocCount()
	if err != nil {
		return err
	}
	if a.json {
		err = a.encode(written{path, made, n, total})
	}
	a.summary("indexed %d documents; %s has %d", n, path, total)
	if len(absent) > 0 {
		fmt.Fprintf(a.stderr, "--text: none of them has a member %q\n", absent)
		err = cmp.Or(err, errFinding)
	}
	return a.unsigned(err, signedNothing(x))
}

func (a *app) openOrMake(path string, made bool, o indexing) (bleve.Index, error) {
	if made {
		m, err := newMapping(o, a.field)
		if err != nil {
			return nil, usageError{err}
		}
		return plugin.New(path, m)
	}
	x, err := open(path, false, true)
	if err != nil {
		return nil, err
	}
	if err := o.fits(x.Mapping(), a.field); err != nil {
		x.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return x, nil
}

// newMapping returns the mapping of an index: what o.Text names is text and fingerprinted,
// all else as bleve finds it.
func newMapping(o indexing, field string) (*mapping.IndexMappingImpl, error) {
	m := bleve.NewIndexMapping()
	if err := o.set(m); err != nil {
		return nil, err
	}
	for _, name := range o.Text {
		text := bleve.NewTextFieldMapping()
		text.Analyzer = o.analyzer
		m.DefaultMapping.AddFieldMappingsAt(name, text, fingerprinted(field))
	}
	return m, m.Validate()
}

// fingerprinted is the mapping of the fingerprinted field.
func fingerprinted(field string) *mapping.FieldMapping {
	f := plugin.FieldMapping(signatureAnalyzer)
	f.Name = field
	return f
}

// fill writes documents in batches. It returns how many are written, and which members of --text no
// document has.
func fill(ctx context.Context, x bleve.Index, o indexing, from []string) (n uint64, absent []string, err error) {
	absent = slices.Clone(o.Text)
	batch := x.NewBatch()
	flush := func() error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := x.Batch(batch); err != nil {
			return err
		}
		n += uint64(batch.Size())
		batch.Reset()
		return nil
	}
	for d, err := range o.Read(from...) {
		if err != nil {
			return n, nil, err
		}
		absent = slices.DeleteFunc(absent, func(name string) bool { return d.Fields[name] != nil })
		if err := batch.Index(d.ID, d.Fields); err != nil {
			return n, nil, fmt.Errorf("document %q: %w", d.ID, err)
		}
		if batch.Size() >= o.batch {
			if err := flush(); err != nil {
				return n, nil, err
			}
		}
	}
	err = flush()
	return n, absent, err
}
