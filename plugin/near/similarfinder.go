package near

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// finder finds the near-duplicates of a signature in one snapshot.
type finder struct {
	ctx        context.Context
	reader     index.IndexReader
	analyzer   *neardup.Analyzer
	unmapped   error // if there is no analyzer
	mapping    mapping.IndexMapping
	signatures *column.Reader
	plain      bool // not of type neardup
	backend    Backend
	field      string
	judge      verify.Judge
	texts      *verify.Snapshot               // nil unless texts decide
	rule       signature.Rule                 // by which find looks up
	equal      func(doc uint64) (bool, error) // in the fields of Within
	plan       table.Plan
	scope      string // a field; all documents are looked at if it is empty
	scoped     uint64 // column.ScopeOf the terms there
	most       int    // documents that may hold a key, 0 for any number

	passed, damaged int // keys that were not followed, and documents whose signature cannot be read
}

func (q *SimilarQuery) finder(ctx context.Context, reader index.IndexReader, m mapping.IndexMapping) (*finder, error) {
	n, err := reader.DocCount()
	if err != nil {
		return nil, err
	}
	f := &finder{
		ctx: ctx, reader: reader, mapping: m, field: q.field(), plan: q.Plan,
		backend: cmp.Or(q.Backend, Memory), most: mostHeld(q.MaxShare, n),
	}
	if q.Scope != nil {
		f.scope, f.scoped = q.Scope.Field, column.ScopeOf(q.Scope.Values...)
	}
	f.judge.Verify = q.Verify
	if f.judge.Rule, _, err = neardup.RuleOf(m, f.field, q.Rule); err == nil {
		err = f.plan.Validate(f.judge.Rule)
	}
	if err != nil {
		return nil, fmt.Errorf("near: query: %w", err)
	}
	f.analyzer, f.unmapped = neardup.Kept(m, f.field)
	if f.signatures = column.Of(reader, f.field); f.signatures == nil {
		f.plain, f.backend = true, cmp.Or(q.Backend, Terms)
		f.signatures = column.Read(reader, f.field)
	}
	switch {
	case f.backend == Terms && f.plan != table.Plan{}:
		return nil, wrongPlan(Terms)
	case f.signatures == nil:
		return nil, fmt.Errorf("near: wanted an index of type %q, or one of scorch, got a %T without signatures: "+
			"backfill makes one of it", neardup.Name, reader)
	case f.plain && f.backend == Memory:
		return nil, fmt.Errorf("near: backend %q: %w", Memory, column.ErrUnsigned)
	case !f.plain || n > 0:
		if err := indexes.SignedIn(reader, m, f.field); err != nil {
			return nil, fmt.Errorf("near: %w", err)
		}
	}
	if q.Verify.On() {
		if f.texts, err = verify.NewSnapshot(reader, m, f.field, f.signatures); err != nil {
			return nil, fmt.Errorf("near: %w", err)
		}
	}
	return f, nil
}

// number returns the number of a document, nil if there is none or id is empty.
func number(r index.IndexReader, id string) (index.IndexInternalID, error) {
	if id == "" {
		return nil, nil
	}
	return r.InternalID(id)
}

// signature returns the signature of a document of the snapshot.
func (f *finder) signature(id string, doc uint64) (*signature.Signature, error) {
	sig, err := f.signatures.Signature(doc)
	switch {
	case err == stored.ErrNone:
		err = fmt.Errorf("near: id %q: wanted a document with a signature of field %q, got one without: %w", id, f.field, err)
	case err != nil:
		err = fmt.Errorf("near: id %q: %w", id, err)
	}
	return sig, err
}

// find returns all documents that match sig, in the order of their numbers. text returns the text of sig.
func (f *finder) find(sig *signature.Signature, text func() *verify.Text) (all []match, err error) {
	if f.unmapped == nil {
		if want := f.analyzer.Params().ID(); sig.Params != want && sig.Tokens > 0 {
			return nil, fmt.Errorf("near: signature: wanted one of the parameters of field %q, %#x, got %#x", f.field, want, sig.Params)
		}
	}
	if sig.Tokens == 0 {
		return nil, nil
	}
	f.rule = f.judge.Proposes(sig.Lanes)
	var failed error
	judged := func(doc uint64, other *signature.Signature) {
		if ok, err := f.equal(doc); !ok {
			failed = cmp.Or(failed, err)
			return
		}
		if v, ok := f.judge.Pair(sig, other, text, func() *verify.Text { return f.texts.Text(doc, other) }); ok {
			all = append(all, match{doc, sig.Lanes, v})
		}
	}
	find := f.inMemory
	if f.backend == Terms {
		find = f.byTerms
	}
	err = find(sig, judged)
	slices.SortFunc(all, func(a, b match) int { return cmp.Compare(a.doc, b.doc) })
	return all, cmp.Or(err, failed)
}

func (f *finder) inMemory(sig *signature.Signature, yield func(doc uint64, sig *signature.Signature)) error {
	l, err := f.signatures.Lookup(f.ctx, f.rule, f.plan, f.scope)
	if err != nil {
		return err
	}
	var p table.Probe
	p.Prepare(f.rule, f.plan, sig, f.scoped)
	if f.most > 0 {
		f.passed = l.Guard(&p, f.most)
	}
	f.damaged = l.Damaged
	looked, other := 0, signature.Signature{}
	l.Near(&p, func(doc uint64) bool {
		if looked++; looked%checkEvery == 0 && f.ctx.Err() != nil {
			err = f.ctx.Err()
			return false
		}
		if other, err = f.signatures.At(doc); err != nil {
			return false
		}
		yield(doc, &other)
		return true
	})
	return err
}

// match is a document that was found.
type match struct {
	doc   uint64
	lanes int // of the sketches
	verify.Finding
}

// Number implements found.
func (m match) Number() uint64 { return m.doc }

// Score implements found: it is the resemblance.
func (m match) Score() float64 {
	switch {
	case m.Verified:
		return m.Resemblance().Value
	case m.By&signature.ByExact != 0:
		return 1
	}
	return sketch.Share(m.Agree, m.lanes)
}

// Explain implements found.
func (m match) Explain() string {
	if m.Verified {
		return fmt.Sprintf("resemblance, exact, the texts share %d of %d shingles; proposed by %s", m.Shared, m.Union(), m.By)
	}
	return fmt.Sprintf("resemblance, %d of %d lanes agree, Hamming %d; met the rule by %s", m.Agree, m.lanes, m.Hamming, m.By)
}
