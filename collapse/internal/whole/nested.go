package whole

import (
	"context"
	"errors"
	"maps"

	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"
)

// bleve looks into a query before it searches: which fields it names tells whether
// nested documents are joined with the documents that they are part of, and which words
// have synonyms. It knows its own queries alone. So a Query looks into its inner one itself.

// checkNested returns an error for a query that bleve would join nested documents for.
func checkNested(ctx context.Context, m mapping.IndexMapping, q query.Query) error {
	nested, ok := m.(mapping.NestedMapping)
	if on, _ := ctx.Value(search.NestedSearchKey).(bool); !on || !ok {
		return nil
	}
	of, err := query.ExtractFields(q, m, nil)
	if err == nil && (of.HasID() || nested.IntersectsPrefix(of)) {
		err = errors.New("collapse: whole: wanted a query of no nested documents, got one that can match them: " +
			"leave out whole, and ask for pages, which join them; or query fields of the document itself")
	}
	return err
}

// withSynonyms returns a context from which searchers of q learn the synonyms of its
// words, and the synonyms that ctx has.
func withSynonyms(ctx context.Context, reader index.IndexReader, m mapping.IndexMapping, q query.Query) (context.Context, error) {
	known, ok := m.(mapping.SynonymMapping)
	if impl, own := m.(*mapping.IndexMappingImpl); !ok || own && impl == nil || known.SynonymCount() == 0 {
		return ctx, nil
	}
	r, ok := reader.(index.ThesaurusReader)
	if !ok {
		return ctx, nil
	}
	own, err := query.ExtractSynonyms(ctx, known, r, q, nil)
	if err != nil || len(own) == 0 {
		return ctx, err
	}
	if outer, ok := ctx.Value(search.FieldTermSynonymMapKey).(search.FieldTermSynonymMap); ok {
		addSynonyms(own, outer)
	}
	return context.WithValue(ctx, search.FieldTermSynonymMapKey, own), nil
}

// addSynonyms adds to own the synonyms of outer, which other searches may be reading.
func addSynonyms(own, outer search.FieldTermSynonymMap) {
	for field, terms := range outer {
		all := maps.Clone(own[field])
		if all == nil {
			all = make(map[string][]string, len(terms))
		}
		maps.Copy(all, terms)
		own[field] = all
	}
}
