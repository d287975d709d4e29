package near

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// SimilarRequest asks for the near-duplicates of a document.
type SimilarRequest = Request[SimilarQuery]

// SimilarResult is the near-duplicates of a document.
type SimilarResult struct {
	// Hits is the page: the greatest resemblance first, then by id.
	Hits []SimilarHit `json:"hits"`

	Result
}

// SimilarHit is one near-duplicate. It is Verified if the texts were compared, as SimilarQuery.Verify asks
// for. Otherwise a text was not there to compare, and the signatures decided.
type SimilarHit struct {
	Hit

	// Match says how it compares with the document, and by which tests.
	signature.Match

	// Resemblance is the share of the shingles of both that each of them has.
	Resemblance sketch.Estimate `json:"resemblance"`
}

// Similar finds the near-duplicates that r asks for. An error wraps ErrNotFound if there is no document of
// the id. A text is signed by the mapping of the index, or of the first local member of an alias. Indexes in
// other processes have none: give their alias one (SetIndexMapping). Status names the members of an alias
// that failed; if all fail, that is an error.
func Similar(ctx context.Context, index bleve.Index, r SimilarRequest) (*SimilarResult, error) {
	q := r.Query
	q.BoostVal, q.MaxShare = nil, cmp.Or(q.MaxShare, DefaultMaxShare) // scores alone bring the hits in order here
	if err := r.check(ctx, index, &q, q.Within...); err != nil {
		return nil, err
	}
	if q.Scope != nil {
		if err := checkFields(index, "scope", []string{q.Scope.Field}); err != nil {
			return nil, err
		}
	}
	if err := q.resolve(ctx, index); err != nil {
		return nil, err
	}
	if err := q.resolveRule(ctx, index); err != nil {
		return nil, err
	}
	texts, err := q.texts(index)
	if err != nil {
		return nil, err
	}
	s := r.search(&q, r.Size, r.From, append(texts.Fields(), signature.Field(q.field()).Sketch())...)
	rep := &similarReport{query: &q}
	res, err := index.SearchInContext(context.WithValue(ctx, reportKey{}, rep), s)
	if err != nil {
		return nil, err
	}
	if res.Status.Failed > 0 && res.Status.Successful == 0 {
		return nil, fmt.Errorf("near: %w", failure(res.Status))
	}
	return q.result(res, rep, r.Fields, texts)
}

// texts returns where the texts of index are; it has none unless they decide.
func (q *SimilarQuery) texts(index bleve.Index) (*verify.Texts, error) {
	if !q.Verify.On() {
		return new(verify.Texts), nil
	}
	sets, err := indexes.Templates(index, q.field())
	if err != nil {
		return nil, fmt.Errorf("near: %w", err)
	}
	return verify.NewTexts(mappingOf(index), q.field(), sets...)
}

// resolve makes q one of a signature, which all members understand.
func (q *SimilarQuery) resolve(ctx context.Context, index bleve.Index) error {
	switch {
	case q.ID != "" && (q.Signature == nil || len(q.Within) > 0):
		return q.resolveID(ctx, index)
	case q.Signature != nil:
		return nil
	}
	m := mappingOf(index)
	if m == nil {
		return errors.New("near: text: wanted a mapping to sign it by, got none; SetIndexMapping gives an alias one")
	}
	sets, err := indexes.OneTemplates(index, q.field())
	if err != nil {
		err = fmt.Errorf("near: text: %w", err)
	} else {
		q.Signature, err = neardup.Sign(m, q.field(), sets.Of(q.TextScope), q.Text...)
	}
	if !q.Verify.On() {
		q.Text, q.TextScope = nil, ""
	}
	return indexes.Closed(index, err)
}

// resolveID finds the document that q names: its values of Within, and its signature and text unless q has them.
func (q *SimilarQuery) resolveID(ctx context.Context, index bleve.Index) error {
	texts, err := q.texts(index)
	if err != nil {
		return err
	}
	hit, sig, err := hitByID(ctx, index, q.field(), q.ID, append(texts.Fields(), q.Within...))
	if err != nil {
		return err
	}
	if err := q.resolveWithin(ctx, index, hit); err != nil {
		return fmt.Errorf("near: id %q: %w", q.ID, err)
	}
	if q.Signature != nil {
		return nil
	}
	q.Signature = sig
	if own := texts.Find(sig, verify.OfHit(hit.Fields)); own != nil {
		q.Text, q.TextScope = textsOf[string](own.Values), own.Scope
	}
	return nil
}

// resolveRule makes the rule of q, which has a signature, the one by which all members compare.
func (q *SimilarQuery) resolveRule(ctx context.Context, index bleve.Index) (err error) {
	if q.Rule, err = indexes.Rule(ctx, index, q.field(), q.Rule); err == nil {
		err = q.Plan.Validate(q.Rule)
	}
	if err != nil {
		return fmt.Errorf("near: query: %w", err)
	}
	if !indexes.Local(index) { // a member that has another rule must not fill in what it leaves out
		q.Rule = q.Rule.Explicit(q.Signature.Lanes)
	}
	return nil
}

// hitByID finds a document, with its signature and the stored fields that are named.
func hitByID(ctx context.Context, index bleve.Index, field, id string, fields []string) (
	*search.DocumentMatch, *signature.Signature, error,
) {
	name := signature.Field(field).Sketch()
	s := bleve.NewSearchRequest(indexes.ByID([]string{id}))
	s.Fields = append([]string{name}, fields...)
	res, err := index.SearchInContext(ctx, s)
	switch {
	case err != nil:
		return nil, nil, err
	case len(res.Hits) == 0 && res.Status.Failed > 0:
		return nil, nil, fmt.Errorf("near: id %q: %w", id, failure(res.Status))
	case len(res.Hits) == 0:
		return nil, nil, fmt.Errorf("near: id %q: %w", id, ErrNotFound)
	case len(res.Hits) > 1:
		return nil, nil, fmt.Errorf("near: id %q: wanted it in one member of the alias, got it in %q and %q; give the signature instead",
			id, res.Hits[0].Index, res.Hits[1].Index)
	}
	sig, err := stored.OfHit(res.Hits[0], name)
	if none := indexes.Signed(index, field); errors.Is(err, stored.ErrNone) && none != nil {
		err = none
	}
	if err = stored.Wanted(name, err); err != nil {
		return nil, nil, fmt.Errorf("near: id %q: %w", id, err)
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

// result makes a SimilarResult, without the stored fields that are not among named.
func (q *SimilarQuery) result(res *bleve.SearchResult, rep *similarReport, named []string,
	texts *verify.Texts,
) (*SimilarResult, error) {
	r := &SimilarResult{make([]SimilarHit, len(res.Hits)), Result{
		Total: res.Total, TotalRelation: bleve.TotalRelationEq, PassedOver: rep.passed, Status: res.Status, Took: res.Took,
	}}
	judge := verify.Judge{Verify: q.Verify, Rule: q.Rule}
	exact := q.Plan.Exact(judge.Proposes(q.Signature.Lanes), q.Signature.Lanes)
	if !exact || res.Status.Failed > 0 || rep.passed > 0 || q.MaxShare < 1 && rep.members < res.Status.Successful {
		r.TotalRelation = bleve.TotalRelationGte
	}
	name := signature.Field(q.field()).Sketch()
	own := sync.OnceValue(func() *verify.Text { return q.given(texts, q.Signature) })
	for i, hit := range res.Hits {
		sig, err := stored.OfHit(hit, name)
		if err = stored.Wanted(name, err); err != nil {
			return nil, fmt.Errorf("near: hit %q: %w", hit.ID, err)
		}
		h := &r.Hits[i]
		h.Index, h.ID = hit.Index, hit.ID
		v, _ := judge.Pair(q.Signature, sig, own, func() *verify.Text { return texts.Stored(sig, verify.OfHit(hit.Fields)) })
		h.compare(q.Signature, sig, v)
		stored.Strip(hit, named, texts.Fields()...)
		h.Fields = hit.Fields
	}
	return r, nil
}

// compare says how the hit, which has the signature sig, compares with the document of the signature of.
func (h *SimilarHit) compare(of, sig *signature.Signature, v verify.Finding) {
	h.Match, h.Verified = v.Match, v.Verified
	if v.Verified {
		h.Resemblance = v.Resemblance()
		h.InHit, h.OfHit = v.Containment()
		return
	}
	h.Resemblance, _ = of.Resemblance(sig)
	h.InHit, h.OfHit, _ = of.Containment(sig)
}

// similarReport is what the indexes of this process say about a query besides its matches.
type similarReport struct {
	query *SimilarQuery

	mu              sync.Mutex
	members, passed int
}

func (r *similarReport) add(passed int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.members++
	r.passed += passed
}

// equalIn returns a function that reports whether a document is equal to the document of q in the
// fields of Within; nil if there are none. own is the number of the document of q, nil if it is not of this index.
func (q *SimilarQuery) equalIn(f *finder, own index.IndexInternalID) (func(doc uint64) (bool, error), error) {
	values := fields.Values(q.values)
	if len(q.Within) > 0 && values == nil {
		if own == nil {
			return nil, fmt.Errorf("near: query: within: id %q: %w", q.ID, ErrNotFound)
		}
		var err error
		if values, err = fields.Of(f.reader, q.Within, own); err != nil {
			return nil, err
		}
	}
	same, err := fields.EqualTo(f.reader, fields.Options{Within: q.Within}, values)
	if err != nil {
		return nil, fmt.Errorf("near: query: within: %w", err)
	}
	return same, nil
}

// resolveWithin reads the values of the document of q, which hit names: from a local index as they are
// indexed, from a remote one as they are stored.
func (q *SimilarQuery) resolveWithin(ctx context.Context, index bleve.Index, hit *search.DocumentMatch) error {
	if len(q.Within) == 0 {
		return nil
	}
	for _, leaf := range indexes.Leaves(index) {
		if leaf.Name() != hit.Index {
			continue
		}
		if _, err := leaf.Advanced(); err != nil {
			continue // remote
		}
		_, reader, err := indexes.Reader(leaf)
		if err != nil {
			return err
		}
		defer reader.Close()
		own, err := reader.InternalID(hit.ID)
		if err != nil {
			return err
		}
		if own == nil {
			continue // another index of that name
		}
		q.values, err = fields.Of(reader, q.Within, own)
		return err
	}
	q.values = fields.OfHit(hit.Fields, q.Within)
	return ctx.Err()
}
