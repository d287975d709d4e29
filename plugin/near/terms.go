package near

import (
	"errors"
	"fmt"
	"math"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/internal/column"
)

// The terms of a fingerprinted field are its keys: two documents that meet the rule
// share one, as they do in a table. What a term leads to is judged by the rule, by
// its signature, read from what is stored.

// key is a term of a signature.
type key struct {
	term  []byte
	block bool // of bits of the simhash, not of lanes
}

// byTerms finds near-duplicates by the terms of the field. It passes over terms that too many
// documents have, if there is a guard, but always follows the rarest one: documents with the same
// exact hash share every key, so they are always found.
func (f *finder) byTerms(sig *signature.Signature, yield func(doc uint64, sig *signature.Signature)) (err error) {
	defer column.Guard("terms of field "+f.field, &err)
	keys, err := f.keys(sig)
	if err != nil {
		return err
	}
	t, err := f.signatures.Postings()
	if err != nil {
		return err
	}
	in, err := f.inScope()
	if err != nil {
		return err
	}
	c := checker{finder: f, sig: sig, in: in, seen: map[uint64]bool{}, yield: yield}
	follow := func(k key) error {
		return t.Each(func(docs []uint64) error { return c.look(k, docs) })
	}
	followed, rarest, least := 0, key{}, uint64(math.MaxUint64)
	for _, k := range keys {
		count, err := t.Open(k.term)
		if err != nil {
			return err
		}
		if f.most > 0 && count > uint64(f.most) {
			if count < least {
				rarest, least = k, count
			}
			continue
		}
		followed++
		if err := follow(k); err != nil {
			return err
		}
	}
	if followed == 0 && len(keys) > 0 {
		followed = 1
		if _, err := t.Open(rarest.term); err != nil {
			return err
		}
		err = follow(rarest)
	}
	f.passed = len(keys) - followed
	return err
}

// keys returns terms of sig, of which every near-duplicate of sig has at least one.
func (f *finder) keys(sig *signature.Signature) (keys []key, err error) {
	if f.unmapped != nil {
		return nil, f.unmapped
	}
	plan, ok := f.analyzer.Bands(f.plain)
	if !ok {
		return nil, fmt.Errorf(`near: backend %q: wanted field %q to have the analyzer option "terms": "bands", got none or others`,
			Terms, f.field)
	}
	if err := plan.Check(f.rule, f.analyzer.Params().Lanes); err != nil {
		return nil, fmt.Errorf("near: backend %q: %w", Terms, err)
	}
	for i, t := range plan.Terms(sig, 0) {
		block := i >= plan.Bands
		if sig.Lanes == 0 || block && f.rule.Mode != signature.SketchOnly && f.rule.Mode != signature.ExactOnly || !block && f.rule.Mode != signature.SimhashOnly {
			keys = append(keys, key{t.Term, block})
		}
	}
	return keys, nil
}

// checker checks by the rule the documents that have one of the keys. It does not look at texts:
// what it yields is still to be judged.
type checker struct {
	*finder
	sig   *signature.Signature
	in    func(index.IndexInternalID) (bool, error)
	seen  map[uint64]bool // mostly of a few documents, for which a bitmap is slower
	yield func(doc uint64, sig *signature.Signature)
}

// look yields the documents that meet the rule and were not seen before, of up to checkEvery
// documents that have the key. One document in 65,536 has the same block of the simhash by chance,
// so most documents under a block are unrelated, and their simhashes say so. They are not marked as
// seen: one that is near by its lanes is found under a band.
func (c *checker) look(k key, docs []uint64) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if k.block {
		docs = c.signatures.NearBySimhash(docs, c.sig.Simhash, c.rule.Bits())
	}
	for _, doc := range docs {
		if c.seen[doc] {
			continue
		}
		c.seen[doc] = true
		if err := c.check(k, column.Number(doc)); err != nil {
			return err
		}
	}
	return nil
}

// check yields a document that has the key if it meets the rule. The signature of a nested document
// is the signature of the outermost document around it.
func (c *checker) check(k key, id index.IndexInternalID) error {
	doc := id.Value()
	other, err := c.signatures.Signature(doc)
	if other == nil && err == nil {
		nested, ok := c.reader.(index.NestedReader)
		if !ok {
			return nil
		}
		chain, err := nested.Ancestors(id, nil)
		if err != nil || len(chain) < 2 {
			return err
		}
		id = chain[len(chain)-1].ToIndexInternalID(nil)
		if doc = id.Value(); c.seen[doc] {
			return nil
		}
		c.seen[doc] = true
		if other, err = c.signatures.Signature(doc); err != nil || other == nil {
			return unreadable(err)
		}
	}
	if err != nil {
		return unreadable(err)
	}
	if k.block && simhash.Distance(other.Simhash, c.sig.Simhash) > c.rule.Bits() || !c.rule.Duplicates(c.sig, other) {
		return nil
	}
	ok, err := c.in(id)
	if ok {
		c.yield(doc, other)
	}
	return err
}

// unreadable returns nil for the errors of damaged signatures, which match nothing.
func unreadable(err error) error {
	if errors.Is(err, signature.ErrMalformed) || errors.Is(err, signature.ErrVersion) {
		return nil
	}
	return err
}

// inScope returns a function that reports whether a document is in the scope.
func (f *finder) inScope() (func(index.IndexInternalID) (bool, error), error) {
	if f.scope.field == "" {
		return func(index.IndexInternalID) (bool, error) { return true, nil }, nil
	}
	values, err := f.reader.DocValueReader([]string{f.scope.field})
	if err != nil {
		return nil, err
	}
	return func(id index.IndexInternalID) (bool, error) {
		own, err := column.ScopeIn(values, id, f.scope.field)
		return own == f.scope.values, err
	}, nil
}
