package hits

import (
	"cmp"

	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/leftout"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// LeastLanes is the least number of lanes that sketches of a field have, as far as mappings tell; else the default.
func LeastLanes(field string, mappings []mapping.IndexMapping) (least int) {
	for _, m := range mappings {
		if a, err := neardup.Of(m, field); err == nil && (least == 0 || a.Params().Lanes < least) {
			least = a.Params().Lanes
		}
	}
	return cmp.Or(least, signature.DefaultParams().Lanes)
}

// SnapshotTexts reads the texts of one field in one snapshot of an index. It is not safe for concurrent use.
type SnapshotTexts struct {
	reader index.IndexReader
	near   *verify.Snapshot // where signatures can be in memory
	other  *verify.Texts
}

// NewSnapshotTexts returns the texts of a reader, which the caller keeps open, of an index with the mapping m.
func NewSnapshotTexts(reader index.IndexReader, m mapping.IndexMapping, field string) (s *SnapshotTexts, err error) {
	s = &SnapshotTexts{reader: reader}
	if signatures := column.Read(reader, field); signatures != nil {
		s.near, err = verify.NewSnapshot(reader, m, field, signatures)
		return s, err
	}
	sets, err := leftout.In(reader.GetInternal, field)
	if err == nil {
		s.other, err = verify.NewTexts(m, field, sets)
	}
	return s, err
}

// Text returns the text of a document, nil if it is not stored, cannot be read, or is none that the
// signature was made from.
func (s *SnapshotTexts) Text(id index.IndexInternalID, sig *signature.Signature) *verify.Text {
	if s.near != nil {
		return s.near.Text(id.Value(), sig)
	}
	name, err := s.reader.ExternalID(id)
	if err != nil {
		return nil
	}
	d, err := s.reader.Document(name)
	if err != nil || d == nil {
		return nil
	}
	return s.other.Stored(sig, func(field string) (all [][]byte) {
		d.VisitFields(func(f index.Field) {
			if f.Name() == field {
				all = append(all, f.Value())
			}
		})
		return all
	})
}
