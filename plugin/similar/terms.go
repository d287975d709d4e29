package similar

import (
	"errors"
	"fmt"
	"slices"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
)

// The terms of a fingerprinted field are its keys: two documents that meet the rule
// share one, as they do in a table. What a term leads to is held against the rule by
// its signature, read from what is stored.

// byTerms finds near-duplicates by the terms of the field.
func (f *finder) byTerms(sig *signature.Signature, yield func(doc uint64, sig *signature.Signature)) error {
	terms, err := f.terms(sig)
	if err != nil {
		return err
	}
	keys, err := f.open(terms)
	defer func() {
		for _, key := range keys {
			key.Close()
		}
	}()
	if err != nil {
		return err
	}
	in, err := f.inScope()
	if err != nil {
		return err
	}
	seen := map[uint64]bool{}
	for _, key := range f.followed(keys) {
		for doc, err := key.Next(nil); doc != nil || err != nil; doc, err = key.Next(doc.Reset()) {
			if err == nil && len(seen)%checkEvery == 0 {
				err = f.ctx.Err()
			}
			if err != nil {
				return err
			}
			number := doc.ID.Value()
			if seen[number] {
				continue
			}
			seen[number] = true
			if err := f.verify(sig, doc.ID, in, seen, yield); err != nil {
				return err
			}
		}
	}
	return nil
}

// terms returns the terms that near-duplicates of sig share one of.
func (f *finder) terms(sig *signature.Signature) (terms [][]byte, err error) {
	a, err := neardup.Of(f.mapping, f.field)
	if err != nil {
		return nil, err
	}
	plan, ok := a.Bands(f.plain)
	if !ok {
		return nil, fmt.Errorf(`similar: backend %q: wanted field %q to have the analyzer option "terms": "bands", got none or others`, Terms, f.field)
	}
	if err := plan.Check(f.rule, a.Params().Lanes); err != nil {
		return nil, fmt.Errorf("similar: backend %q: %w", Terms, err)
	}
	for _, t := range plan.Terms(sig, 0) {
		terms = append(terms, t.Term)
	}
	return terms, nil
}

// open opens the documents of each term.
func (f *finder) open(terms [][]byte) (keys []index.TermFieldReader, err error) {
	for _, t := range terms {
		key, err := f.reader.TermFieldReader(f.ctx, t, f.field, false, false, false)
		if err != nil {
			return keys, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// followed returns the keys that the guard lets through. The rarest always is one of
// them: documents with the same exact hash share every key, and so are always found.
func (f *finder) followed(keys []index.TermFieldReader) []index.TermFieldReader {
	if f.most == 0 || len(keys) == 0 {
		return keys
	}
	rarest := slices.MinFunc(keys, func(a, b index.TermFieldReader) int {
		if a.Count() < b.Count() {
			return -1
		}
		return 1
	})
	var all []index.TermFieldReader
	for _, key := range keys {
		if key == rarest || key.Count() <= uint64(f.most) {
			all = append(all, key)
		} else {
			f.passed++
		}
	}
	return all
}

// verify yields a document that has one of the terms if it meets the rule. If it
// lies within another, the signature is that of the outermost.
func (f *finder) verify(sig *signature.Signature, id index.IndexInternalID, in func(index.IndexInternalID) (bool, error), seen map[uint64]bool, yield func(uint64, *signature.Signature)) error {
	doc := id.Value()
	other, err := f.signatures.Signature(doc)
	if other == nil && err == nil {
		nested, ok := f.reader.(index.NestedReader)
		if !ok {
			return nil
		}
		chain, err := nested.Ancestors(id, nil)
		if err != nil || len(chain) < 2 {
			return err
		}
		id = chain[len(chain)-1].ToIndexInternalID(nil)
		if doc = id.Value(); seen[doc] {
			return nil
		}
		seen[doc] = true
		if other, err = f.signatures.Signature(doc); err != nil || other == nil {
			return unreadable(err)
		}
	}
	if err != nil {
		return unreadable(err)
	}
	if !f.rule.Duplicates(sig, other) {
		return nil
	}
	ok, err := in(id)
	if ok {
		yield(doc, other)
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

// inScope returns whether a document lies in the scope.
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
