package similar

import (
	"errors"
	"fmt"
	"math"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"

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
	t, err := f.termReader()
	if err != nil {
		return err
	}
	in, err := f.inScope()
	if err != nil {
		return err
	}
	c := checker{finder: f, sig: sig, in: in, seen: map[uint64]bool{}, yield: yield}
	follow := func(k key) error {
		return t.each(func(docs []uint64) error { return c.look(k, docs) })
	}
	followed, rarest, least := 0, key{}, uint64(math.MaxUint64)
	for _, k := range keys {
		count, err := t.open(k.term)
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
		if _, err := t.open(rarest.term); err != nil {
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
		return nil, fmt.Errorf(`similar: backend %q: wanted field %q to have the analyzer option "terms": "bands", got none or others`, Terms, f.field)
	}
	if err := plan.Check(f.rule, f.analyzer.Params().Lanes); err != nil {
		return nil, fmt.Errorf("similar: backend %q: %w", Terms, err)
	}
	for i, t := range plan.Terms(sig, 0) {
		block := i >= plan.Bands
		if sig.Lanes == 0 || block && f.rule.Mode != signature.SketchOnly && f.rule.Mode != signature.ExactOnly || !block && f.rule.Mode != signature.SimhashOnly {
			keys = append(keys, key{t.Term, block})
		}
	}
	return keys, nil
}

// termReader reads which documents have a term. It reads the segments itself, and one
// term after the other into the same memory: to open as many of bleve's
// TermFieldReaders, which can do more, takes half as long again.
type termReader struct {
	segments []*scorch.SegmentSnapshot
	terms    []segment.TermDictionary // of the segments
	lists    []segment.PostingsList
	postings segment.PostingsIterator
	docs     []uint64
}

func (f *finder) termReader() (*termReader, error) {
	segments := f.reader.(*scorch.IndexSnapshot).Segments() // nothing else has signatures to read
	t := &termReader{segments: segments, lists: make([]segment.PostingsList, len(segments)), docs: make([]uint64, 0, 64)}
	for _, s := range segments {
		terms, err := s.Segment().Dictionary(f.field)
		if err != nil {
			return nil, err
		}
		t.terms = append(t.terms, terms)
	}
	return t, nil
}

// open finds the documents that have the term, and counts them.
func (t *termReader) open(term []byte) (count uint64, err error) {
	for i, s := range t.segments {
		if t.lists[i], err = t.terms[i].PostingsList(term, s.Deleted(), t.lists[i]); err != nil {
			return 0, err
		}
		count += t.lists[i].Count()
	}
	return count, nil
}

// each shows look the documents that open found, up to checkEvery at a time.
func (t *termReader) each(look func(docs []uint64) error) error {
	var base uint64
	t.docs = t.docs[:0]
	for i, s := range t.segments {
		if t.lists[i].Count() > 0 {
			if err := t.read(t.lists[i], base, look); err != nil {
				return err
			}
		}
		base += uint64(s.FullSize())
	}
	return look(t.docs)
}

// read is each for the list of a segment whose first document has the number base.
func (t *termReader) read(list segment.PostingsList, base uint64, look func(docs []uint64) error) error {
	t.postings = list.Iterator(false, false, false, t.postings)
	for {
		posting, err := t.postings.Next()
		if err != nil || posting == nil {
			return err
		}
		if t.docs = append(t.docs, base+posting.Number()); len(t.docs) == checkEvery {
			if err := look(t.docs); err != nil {
				return err
			}
			t.docs = t.docs[:0]
		}
	}
}

// checker checks by the rule the documents that have one of the keys. It does not look at texts:
// what it yields is still to be judged.
type checker struct {
	*finder
	sig   *signature.Signature
	in    func(index.IndexInternalID) (bool, error)
	seen  map[uint64]bool
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
	if f.scope == nil {
		return func(index.IndexInternalID) (bool, error) { return true, nil }, nil
	}
	values, err := f.reader.DocValueReader([]string{f.scope.Field})
	if err != nil {
		return nil, err
	}
	want := f.scope.key()
	return func(id index.IndexInternalID) (bool, error) {
		var own Scope
		err := values.VisitDocValues(id, func(_ string, term []byte) { own.Values = append(own.Values, string(term)) })
		return own.key() == want, err
	}, nil
}
