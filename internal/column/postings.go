package column

import (
	"github.com/blevesearch/bleve/v2/index/scorch"
	scorchsegment "github.com/blevesearch/scorch_segment_api/v2"
)

// Postings reads which documents of a snapshot have a term of the fingerprinted field. It reads the segments itself,
// and one term after the other into the same memory: to open as many of bleve's TermFieldReaders, which can do more,
// takes half as long again. It is not safe for concurrent use.
//
// bleve panics at files that are damaged: a caller defers Guard.
type Postings struct {
	segments []*scorch.SegmentSnapshot
	terms    []scorchsegment.TermDictionary // of the segments
	lists    []scorchsegment.PostingsList
	postings scorchsegment.PostingsIterator
}

// Postings returns the Postings of the field itself, whose terms the analyzer makes.
func (r *Reader) Postings() (*Postings, error) {
	p := &Postings{segments: r.segments, lists: make([]scorchsegment.PostingsList, len(r.segments))}
	for _, s := range r.segments {
		terms, err := s.Segment().Dictionary(r.field)
		if err != nil {
			return nil, err
		}
		p.terms = append(p.terms, terms)
	}
	return p, nil
}

// Open finds the documents that have the term, without those that are deleted, and counts them.
func (p *Postings) Open(term []byte) (count uint64, err error) {
	for i, s := range p.segments {
		if p.lists[i], err = p.terms[i].PostingsList(term, s.Deleted(), p.lists[i]); err != nil {
			return 0, err
		}
		count += p.lists[i].Count()
	}
	return count, nil
}

// Each shows look the documents that Open found, in the order of their numbers, until it returns an error.
func (p *Postings) Each(look func(doc uint64) error) error {
	var base uint64
	for i, s := range p.segments {
		if p.lists[i].Count() > 0 {
			if err := p.read(i, base, look); err != nil {
				return err
			}
		}
		base += uint64(s.FullSize())
	}
	return nil
}

// read is Each for the i-th segment, whose first document has the number base.
func (p *Postings) read(i int, base uint64, look func(doc uint64) error) error {
	p.postings = p.lists[i].Iterator(false, false, false, p.postings)
	for {
		posting, err := p.postings.Next()
		if err != nil || posting == nil {
			return err
		}
		if err := look(base + posting.Number()); err != nil {
			return err
		}
	}
}
