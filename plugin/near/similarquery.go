package near

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/internal/leftout"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// SimilarQuery is a bleve query for the near-duplicates of one document, which is given by
// its text, its signature or its id. It matches all documents whose signature meets
// the rule with that, and no other.
//
// The score is the resemblance as estimated: the share of the lanes that agree, 1 if
// the exact hashes do; or the exact resemblance, if texts were compared (Verify). It is
// multiplied by the boost, and normalised as any other query's where it is part of one.
type SimilarQuery struct {
	// Text is the document's text: one value, or several as the field has them, in any order. Each index signs it as
	// its mapping says. With Verify you may give both Text and its Signature.
	Text []string `json:"text,omitempty"`

	// TextScope is the scope that Text comes from, such as its site: the template of that scope
	// is left out of its signature, where an index leaves one out (package plugin/templates).
	TextScope string `json:"text_scope,omitempty"`

	// Signature is the document's signature, in JSON its text form. One of other
	// parameters than the field's is an error.
	Signature *signature.Signature `json:"signature,omitempty"`

	// ID names a document of the index, which is not matched itself. An index that
	// has no such document has no match: below an alias, that is every member but
	// one, so use Similar there. Beside Signature it is only what is not matched.
	ID string `json:"id,omitempty"`

	// Self makes the document so named match too.
	Self bool `json:"self,omitempty"`

	// Field is the fingerprinted field, signature.DefaultField if empty.
	Field string `json:"field,omitempty"`

	// Rule says what near-duplicates are. Members at 0 or "" come from the field's rule, which the
	// configuration of its analyzer has, and else have their defaults: see signature.Rule.Over.
	Rule signature.Rule `json:"rule,omitzero"`

	// Verify makes the texts decide: a document that the sketch proposes matches only if its
	// stored text confirms it. Where the text of either is not stored, or is none that its
	// signature was made from, Rule decides. With the back end Terms, the analyzer's "agree"
	// must be at most Verify.Lanes.
	Verify signature.Verify `json:"verify,omitzero"`

	// Within names fields in which a document must be equal to the one that ID names, for example the tenant
	// or the host, as collapse.Options.Within does. A document without a value of one matches nothing. Of a
	// document in a remote member Similar has the stored values alone, of which a date equals none.
	Within []string `json:"within,omitempty"`

	values []byte // of the document of ID, which Search has found

	// Scope is where to look; nil for everywhere.
	Scope *Scope `json:"scope,omitempty"`

	// Backend says where keys are looked up. If empty, that is Memory on an index of
	// type neardup, and Terms on another.
	Backend Backend `json:"backend,omitempty"`

	// Plan chooses other keys in memory than those that miss nothing and are fast at
	// up to some millions of documents: see table.Plan. Bands that may miss something
	// make Similar's TotalRelation "gte".
	Plan table.Plan `json:"plan,omitzero"`

	// MaxShare, 0 to 1, is the share of the guard: see the package.
	MaxShare float64 `json:"max_share,omitempty"`

	// BoostVal is the boost, 1 if nil.
	BoostVal *query.Boost `json:"boost,omitempty"`
}

// Scope is the documents that have exactly these terms in an indexed field, which is
// best of analyzer keyword. No value stands for the documents that have none there.
type Scope struct {
	Field  string   `json:"field"`
	Values []string `json:"values,omitempty"`
}

// Backend says where candidates are looked up.
type Backend string

// The back ends. Their JSON names are their values. They find the same, unless a Plan says otherwise, or a guard passes
// over keys, which are not the same in both.
const (
	// Memory is signatures and tables in memory, 200 bytes a document, which the first queries after
	// opening fill: about 1 µs a document. It is for indexes of type neardup.
	Memory Backend = "memory"

	// Terms is the terms of the field in the inverted index, which takes the
	// analyzer option "terms": "bands" on an index of type neardup. The rule must not
	// be looser than the analyzer's "agree" and "hamming". On a plain scorch index,
	// the documents must have one value each and signatures in the stored field
	// signature.Field.Sketch.
	Terms Backend = "terms"
)

// SetBoost implements query.BoostableQuery.
func (q *SimilarQuery) SetBoost(b float64) {
	boost := query.Boost(b)
	q.BoostVal = &boost
}

// Boost implements query.BoostableQuery.
func (q *SimilarQuery) Boost() float64 { return q.BoostVal.Value() }

// Validate implements query.ValidatableQuery.
func (q *SimilarQuery) Validate() error {
	given := 0
	for _, is := range []bool{len(q.Text) > 0 && !(q.Verify.On() && q.Signature != nil), q.Signature != nil, q.ID != "" && q.Signature == nil} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return errors.New("near: query: wanted one of text, signature and id, got none or several")
	case q.TextScope != "" && len(q.Text) == 0:
		return fmt.Errorf("near: query: text_scope: wanted a text of that scope, %q, got none", q.TextScope)
	case q.Scope != nil && q.Scope.Field == "":
		return errors.New("near: query: scope: wanted the name of a field, got none")
	case q.Backend == Terms && q.Plan != table.Plan{}:
		return wrongPlan(q.Backend)
	case q.Backend != "" && q.Backend != Memory && q.Backend != Terms:
		return fmt.Errorf("near: query: backend: wanted %q or %q, got %q", Memory, Terms, q.Backend)
	}
	err := cmp.Or(common(q.MaxShare, q.Within, q.ID), q.Rule.Validate(), q.Verify.Validate(), q.Plan.Validate(q.Rule))
	if err != nil {
		return fmt.Errorf("near: query: %w", err)
	}
	return nil
}

func wrongPlan(b Backend) error {
	return fmt.Errorf("near: query: plan: wanted backend %q, got %q", Memory, b)
}

func (q *SimilarQuery) field() string { return cmp.Or(q.Field, signature.DefaultField) }

// Searcher implements query.Query.
func (q *SimilarQuery) Searcher(ctx context.Context, reader index.IndexReader, m mapping.IndexMapping,
	o search.SearcherOptions,
) (search.Searcher, error) {
	return newSearcher(ctx, reader, q, o, "near.Similar", func() ([]match, error) {
		f, err := q.finder(ctx, reader, m)
		if err != nil {
			return nil, err
		}
		all, err := q.matches(f)
		if err == nil {
			tell(ctx, q, f.passed, 0, f.damaged)
		}
		return all, err
	})
}

// matches finds all matches, in the order of their numbers.
func (q *SimilarQuery) matches(f *finder) (all []match, err error) {
	own, err := number(f.reader, q.ID)
	if err != nil {
		return nil, err
	}
	sig := q.Signature
	switch {
	case sig != nil:
	case q.ID != "" && own == nil:
		return nil, nil
	case q.ID != "":
		sig, err = f.signature(q.ID, own.Value())
	case f.unmapped != nil:
		return nil, f.unmapped
	default:
		var sets *template.Sets
		if sets, err = leftout.In(f.reader.GetInternal, f.field); err == nil {
			sig, err = neardup.Sign(f.mapping, f.field, sets.Of(q.TextScope), q.Text...)
		}
	}
	if err != nil {
		return nil, err
	}
	text := sync.OnceValue(func() *verify.Text {
		switch {
		case len(q.Text) > 0:
			return q.given(f.texts.Texts, sig)
		case own != nil && q.Signature == nil:
			return f.texts.Text(own.Value(), sig)
		}
		return nil
	})
	if f.equal, err = equalTo(f.reader, q.ID, q.Within, q.values, own); err != nil {
		return nil, err
	}
	all, err = f.find(sig, text)
	if own != nil && !q.Self {
		all = slices.DeleteFunc(all, func(m match) bool { return m.doc == own.Value() })
	}
	return all, err
}

// given returns the text that was given with the query, if sig is its signature.
func (q *SimilarQuery) given(texts *verify.Texts, sig *signature.Signature) *verify.Text {
	return texts.Given(sig, q.TextScope, as[[]byte](q.Text))
}
