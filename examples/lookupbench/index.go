package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/registry"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/analysis/token/band"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/similar"
)

// kind is an index type like neardup, but one that takes signatures as stored fields
// of the documents: neardup does not let documents bring their own.
const kind = "neardup_given"

type given struct {
	*scorch.Scorch
	store column.Store
}

func (g *given) Reader() (index.IndexReader, error) {
	r, err := g.Scorch.Reader()
	if err == nil {
		g.store.Adopt(r)
	}
	return r, err
}

func init() {
	err := registry.RegisterIndexType(kind, func(name string, config map[string]any, q *index.AnalysisQueue) (index.Index, error) {
		inner, err := scorch.NewScorch(name, config, q)
		if err != nil {
			return nil, err
		}
		return &given{Scorch: inner.(*scorch.Scorch)}, nil
	})
	if err != nil {
		panic(err)
	}
}

// keys are what the term filter writes by default.
var keys = band.Plan{Bands: 11, Blocks: 4}

// write makes an index on disk, of merged segments, of what is stored for each signature,
// and if terms, of the terms of its keys. It returns the bytes of the segments.
func write(path string, c *table.Column, terms bool) (size int64, err error) {
	x, err := bleve.NewUsing(path, fields(), kind, bleve.Config.DefaultKVStore, nil)
	if err != nil {
		return 0, err
	}
	batch := x.NewBatch()
	for i := range c.Len() {
		s, _ := c.At(i)
		doc, err := document(&s, terms)
		if err != nil {
			return 0, err
		}
		if err := batch.Index(fmt.Sprint(i), doc); err != nil {
			return 0, err
		}
		if batch.Size() == 5000 || i+1 == c.Len() {
			if err := x.Batch(batch); err != nil {
				return 0, err
			}
			batch.Reset()
		}
	}
	inner, err := x.Advanced()
	if err != nil {
		return 0, err
	}
	if err := inner.(*given).ForceMerge(context.Background(), nil); err != nil {
		return 0, err
	}
	// Files of segments that were merged stay for a while; these are counted out.
	live, ok := inner.StatsMap()["num_bytes_used_disk_by_root"].(uint64)
	if !ok {
		return 0, errors.New("index: wanted its size on disk, got none")
	}
	return int64(live), x.Close()
}

func document(s *signature.Signature, terms bool) (map[string]any, error) {
	text, err := s.MarshalText()
	if err != nil {
		return nil, err
	}
	doc := map[string]any{signature.SketchField(plugin.Field): string(text)}
	if terms {
		var all []string
		for _, t := range keys.Terms(s, 0) {
			all = append(all, string(t.Term))
		}
		doc["terms"] = all
	}
	return doc, nil
}

// fields is the mapping: the field whose analyzer says what its terms are, and, as
// the documents have them, its terms and its signature.
func fields() mapping.IndexMapping {
	m := bleve.NewIndexMapping()
	if err := m.AddCustomAnalyzer("bands", map[string]any{"type": neardup.Name, "terms": "bands"}); err != nil {
		panic(err)
	}
	m.DefaultMapping = bleve.NewDocumentStaticMapping()
	terms := plugin.FieldMapping("bands")
	terms.Name, terms.Analyzer = plugin.Field, keyword.Name
	m.DefaultMapping.AddFieldMappingsAt("unused", plugin.FieldMapping("bands"))
	m.DefaultMapping.AddFieldMappingsAt("terms", terms)
	m.DefaultMapping.AddFieldMappingsAt(signature.SketchField(plugin.Field), &mapping.FieldMapping{Type: "text", Store: true})
	return m
}

// open opens an index, and looks one signature up.
func open(path string, backend similar.Backend, s *signature.Signature) (bleve.Index, error) {
	x, err := bleve.Open(path)
	if err != nil {
		return nil, err
	}
	if _, err := search(x, backend, s); err != nil {
		x.Close()
		return nil, err
	}
	return x, nil
}

// search is a lookup through bleve, hits and all.
func search(x bleve.Index, backend similar.Backend, s *signature.Signature) (int, error) {
	res, err := x.Search(bleve.NewSearchRequest(&similar.Query{Signature: s, Backend: backend}))
	if err != nil {
		return 0, err
	}
	return int(res.Total), nil
}
