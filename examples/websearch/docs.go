package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// doc is a document as results name it.
type doc struct {
	ID, Title string
	Project   string  // empty if it has none
	Version   float64 // 0 if it has none
}

// Name is its title, or the id if it has none.
func (d doc) Name() string {
	if d.Title == "" {
		return d.ID
	}
	return d.Title
}

var docFields = []string{"title", "project", "version"}

func newDoc(id string, fields map[string]any) doc {
	d := doc{ID: id}
	d.Title, _ = fields["title"].(string)
	d.Project, _ = fields["project"].(string)
	d.Version, _ = fields["version"].(float64)
	return d
}

// docs looks up what to call documents.
func (s *site) docs(ctx context.Context, ids []string) (map[string]doc, error) {
	named := make(map[string]doc, len(ids))
	hits, err := s.load(ctx, ids, docFields)
	for _, hit := range hits {
		named[hit.ID] = newDoc(hit.ID, hit.Fields)
	}
	for _, id := range ids {
		if _, ok := named[id]; !ok {
			named[id] = doc{ID: id}
		}
	}
	return named, err
}

// load returns documents with stored fields of theirs.
func (s *site) load(ctx context.Context, ids, fields []string) (search.DocumentMatchCollection, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	request := bleve.NewSearchRequestOptions(bleve.NewDocIDQuery(ids), len(ids), 0, false)
	request.Fields = fields
	result, err := s.index.SearchInContext(ctx, request)
	if err != nil {
		return nil, err
	}
	return result.Hits, nil
}

// stored is a document with its text and signature.
type stored struct {
	doc
	Text      string
	Signature signature.Signature
	Group     string // the name of its group; empty if the index names none
}

// stored loads a document.
func (s *site) stored(ctx context.Context, id string) (stored, error) {
	sketch := signature.Field(signature.DefaultField).Sketch()
	hits, err := s.load(ctx, []string{id}, append([]string{"text", sketch, admission.GroupField}, docFields...))
	if err != nil {
		return stored{}, err
	}
	if len(hits) == 0 {
		return stored{}, failure{http.StatusNotFound, fmt.Sprintf("There is no document %q.", id)}
	}
	d := stored{doc: newDoc(id, hits[0].Fields)}
	d.Text, _ = hits[0].Fields["text"].(string)
	d.Group, _ = hits[0].Fields[admission.GroupField].(string)
	text, _ := hits[0].Fields[sketch].(string)
	return d, d.Signature.UnmarshalText([]byte(text))
}
