// Library finds near-duplicates with this library, in several ways, for bench.
package main

import (
	"iter"
	"math"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/examples/bench/adapters/internal/lines"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/near"
)

func main() { lines.Run(ways) }

var ways = map[string]lines.Find{
	"lookup": lookup, "dedupe": dedupe,
	"groups":     groups(near.Leaders, false),
	"components": groups(near.Components, false),
	"verified":   groups(near.Leaders, true),
}

// rule asks for as many agreeing lanes as the threshold says, and is else the default.
func rule(threshold float64) signature.Rule {
	return signature.Rule{Lanes: int(math.Ceil(100*threshold - 1e-9))}
}

// newIndex makes an index in memory that has signatures, and the texts themselves only if they are stored.
func newIndex(stored bool) (bleve.Index, error) {
	m := bleve.NewIndexMapping()
	m.DefaultMapping = bleve.NewDocumentStaticMapping()
	if stored {
		body := bleve.NewTextFieldMapping()
		body.Index, body.DocValues, body.IncludeInAll = false, false, false
		m.DefaultMapping.AddFieldMappingsAt("body", body)
	}
	m.DefaultMapping.AddFieldMappingsAt("body", plugin.FieldMapping(neardup.Name))
	return plugin.New("", m)
}

// each calls write with batches of 100 documents: larger ones take more memory, and no less CPU. It returns the ids.
func each(x bleve.Index, docs iter.Seq[lines.Document], write func(*bleve.Batch) error) (ids []string, err error) {
	batch := x.NewBatch()
	for d := range docs {
		ids = append(ids, d.ID)
		if err := batch.Index(d.ID, map[string]any{"body": d.Text}); err != nil {
			return nil, err
		}
		if batch.Size() == 100 {
			if err := write(batch); err != nil {
				return nil, err
			}
			batch = x.NewBatch()
		}
	}
	return ids, write(batch)
}
