package whole

import (
	"context"
	"maps"
	"slices"

	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"
)

// bleve looks into a query before it searches: which fields it names tells whether
// nested documents are joined with the documents that they are part of, and which words
// have synonyms. It knows its own queries alone. So a Query looks into its inner one
// itself: what it groups are whole documents, and the searcher of the inner query gets
// its synonyms.

// roots is a searcher of whole documents: it joins the matches of inner among nested
// documents with the match of the document that they are part of, as bleve's collector
// does. The documents of a searcher come in the order of their numbers, a document
// before or among its nested ones.
type roots struct {
	search.Searcher // the inner one
	reader          index.NestedReader
	root            *search.DocumentMatch // which is not complete yet, or nil
	rootID          index.AncestorID
	ancestors       []index.AncestorID // to use again
}

// rootsOf returns a searcher of whole documents, which is inner if no document of the
// index has nested ones.
func rootsOf(ctx context.Context, reader index.IndexReader, inner search.Searcher) search.Searcher {
	if nested, _ := ctx.Value(search.NestedSearchKey).(bool); !nested {
		return inner
	}
	if r, ok := reader.(index.NestedReader); ok {
		return &roots{Searcher: inner, reader: r}
	}
	return inner
}

// Next implements search.Searcher.
func (r *roots) Next(sc *search.SearchContext) (*search.DocumentMatch, error) {
	for {
		m, err := r.Searcher.Next(sc)
		if err != nil {
			return nil, err
		}
		if m == nil {
			last := r.root
			r.root = nil
			return last, nil
		}
		if r.ancestors, err = r.reader.Ancestors(m.IndexInternalID, r.ancestors[:0]); err != nil {
			return nil, err
		}
		id := r.ancestors[len(r.ancestors)-1] // of m itself, if it is not nested
		if r.root != nil && r.rootID.Equals(id) {
			join(sc, r.root, m)
			continue
		}
		complete := r.root
		r.rootID = id
		if len(r.ancestors) == 1 {
			r.root = m
		} else {
			r.root = sc.DocumentMatchPool.Get()
			r.root.IndexInternalID = id.ToIndexInternalID(r.root.IndexInternalID)
			join(sc, r.root, m)
		}
		if complete != nil {
			return complete, nil
		}
	}
}

// join adds the match of a nested document to the match of its root.
func join(sc *search.SearchContext, root, m *search.DocumentMatch) {
	root.Score += m.Score
	root.Expl = root.Expl.MergeWith(m.Expl)
	root.FieldTermLocations = search.MergeFieldTermLocationsFromMatch(root.FieldTermLocations, m)
	if !root.IndexInternalID.Equals(m.IndexInternalID) {
		root.Descendants = append(root.Descendants, slices.Clone(m.IndexInternalID))
	}
	sc.DocumentMatchPool.Put(m)
}

// Advance implements search.Searcher.
func (r *roots) Advance(sc *search.SearchContext, id index.IndexInternalID) (*search.DocumentMatch, error) {
	for {
		m, err := r.Next(sc)
		if m == nil || err != nil || m.IndexInternalID.Compare(id) >= 0 {
			return m, err
		}
		sc.DocumentMatchPool.Put(m)
	}
}

// DocumentMatchPoolSize implements search.Searcher.
func (r *roots) DocumentMatchPoolSize() int { return r.Searcher.DocumentMatchPoolSize() + 1 }

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
