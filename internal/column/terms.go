package column

import (
	"sync/atomic"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"
)

// bleve keeps the terms by which a field is sorted in compressed blocks of 1,024 documents: to read those of one
// document takes 20 µs or more, and the next hit is nearly always in another block. So a Store keeps the blocks that
// searches met, as it keeps signatures.

// termsBlock is how many documents a block has: bleve's number.
const termsBlock = 1024

// bytesPerPlace is the memory of a signature, in which a Store counts.
const bytesPerPlace = 134

// Terms has the terms of one field in one snapshot, as its Encode makes them.
type Terms struct {
	field    string
	snapshot *scorch.IndexSnapshot
	encode   Encode
	store    *Store
	ends     []uint64 // of the segments' document numbers
	segments []*terms

	values index.DocValueReader // nil until a block is read
	found  [][]byte             // of a document
	buf    []byte               // has them
}

// Encode appends terms to b. It may change their order.
type Encode func(b []byte, terms [][]byte) []byte

// terms has the blocks of a segment.
type terms struct {
	taken
	blocks []atomic.Pointer[block]
	full   atomic.Bool // no more blocks are kept
}

// block has what Encode made for each document, and how many bytes that takes.
type block struct {
	values []string // equal ones share memory
	size   int
}

// TermsOf returns the Terms of a field in a snapshot, or nil if no Store adopted it. Terms of the
// same field must all have the same Encode. They hold as long as the snapshot is open, and are
// not safe for concurrent use.
func TermsOf(reader index.IndexReader, field string, encode Encode) *Terms {
	snapshot, _, s := storeOf(reader)
	if s == nil {
		return nil
	}
	t := &Terms{field: field, snapshot: snapshot, encode: encode, store: s}
	var end uint64
	s.mu.Lock()
	defer s.mu.Unlock()
	swept := false
	for _, segment := range snapshot.Segments() {
		k := key{segment.Id(), field}
		own := s.terms[k]
		if own == nil {
			if !swept {
				s.sweep(snapshot)
				swept = true
			}
			own = &terms{blocks: make([]atomic.Pointer[block], (segment.FullSize()+termsBlock-1)/termsBlock)}
			s.terms[k] = own
		}
		end += uint64(segment.FullSize())
		t.ends, t.segments = append(t.ends, end), append(t.segments, own)
	}
	return t
}

// Of returns what Encode made of the terms of a document, and false if they are not in memory and there is no
// place for them.
func (t *Terms) Of(doc uint64) (string, bool) {
	i, n, ok := segmentOf(t.ends, doc)
	if !ok {
		return "", false
	}
	of := t.segments[i]
	at := &of.blocks[n/termsBlock]
	b := at.Load()
	if b == nil {
		if of.full.Load() {
			return "", false
		}
		from := doc - n%termsBlock
		var err error
		if b, err = t.read(from, min(from+termsBlock, t.ends[i])); err != nil || !t.store.keepTerms(of, at, b) {
			of.full.Store(true)
		}
		if err != nil {
			return "", false
		}
	}
	return b.values[n%termsBlock], true
}

// keepTerms keeps a block, if there are places for it.
func (s *Store) keepTerms(of *terms, at *atomic.Pointer[block], b *block) bool {
	places := int64(b.size)/bytesPerPlace + 1
	s.mu.Lock()
	defer s.mu.Unlock()
	if at.Load() != nil { // another search was faster
		return true
	}
	if !s.take(&of.taken, places) {
		return false
	}
	at.Store(b)
	return true
}

// read reads the terms of documents, from one number to before another.
func (t *Terms) read(from, to uint64) (b *block, err error) {
	defer Guard("values of "+t.field, &err)
	if t.values == nil {
		if t.values, err = t.snapshot.DocValueReader([]string{t.field}); err != nil {
			return nil, err
		}
	}
	b = new(block)
	known := make(map[string]string)
	var id, value []byte
	for doc := from; doc < to; doc++ {
		t.found, t.buf = t.found[:0], t.buf[:0]
		id = index.NewIndexInternalID(id, doc)
		if err := t.values.VisitDocValues(id, t.add); err != nil {
			return nil, err
		}
		value = t.encode(value[:0], t.found)
		own, ok := known[string(value)]
		if !ok {
			own = string(value)
			known[own] = own
			b.size += len(own)
		}
		b.values = append(b.values, own)
		b.size += 16
	}
	return b, nil
}

// add is an index.DocValueVisitor.
func (t *Terms) add(_ string, term []byte) {
	begin := len(t.buf)
	t.buf = append(t.buf, term...)
	t.found = append(t.found, t.buf[begin:len(t.buf):len(t.buf)])
}
