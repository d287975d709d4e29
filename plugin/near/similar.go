package near

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
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
	q, rep := r.Query, &report{began: time.Now()}
	q.BoostVal, q.MaxShare = nil, cmp.Or(q.MaxShare, DefaultMaxShare) // scores alone bring the hits in order here
	if err := r.check(ctx, index, &q, q.Within...); err != nil {
		return nil, err
	}
	if q.Scope != nil {
		if err := checkFields(index, "scope", []string{q.Scope.Field}); err != nil {
			return nil, err
		}
	}
	texts, err := q.texts(index)
	if err != nil {
		return nil, err
	}
	if err := q.resolve(ctx, index, texts); err != nil {
		return nil, err
	}
	if err := q.resolveRule(ctx, index); err != nil {
		return nil, err
	}
	res, err := r.ask(ctx, index, &q, rep, append(texts.Fields(), signature.Field(q.field()).Sketch())...)
	if err != nil {
		return nil, err
	}
	return q.result(res, rep, r.Fields, texts)
}

// texts returns where the texts of index are; it has none unless they decide.
func (q *SimilarQuery) texts(index bleve.Index) (*verify.Texts, error) {
	if !q.Verify.On() {
		return new(verify.Texts), nil
	}
	return verify.TextsOf(index, q.field())
}

// resolve makes q one of a signature, which all members understand.
func (q *SimilarQuery) resolve(ctx context.Context, index bleve.Index, texts *verify.Texts) error {
	switch {
	case q.ID != "" && (q.Signature == nil || len(q.Within) > 0):
		return q.resolveID(ctx, index, texts)
	case q.Signature != nil:
		return nil
	}
	m := index.Mapping()
	if m == nil { // that of a member
		if all := indexes.Mapped(index); len(all) > 0 {
			m = all[0].Mapping()
		}
	}
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
func (q *SimilarQuery) resolveID(ctx context.Context, index bleve.Index, texts *verify.Texts) (err error) {
	name := signature.Field(q.field()).Sketch()
	own, err := find(ctx, index, q.ID, q.Within, append(texts.Fields(), name)...)
	if err != nil {
		return err
	}
	if q.values = own.values; q.Signature != nil {
		return nil
	}
	q.Signature, err = stored.OfHit(own.hit, name)
	if none := indexes.Signed(index, q.field()); errors.Is(err, stored.ErrNone) && none != nil {
		return fmt.Errorf("near: id %q: %w", q.ID, none)
	}
	if err != nil {
		return fmt.Errorf("near: id %q: %w", q.ID, stored.Wanted(name, err))
	}
	if text := texts.Find(q.Signature, verify.OfHit(own.hit.Fields)); text != nil {
		q.Text, q.TextScope = as[string](text.Values), text.Scope
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

// result makes a SimilarResult, without the stored fields that are not among named.
func (q *SimilarQuery) result(res *bleve.SearchResult, rep *report, named []string, texts *verify.Texts) (*SimilarResult, error) {
	r := &SimilarResult{make([]SimilarHit, len(res.Hits)), rep.result(res, q.MaxShare)}
	judge := verify.Judge{Verify: q.Verify, Rule: q.Rule}
	if !q.Plan.Exact(judge.Proposes(q.Signature.Lanes), q.Signature.Lanes) {
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
	r.Took = time.Since(rep.began)
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
