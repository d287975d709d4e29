// Package pages is what the examples that search share: where documents come from,
// how they are mapped, and the index of them.
package pages

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/spf13/pflag"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/examples/internal/documents"
	"github.com/neardup/bleve-neardup/examples/internal/terminal"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// Mapping returns the mapping of pages.
//
// The text alone is fingerprinted. The title is searched, and counts for more, but
// a page that was only given another title is still the same page to a reader.
//
// With passages, signatures have what passages of so many words are found by.
func Mapping(passages int) (*mapping.IndexMappingImpl, error) {
	text := func() *mapping.FieldMapping {
		f := bleve.NewTextFieldMapping()
		f.Analyzer = en.AnalyzerName
		f.IncludeInAll, f.DocValues = false, false // not used; phrases need term vectors
		return f
	}
	project := bleve.NewKeywordFieldMapping()
	project.IncludeInAll = false
	version := bleve.NewNumericFieldMapping()
	version.IncludeInAll = false

	m := bleve.NewIndexMapping()
	m.DefaultMapping, m.DefaultField = bleve.NewDocumentStaticMapping(), "text"
	m.DefaultMapping.AddFieldMappingsAt("title", text())
	m.DefaultMapping.AddFieldMappingsAt("text", text())
	m.DefaultMapping.AddFieldMappingsAt("project", project)
	m.DefaultMapping.AddFieldMappingsAt("version", version)
	if passages == 0 {
		plugin.AddSignature(m.DefaultMapping, "text")
		return m, nil
	}
	const analyzer = "passages"
	m.DefaultMapping.AddFieldMappingsAt("text", plugin.FieldMapping(analyzer))
	return m, m.AddCustomAnalyzer(analyzer, map[string]any{"type": neardup.Name, "passages": passages})
}

// Options says which index to open.
type Options struct {
	// Data is what Source reads into a temporary index: a file of JSON lines or a directory of texts; the LLVM
	// and Clang manuals if empty.
	Data string

	// Source says how Data is read: as Flags has it, if it is the zero Source.
	documents.Source

	// Dir, if not empty, is an index that is there, such as the command line neardup makes. It is only read.
	Dir string

	// Passages is the least number of words of the passages that can be found, none if 0. An index in Dir
	// stays as it was made.
	Passages int

	// Out is where the progress of indexing is shown.
	Out io.Writer
}

// Flags adds flags for the members of o, with their defaults: --data, --index, and
// the flags of its Source.
func (o *Options) Flags(f *pflag.FlagSet) {
	f.StringVar(&o.Data, "data", "", "file or directory to index instead of the manuals")
	f.StringVar(&o.Dir, "index", "", "an index that is there, as \"neardup index\" makes it, instead")
	o.Source.Flags(f)
}

// Validate returns an error that says what is wrong with o, by the names of its flags.
func (o Options) Validate() error {
	if o.Data != "" && o.Dir != "" {
		return fmt.Errorf("--data: cannot be combined with --index, got %q and %q", o.Data, o.Dir)
	}
	return o.Source.Validate()
}

// Index is an index of pages.
type Index struct {
	Index   bleve.Index
	Source  string        // what it is of
	Manuals bool          // of the manuals that come with the source
	Docs    uint64        // documents
	Took    time.Duration // to make it, 0 if it was there

	temporary string // deleted by Close
}

// Close closes the index.
func (x *Index) Close() error {
	err := x.Index.Close()
	if x.temporary != "" {
		err = errors.Join(err, os.RemoveAll(x.temporary))
	}
	return err
}

// Open opens the index in o.Dir, or makes a temporary one.
func Open(ctx context.Context, o Options) (x *Index, err error) {
	x = &Index{Source: o.Dir}
	if o.Dir != "" {
		if x.Index, err = documents.Open(o.Dir, true); err != nil {
			return nil, err
		}
		_, err = neardup.Of(x.Index.Mapping(), signature.DefaultField)
	} else {
		x.Source, x.Manuals = o.Data, o.Data == ""
		if x.Manuals {
			x.Source = "LLVM and Clang manuals, versions 13 to 16"
		}
		var m mapping.IndexMapping
		if m, err = Mapping(o.Passages); err != nil {
			return nil, err
		}
		if x.temporary, err = os.MkdirTemp("", "neardup-*"); err != nil {
			return nil, err
		}
		if x.Index, err = plugin.New(x.temporary, m); err != nil {
			return nil, errors.Join(err, os.RemoveAll(x.temporary))
		}
		if err = plugin.SetPolicy(ctx, x.Index, &admission.Policy{Group: true}); err != nil { // pages link to groups by name
			return nil, errors.Join(err, x.Close())
		}
		start := time.Now()
		bar := terminal.NewBar(o.Out, "indexing", o.size(), true)
		o.Progress = bar.Add
		err = fill(ctx, x.Index, o)
		bar.End()
		x.Took = time.Since(start)
	}
	if err == nil {
		x.Docs, err = x.Index.DocCount()
	}
	if err != nil {
		return nil, errors.Join(err, x.Close())
	}
	if x.Took > 0 && !terminal.Is(o.Out) { // where the bar was
		fmt.Fprintf(o.Out, "indexed %d documents\n", x.Docs)
	}
	return x, nil
}

// fill writes documents to the index in batches.
func fill(ctx context.Context, index bleve.Index, o Options) error {
	batch := index.NewBatch()
	for d, err := range o.read() {
		var p page
		if err == nil {
			if p, err = newPage(d); err != nil {
				err = fmt.Errorf("%s: %w", o.Data, err)
			}
		}
		if err == nil {
			err = batch.Index(d.ID, p)
		}
		if err == nil && batch.Size() == 200 {
			if err = index.Batch(batch); err == nil {
				err = ctx.Err()
			}
			batch.Reset()
		}
		if err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return index.Batch(batch)
}
