package column

import (
	"bytes"
	"hash/maphash"

	index "github.com/blevesearch/bleve_index_api"
	scorchsegment "github.com/blevesearch/scorch_segment_api/v2"
)

// Scopes reads the scopes of single documents. It is not safe for concurrent use.
type Scopes struct {
	reader   *Reader
	field    string
	values   index.DocValueReader
	found    []byte // the doc values of a document, each with an end
	pieces   int
	list     scorchsegment.PostingsList
	postings scorchsegment.PostingsIterator
}

// Scopes returns the Scopes of an indexed field in snapshot, which r is of.
func (r *Reader) Scopes(snapshot index.IndexReader, field string) (*Scopes, error) {
	values, err := snapshot.DocValueReader([]string{field})
	return &Scopes{reader: r, field: field, values: values}, err
}

// Of returns ScopeOf the terms of a document. They are its doc values; but bleve cuts these at each byte 0xff, which
// IP addresses have, so that {"a", "b"} and "a\xffb" look alike. The inverted index tells them apart.
func (s *Scopes) Of(doc uint64) (scope uint64, err error) {
	defer Guard("terms of field "+s.field, &err)
	s.found, s.pieces = s.found[:0], 0
	if err = s.values.VisitDocValues(Number(doc), s.add); err != nil || s.pieces == 0 {
		return 0, err
	}
	if s.pieces == 1 {
		return maphash.Bytes(seed, s.found[:len(s.found)-1]), nil
	}
	i, n, err := s.reader.segment(doc)
	if err != nil {
		return 0, err
	}
	terms, err := s.reader.segments[i].Segment().Dictionary(s.field)
	if err != nil {
		return 0, err
	}
	// Terms come in order. So the next one is the shortest that is greater than the last: if the document
	// has both a term and what that begins with, the shorter one came before.
	var last []byte
	for rest, end := s.found, 0; end < len(rest); end++ {
		end += bytes.IndexByte(rest[end:], index.DocValueTermSeparator)
		term := rest[:end]
		if last != nil && bytes.Compare(term, last) <= 0 {
			continue
		}
		has, err := s.has(terms, term, n)
		if err != nil {
			return 0, err
		}
		if has {
			scope += maphash.Bytes(seed, term)
			last, rest, end = term, rest[end+1:], -1
		}
	}
	return scope, nil
}

// add is an index.DocValueVisitor.
func (s *Scopes) add(_ string, piece []byte) {
	s.found = append(append(s.found, piece...), index.DocValueTermSeparator)
	s.pieces++
}

// has reports whether the n-th document of a segment with these terms has a term.
func (s *Scopes) has(terms scorchsegment.TermDictionary, term []byte, n uint64) (bool, error) {
	var err error
	if s.list, err = terms.PostingsList(term, nil, s.list); err != nil {
		return false, err
	}
	s.postings = s.list.Iterator(false, false, false, s.postings)
	posting, err := s.postings.Advance(n)
	return posting != nil && posting.Number() == n, err
}
