package near

import (
	"fmt"
	"math"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/stored"
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
	c := checker{finder: f, sig: sig, seen: map[uint64]bool{}, yield: yield}
	if f.scope != "" {
		if c.scopes, err = f.signatures.Scopes(f.reader, f.scope); err != nil {
			return err
		}
	}
	looked := 0
	follow := func(k key) error {
		return t.Each(func(doc uint64) error {
			if looked++; looked%checkEvery == 1 && f.ctx.Err() != nil {
				return f.ctx.Err()
			}
			return c.check(k, doc)
		})
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
	sig    *signature.Signature
	other  signature.Signature // of the document in work
	scopes *column.Scopes      // nil if all are in the scope
	seen   map[uint64]bool     // mostly of a few documents, for which a bitmap is slower
	yield  func(doc uint64, sig *signature.Signature)
}

// check yields a document that has the key if it meets the rule and was not seen before. The signature of a nested
// document is the signature of the outermost document around it.
//
// One document in 65,536 has the same block of the simhash by chance, so most documents under a block are
// unrelated, and their simhashes say so. They are not marked as seen: one that is near by its lanes is found
// under a band.
func (c *checker) check(k key, doc uint64) error {
	if c.seen[doc] {
		return nil
	}
	var err error
	if c.other, err = c.signatures.At(doc); err == stored.ErrNone {
		nested, is := c.reader.(index.NestedReader)
		if !is {
			return nil
		}
		var chain []index.AncestorID
		if chain, err = nested.Ancestors(column.Number(doc), nil); err != nil || len(chain) < 2 {
			return err
		}
		c.seen[doc] = true
		if doc = chain[len(chain)-1].ToIndexInternalID(nil).Value(); c.seen[doc] {
			return nil
		}
		c.other, err = c.signatures.At(doc)
	}
	switch {
	case err == stored.ErrNone:
		return nil // which matches nothing
	case stored.Unreadable(err):
		c.seen[doc] = true
		c.damaged++
		return nil
	case err != nil:
		return err
	case k.block && simhash.Distance(c.other.Simhash, c.sig.Simhash) > c.rule.Bits():
		return nil
	}
	c.seen[doc] = true
	if !c.rule.Duplicates(c.sig, &c.other) {
		return nil
	}
	if c.scopes != nil {
		if own, err := c.scopes.Of(doc); own != c.scoped || err != nil {
			return err
		}
	}
	c.yield(doc, &c.other)
	return nil
}
