// Package pages is what the examples that search share: where documents come from,
// how they are mapped, and the index of them.
package pages

import (
	"context"
	"encoding/json"
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
	"github.com/neardup/bleve-neardup/examples/internal/documents"
	"github.com/neardup/bleve-neardup/examples/internal/terminal"
	"github.com/neardup/bleve-neardup/plugin"
)

const batchSize = 200

// finishedKey is the index's internal key under which it says how it was made. It is
// written last, so an index without it was not finished.
var finishedKey = []byte("docsearch")

// Made says how an index was made.
type Made struct {
	Source     string  `json:"source"`
	Docs       int     `json:"docs"`
	TextBytes  uint64  `json:"text_bytes"`
	IndexMS    float64 `json:"index_ms"`
	IndexBytes uint64  `json:"index_bytes"`
	Reused     bool    `json:"reused"`
}

// Manuals reports whether it is the index of the LLVM and Clang manuals.
func (m *Made) Manuals() bool { return m.Source == manuals }

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
	// Data is what Source reads: a file of JSON lines or a directory of texts; the LLVM
	// and Clang manuals if empty.
	Data string

	// Source says how Data is read: as Flags has it, if it is the zero Source.
	documents.Source

	// Dir is where the index is kept, to be used again; a temporary directory, deleted
	// by Close, if empty.
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
	f.StringVar(&o.Dir, "index", "", "directory to keep the index in; used again if it exists")
	o.Source.Flags(f)
}

// Index is an index of pages.
type Index struct {
	Index bleve.Index
	Made  *Made

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

// Open opens the index in o.Dir, or makes it.
func Open(ctx context.Context, o Options) (*Index, error) {
	temporary := ""
	if o.Dir == "" {
		dir, err := os.MkdirTemp("", "neardup-*")
		if err != nil {
			return nil, err
		}
		o.Dir, temporary = dir, dir
	}
	index, made, err := openOrBuild(ctx, o)
	if err != nil {
		if temporary != "" {
			os.RemoveAll(temporary)
		}
		return nil, err
	}
	return &Index{index, made, temporary}, nil
}

func openOrBuild(ctx context.Context, o Options) (bleve.Index, *Made, error) {
	index, err := plugin.Open(o.Dir)
	switch {
	case err == nil:
		m, err := recall(index, o)
		if err != nil {
			index.Close()
			return nil, nil, fmt.Errorf("%s: %w", o.Dir, err)
		}
		return index, m, nil
	case errors.Is(err, bleve.ErrorIndexPathDoesNotExist):
	case errors.Is(err, bleve.ErrorIndexMetaMissing) && empty(o.Dir):
	default:
		return nil, nil, fmt.Errorf("%s: wanted an index, or an empty or new directory: %w", o.Dir, err)
	}
	return build(ctx, o)
}

// recall reads how the index was made, and checks that it holds what o asks for.
func recall(index bleve.Index, o Options) (*Made, error) {
	value, err := index.GetInternal(finishedKey)
	if err != nil {
		return nil, err
	}
	if value == nil {
		return nil, errors.New("wanted an index whose making was finished, got another; delete it")
	}
	m := new(Made)
	if err := json.Unmarshal(value, m); err != nil {
		return nil, err
	}
	if o.Data != "" && m.Source != o.origin() {
		return nil, fmt.Errorf("wanted an index of %s, got one of %s", o.origin(), m.Source)
	}
	m.Reused = true
	m.IndexBytes = diskBytes(index)
	return m, nil
}

// build makes an index.
func build(ctx context.Context, o Options) (bleve.Index, *Made, error) {
	from, err := Mapping(o.Passages)
	if err != nil {
		return nil, nil, err
	}
	index, err := plugin.New(o.Dir, from)
	if err != nil {
		return nil, nil, err
	}
	m := &Made{Source: o.origin()}
	start := time.Now()
	bar := terminal.NewBar(o.Out, "indexing", o.size(), true)
	o.Progress = bar.Add
	err = fill(ctx, index, o, m)
	bar.End()
	m.IndexMS = Milliseconds(time.Since(start))
	m.IndexBytes = diskBytes(index)
	if err == nil {
		err = m.remember(index)
	}
	if err != nil {
		index.Close()
		os.RemoveAll(o.Dir) // half an index is of no use
		return nil, nil, err
	}
	if !terminal.Is(o.Out) { // where the bar was
		fmt.Fprintf(o.Out, "indexed %d documents\n", m.Docs)
	}
	return index, m, nil
}

// remember writes m into the index.
func (m *Made) remember(index bleve.Index) error {
	value, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return index.SetInternal(finishedKey, value)
}

// fill writes documents to the index in batches, and counts them in m.
func fill(ctx context.Context, index bleve.Index, o Options, m *Made) error {
	batch := index.NewBatch()
	flush := func() error {
		if err := index.Batch(batch); err != nil {
			return err
		}
		batch.Reset()
		return ctx.Err()
	}
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
		if err != nil {
			return err
		}
		m.Docs++
		m.TextBytes += uint64(len(p.Text))
		if batch.Size() == batchSize {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

func empty(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) == 0
}

// diskBytes is what the segments of the index take. Those merged away, which are
// deleted a moment later, are not counted.
func diskBytes(index bleve.Index) uint64 {
	stats, _ := index.StatsMap()["index"].(map[string]any)
	n, _ := stats["num_bytes_used_disk_by_root"].(uint64)
	return n
}

// Milliseconds is d in milliseconds, to the microsecond.
func Milliseconds(d time.Duration) float64 {
	return float64(d.Round(time.Microsecond)) / float64(time.Millisecond)
}
