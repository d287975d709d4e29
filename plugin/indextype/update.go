package indextype

import (
	"encoding/json"
	"fmt"

	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/util"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
)

// UpdateFields is what bleve.OpenUsing calls with an updated mapping. It returns an error if
// the analyzer of a fingerprinted field has changed: new signatures would match no old one.
// bleve itself compares the analyzers of properties only, not of fields with other names.
func (x *Index) UpdateFields(info map[string]*index.UpdateFieldInfo, updated []byte) error {
	reader, err := x.Reader()
	if err != nil {
		return err
	}
	defer reader.Close()
	data, err := reader.GetInternal(util.MappingInternalKey)
	if err != nil {
		return err
	}
	var before, now mapping.IndexMappingImpl
	if err := json.Unmarshal(data, &before); err != nil {
		return err
	}
	if err := json.Unmarshal(updated, &now); err != nil {
		return err
	}
	if field, changed := neardup.Changed(&before, &now); changed {
		return fmt.Errorf("neardup: updated_mapping: field %q: wanted the analyzer's configuration that the index was made with, got another; package backfill makes a new index", field)
	}
	return x.Scorch.UpdateFields(info, updated)
}
