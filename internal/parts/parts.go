// Package parts is what a search that collapses and the parts of its index in other processes say to each other.
//
// How many hits a page takes is known only after the copies among them are, and each
// question to another process costs a round. So collapse.Search
// puts a Want into the context of its question. A part that knows of it walks its own hits
// until enough of them would be visible if there were no other part. It adds an Answer: all
// of these hits, in their order and with their signatures. The search walks the hits of all parts again: a hit
// that its part shows might be hidden by a head of another part, and a hit that its part
// hides might come back because its head is hidden itself. One round is enough for nearly all pages.
//
// collapse.Part makes a part of any index. An index in another process sends the Want there,
// where Ask asks such a part, and brings the Answer back in its binary form.
package parts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/stored"
)

type wantKey struct{}

// Want is what a search asks of a part of its index. In JSON it goes to other processes.
type Want struct {
	// Field is as in collapse.Options. Rule is what the search has made of its rule and the
	// field's, so that all parts walk by one rule: a part does not look at its own.
	Field string         `json:"field,omitempty"`
	Rule  signature.Rule `json:"rule,omitzero"`

	// Fields says which values group hits beside the rule: these come with each hit.
	Fields fields.Options `json:"fields,omitzero"`

	// Visible is how many hits are to be visible, PerGroup how many of a group are, and
	// Hits is the most that are looked at.
	Visible  int `json:"visible"`
	PerGroup int `json:"per_group"`
	Hits     int `json:"hits"`

	// Load asks for the fields of all hits, not of the visible ones alone.
	Load bool `json:"load,omitempty"`

	mutex   sync.Mutex
	answers []*Answer
}

// Validate returns an error for a Want that no part can answer.
func (w *Want) Validate() error {
	if w.Visible < 0 || w.PerGroup < 0 || w.Hits < 0 {
		return fmt.Errorf("collapse: want: wanted visible, per_group and hits of 0 or more, got %d, %d and %d", w.Visible, w.PerGroup, w.Hits)
	}
	if err := cmp.Or(w.Rule.Validate(), w.Fields.Validate()); err != nil {
		return fmt.Errorf("collapse: %w", err)
	}
	return nil
}

// In returns the Want that ctx carries, or nil.
func In(ctx context.Context) *Want {
	if ctx == nil {
		return nil
	}
	w, _ := ctx.Value(wantKey{}).(*Want)
	return w
}

// With returns a context that carries w, or none if w is nil.
func With(ctx context.Context, w *Want) context.Context {
	return context.WithValue(ctx, wantKey{}, w)
}

// Hit is a hit with its signature, and the Values of the fields that the Want names. Of a Bare
// hit fields and highlights are not loaded.
type Hit struct {
	stored.Hit
	Values fields.Values
	Bare   bool
}

// Answer is the answer to a Want.
type Answer struct {
	// SearchResult is bleve's, without hits.
	*bleve.SearchResult

	Ranked []Hit
	More   bool // there are hits after the last
}

// Name says that all hits are of one index, whatever it is called where they were found.
func (a *Answer) Name(index string) {
	for _, hit := range a.Ranked {
		hit.Index = index
	}
}

// Add adds the answer of a part, and returns what bleve's alias is to merge. Each part adds
// one answer. Hits that name no index are of the one named. Add panics if a is nil.
func (w *Want) Add(a *Answer, index string) *bleve.SearchResult {
	for _, hit := range a.Ranked {
		hit.Index = cmp.Or(hit.Index, index)
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.answers = append(w.answers, a)
	return a.SearchResult
}

// Answers returns what was added.
func (w *Want) Answers() []*Answer {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.answers
}

// Ask returns the answer of a part, such as collapse.Part gives, to w.
func (w *Want) Ask(ctx context.Context, part bleve.Index, r *bleve.SearchRequest) (*Answer, error) {
	if err := indexes.Check(ctx, part); err != nil {
		return nil, err
	}
	own := &Want{Field: cmp.Or(w.Field, signature.DefaultField), Rule: w.Rule, Fields: w.Fields, Visible: w.Visible, PerGroup: w.PerGroup, Hits: w.Hits, Load: w.Load}
	if _, err := part.SearchInContext(With(ctx, own), r); err != nil {
		return nil, err
	}
	if len(own.answers) != 1 {
		return nil, errors.New("collapse: wanted a part that answers a Want, got an index that does not")
	}
	return own.answers[0], nil
}

// Own returns a copy of r as it was before the search added to its fields the ones that group
// hits, and the stored signature, for parts that know of no Want.
func (w *Want) Own(r *bleve.SearchRequest) *bleve.SearchRequest {
	own, added := *r, slices.Clone(w.Fields.Names())
	if !w.Fields.Alone() {
		added = append(added, signature.Field(w.Field).Sketch())
	}
	if n := len(r.Fields) - len(added); n >= 0 && slices.Equal(r.Fields[n:], added) {
		own.Fields = r.Fields[:n:n]
	}
	return &own
}
