// Package similar finds the near-duplicates of a document in an index.
//
//	result, err := similar.Search(ctx, index, similar.Request{Query: similar.Query{ID: "page"}})
//	for _, hit := range result.Hits {
//		fmt.Println(hit.ID, hit.Resemblance, hit.By)
//	}
//
// The document is given by its id, its text or its signature. Search works on an
// index of type neardup, on an alias, and on remote indexes that implement bleve.Index.
// A [Query] is the same as a bleve query, to be combined with others, collapsed,
// sorted, counted in facets, or sent in JSON. [Parser] reads that. A Query is about one fingerprinted
// field. A conjunction of Queries finds what is near in each of their fields, and a disjunction what is near in any.
//
// # What is promised
//
// All documents whose signature meets the rule are found and no other: keys are
// chosen so that no near-duplicate is missed (package table), and what they lead to
// is judged by the rule, or with Query.Verify by the texts. Both back ends find the same. A document without a
// readable signature is not found. Result.Status names the members of an alias that did not
// answer, and TotalRelation is then "gte". "Nothing was found" is certain only if it is "eq".
//
// Only the boilerplate guard, Query.MaxShare, leaves documents out: in an index where
// one template makes up most of each page, a key might lead to all of them. Search has the guard
// on by default, and TotalRelation and PassedOver say when it left something out.
package similar

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/resemblance"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/idquery"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/lookup"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/internal/templates"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// Request asks for the near-duplicates of a document.
type Request struct {
	// Query says of what. In an alias, its ID is that of a document in any member. A
	// boost has no effect.
	Query Query

	// Filter leaves only the near-duplicates that it matches; nil leaves all.
	Filter query.Query

	// Size and From are the page: Size hits, 10 if 0, from the From-th on.
	Size, From int

	// Fields are the stored fields to load with each hit.
	Fields []string

	// Mapping says how Query.Text is signed; nil for the mapping of the index, or of
	// the first local member of an alias. Remote indexes have none.
	Mapping mapping.IndexMapping
}

// Result is the near-duplicates of a document.
type Result struct {
	// Hits is the page: the greatest resemblance first, then by id.
	Hits []Hit `json:"hits"`

	// Total is the number of near-duplicates on all pages, and TotalRelation whether
	// that is exact: bleve.TotalRelationEq, or bleve.TotalRelationGte if keys were passed over, if a
	// member failed, if the plan might miss some, or if there is a guard and a remote member, which
	// does not say whether it passed over keys.
	Total         uint64 `json:"total"`
	TotalRelation string `json:"total_relation"`

	// PassedOver is the number of keys that the guard did not follow, in all indexes
	// of this process together.
	PassedOver int `json:"passed_over,omitempty"`

	// Status is bleve's: which members of an alias failed.
	Status *bleve.SearchStatus `json:"status"`

	// Took is the time of the search in the index.
	Took time.Duration `json:"took"`
}

// Hit is one near-duplicate. Its JSON has an id that is not UTF-8 as collapse.Ref's has.
type Hit struct {
	collapse.Ref

	// Match says how it compares with the document, and by which tests.
	signature.Match

	// Verified says that the stored texts were compared, as Query.Verify asks for. The shares
	// below are then exact. Otherwise a text was not there to compare, and the signatures decided.
	Verified bool `json:"verified,omitempty"`

	// Resemblance is the share of the shingles of both that each of them has.
	Resemblance resemblance.Estimate `json:"resemblance"`

	// InHit is the share of the document's shingles that the hit has, and OfHit the
	// share of the hit's shingles that the document has.
	InHit resemblance.Estimate `json:"in_hit"`
	OfHit resemblance.Estimate `json:"of_hit"`

	// Fields are the stored fields that were asked for.
	Fields map[string]any `json:"fields,omitempty"`
}

// ErrNotFound: no member has a document of the id.
var ErrNotFound = errors.New("no such document")

// Search finds the near-duplicates that r asks for. An error wraps ErrNotFound if
// there is no document of the id. Status names the members of an alias that failed; if all
// fail, that is an error.
func Search(ctx context.Context, index bleve.Index, r Request) (*Result, error) {
	if err := indexes.Check(ctx, index); err != nil {
		return nil, fmt.Errorf("similar: %w", err)
	}
	q := r.Query
	q.BoostVal = nil // scores alone bring the hits in order here
	if q.MaxShare == 0 {
		q.MaxShare = DefaultMaxShare
	}
	if err := q.Validate(); err != nil {
		return nil, err
	}
	var err error
	if r.Size, err = lookup.CheckPage(r.Size, r.From, r.Filter); err != nil {
		return nil, fmt.Errorf("similar: %w", err)
	}
	if err := resolve(ctx, index, &q, r.Mapping); err != nil {
		return nil, err
	}
	if err := q.resolveRule(ctx, index); err != nil {
		return nil, err
	}
	texts, err := q.texts(index, r.Mapping)
	if err != nil {
		return nil, err
	}
	s := lookup.Request(&q, r.Filter, r.Size, r.From, r.Fields, append(texts.Fields(), signature.SketchField(q.field()))...)
	rep := &report{query: &q}
	res, err := index.SearchInContext(context.WithValue(ctx, reportKey{}, rep), s)
	if err != nil {
		return nil, err
	}
	if res.Status.Failed > 0 && res.Status.Successful == 0 {
		return nil, failure(res.Status)
	}
	return q.result(res, rep, r.Fields, texts)
}

// texts returns where the texts of index are; it has none unless they decide.
func (q *Query) texts(index bleve.Index, m mapping.IndexMapping) (*verify.Texts, error) {
	if !q.Verify.On() {
		return new(verify.Texts), nil
	}
	sets, err := indexes.Templates(index, q.field())
	if err != nil {
		return nil, fmt.Errorf("similar: %w", err)
	}
	if m == nil {
		m = mappingOf(index)
	}
	return verify.NewTexts(m, q.field(), sets...)
}

// resolve makes q one of a signature, which all members understand.
func resolve(ctx context.Context, index bleve.Index, q *Query, m mapping.IndexMapping) (err error) {
	switch {
	case q.Signature != nil && len(q.Within) > 0:
		var hit *search.DocumentMatch
		if hit, _, err = hitByID(ctx, index, q.field(), q.ID, q.Within); err == nil {
			err = q.resolveWithin(ctx, index, hit)
		}
	case q.Signature != nil:
	case q.ID != "":
		err = q.resolveID(ctx, index, m)
	default:
		if m == nil {
			m = mappingOf(index)
		}
		if m == nil {
			return fmt.Errorf("similar: text: wanted a mapping to sign it by, got none; Request.Mapping takes one")
		}
		q.Signature, err = sign(index, m, q)
		err = indexes.Closed(index, err)
		if !q.Verify.On() {
			q.Text, q.TextScope = nil, ""
		}
	}
	return err
}

// resolveID finds the signature of the document that q names, and its text if texts decide.
func (q *Query) resolveID(ctx context.Context, index bleve.Index, m mapping.IndexMapping) error {
	texts, err := q.texts(index, m)
	if err != nil {
		return err
	}
	hit, sig, err := hitByID(ctx, index, q.field(), q.ID, append(texts.Fields(), q.Within...))
	if err != nil {
		return err
	}
	q.Signature = sig
	if err := q.resolveWithin(ctx, index, hit); err != nil {
		return fmt.Errorf("similar: id %q: %w", q.ID, err)
	}
	if !q.Verify.On() {
		return nil
	}
	_, values, scope := texts.Find(sig, verify.OfHit(hit.Fields))
	for _, v := range values {
		q.Text = append(q.Text, string(v))
	}
	if len(values) > 0 {
		q.TextScope = scope
	}
	return nil
}

// sign returns the signature of the text of q, as index signs documents.
func sign(index bleve.Index, m mapping.IndexMapping, q *Query) (*signature.Signature, error) {
	sets, err := indexes.OneTemplates(index, q.field())
	if err != nil {
		return nil, fmt.Errorf("similar: text: %w", err)
	}
	return templates.Signer{Mapping: m, Field: q.field(), Sets: sets}.Sign(q.TextScope, q.Text...)
}

// resolveRule makes the rule of q, which has a signature, the one by which all members compare.
func (q *Query) resolveRule(ctx context.Context, index bleve.Index) (err error) {
	if q.Rule, err = indexes.Rule(ctx, index, q.field(), q.Rule); err == nil {
		err = q.Plan.Validate(q.Rule)
	}
	if err != nil {
		return fmt.Errorf("similar: query: %w", err)
	}
	if !indexes.Local(index) { // a member that has another rule must not fill in what it leaves out
		q.Rule = q.Rule.Explicit(q.Signature.Lanes)
	}
	return nil
}

// hitByID finds a document, with its signature and the stored fields that are named.
func hitByID(ctx context.Context, index bleve.Index, field, id string, fields []string) (*search.DocumentMatch, *signature.Signature, error) {
	name := signature.SketchField(field)
	s := bleve.NewSearchRequest(idquery.New([]string{id}))
	s.Fields = append([]string{name}, fields...)
	res, err := index.SearchInContext(ctx, s)
	switch {
	case err != nil:
		return nil, nil, err
	case len(res.Hits) == 0 && res.Status.Failed > 0:
		return nil, nil, fmt.Errorf("similar: id %q: %w", id, failure(res.Status))
	case len(res.Hits) == 0:
		return nil, nil, fmt.Errorf("similar: id %q: %w", id, ErrNotFound)
	case len(res.Hits) > 1:
		return nil, nil, fmt.Errorf("similar: id %q: wanted it in one member of the alias, got it in %q and %q; give the signature instead",
			id, res.Hits[0].Index, res.Hits[1].Index)
	}
	sig, err := stored.OfHit(res.Hits[0], name)
	if none := indexes.Signed(index, field); errors.Is(err, stored.ErrNone) && none != nil {
		err = none
	}
	if err = stored.Wanted(name, err); err != nil {
		return nil, nil, fmt.Errorf("similar: id %q: %w", id, err)
	}
	return res.Hits[0], sig, nil
}

// mappingOf returns the first mapping among an index and its members, or nil.
func mappingOf(index bleve.Index) (m mapping.IndexMapping) {
	if m = index.Mapping(); m != nil {
		return m
	}
	if alias, ok := index.(interface {
		VisitIndexes(func(bleve.Index))
	}); ok {
		alias.VisitIndexes(func(member bleve.Index) {
			if m == nil {
				m = mappingOf(member)
			}
		})
	}
	return m
}

// failure joins the errors of an alias's members.
func failure(s *bleve.SearchStatus) error {
	var all []error
	for name, err := range s.Errors {
		all = append(all, fmt.Errorf("%s: %w", name, err))
	}
	slices.SortFunc(all, func(a, b error) int {
		if a.Error() < b.Error() {
			return -1
		}
		return 1
	})
	return fmt.Errorf("similar: %d of %d members failed: %w", s.Failed, s.Total, errors.Join(all...))
}

// result makes a Result, without the stored fields that are not among named.
func (q *Query) result(res *bleve.SearchResult, rep *report, named []string, texts *verify.Texts) (*Result, error) {
	r := &Result{
		Hits: make([]Hit, len(res.Hits)), Total: res.Total, TotalRelation: bleve.TotalRelationEq,
		PassedOver: rep.passed, Status: res.Status, Took: res.Took,
	}
	judge := verify.Judge{Verify: q.Verify, Rule: q.Rule}
	exact := q.Plan.Exact(judge.Proposes(q.Signature.Lanes), q.Signature.Lanes)
	if !exact || res.Status.Failed > 0 || rep.passed > 0 || q.MaxShare < 1 && rep.members < res.Status.Successful {
		r.TotalRelation = bleve.TotalRelationGte
	}
	name := signature.SketchField(q.field())
	own := sync.OnceValue(func() *verify.Text { return q.given(texts, q.Signature) })
	for i, hit := range res.Hits {
		sig, err := stored.OfHit(hit, name)
		if err = stored.Wanted(name, err); err != nil {
			return nil, fmt.Errorf("similar: hit %q: %w", hit.ID, err)
		}
		h := &r.Hits[i]
		h.Ref = collapse.Ref{Index: hit.Index, ID: hit.ID}
		v, _ := judge.Pair(q.Signature, sig, own, func() *verify.Text { return texts.Stored(sig, verify.OfHit(hit.Fields)) })
		h.compare(q.Signature, sig, v)
		stored.Strip(hit, named, texts.Fields()...)
		h.Fields = hit.Fields
	}
	return r, nil
}

// compare says how the hit, which has the signature sig, compares with the document of the signature of.
func (h *Hit) compare(of, sig *signature.Signature, v verify.Finding) {
	h.Match, h.Verified = v.Match, v.Verified
	if v.Verified {
		h.Resemblance = v.Resemblance()
		h.InHit, h.OfHit = v.Containment()
		return
	}
	h.Resemblance, _ = signature.Resemblance(of, sig)
	h.InHit, h.OfHit, _ = signature.Containment(of, sig)
}

// report is what the indexes of this process say about a query besides its matches.
type report struct {
	query *Query

	mu              sync.Mutex
	members, passed int
}

// reportKey is the key of a *report in a context.
type reportKey struct{}

func (r *report) add(passed int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.members++
	r.passed += passed
}
