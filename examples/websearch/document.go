package main

import (
	"context"
	"net/http"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin/admission"
)

// documentView is a document, for reading.
type documentView struct {
	state
	stored
	Members uint64 // of its group
}

func (s *site) document(ctx context.Context, r *http.Request) (any, error) {
	st, err := s.read(r)
	if err != nil {
		return nil, err
	}
	view := documentView{state: st}
	if view.stored, err = s.stored(ctx, st.ID); err != nil || view.Group == "" {
		return view, err
	}
	members := bleve.NewTermQuery(view.Group)
	members.SetField(admission.GroupField)
	result, err := s.index.SearchInContext(ctx, bleve.NewSearchRequestOptions(members, 0, 0, false))
	if err == nil {
		view.Members = result.Total
	}
	return view, err
}

// OfGroup is the search that lists the group of the document, by its name.
func (v documentView) OfGroup() state {
	return state{Path: "/", Query: admission.GroupField + ":" + v.Group, All: true, Rule: v.Rule}
}
