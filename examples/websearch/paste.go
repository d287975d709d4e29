package main

import (
	"context"
	"net/http"
	"strings"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// pasteView is what the paste tab shows.
type pasteView struct {
	state
	Text   string
	Asked  bool
	Copies []copied
	More   int

	Origins *origins // nil if the index has no passages
}

// Count is the number of all near-copies.
func (v pasteView) Count() int { return len(v.Copies) + v.More }

// paste finds the near-copies of a text or, with "like", of a document's text; the
// document is then among them. And it finds which documents the passages of the text stand in.
func (s *site) paste(ctx context.Context, r *http.Request) (any, error) {
	st, err := s.read(r)
	if err != nil {
		return nil, err
	}
	// A form sends line breaks as CR LF.
	view := pasteView{state: st, Text: strings.ReplaceAll(r.PostForm.Get("text"), "\r\n", "\n")}
	like := signature.Signature{}
	if view.Text == "" && st.Like != "" {
		d, err := s.stored(ctx, st.Like)
		if err != nil {
			return nil, err
		}
		view.Text, like = d.Text, d.Signature
	} else if like, err = s.sign(view.Text); err != nil {
		return nil, err
	}
	view.Asked = strings.TrimSpace(view.Text) != ""
	if !view.Asked {
		return view, nil
	}
	result, err := near.Similar(ctx, s.index, near.SimilarRequest{
		Query: near.SimilarQuery{Signature: &like, Rule: st.Rule},
		Size:  maxCopies, Fields: docFields,
	})
	if err != nil {
		return nil, err
	}
	for _, hit := range result.Hits {
		view.Copies = append(view.Copies, copied{doc: newDoc(hit.ID, hit.Fields), Match: hit.Match, Resemblance: hit.Resemblance.Value})
	}
	view.More = int(result.Total) - len(result.Hits)
	of := st.Like
	if r.PostForm.Get("text") != "" {
		of = ""
	}
	view.Origins, err = s.origins(ctx, view.Text, of)
	return view, err
}

// sign returns the signature that a text of the user's would have in the index.
func (s *site) sign(text string) (signature.Signature, error) {
	sig, err := plugin.Sign(s.index, signature.DefaultField, text)
	if err != nil {
		return signature.Signature{}, err
	}
	return *sig, nil
}
