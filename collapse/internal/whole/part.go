package whole

import (
	"errors"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/hits"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// part is what one Searcher found: the matches in a snapshot of one index.
type part struct {
	index    string // its name
	reader   index.IndexReader
	matches  []match // in the order of their ids; once grouped, the matches that stay
	rejected int     // matches that the caller does not keep

	numbered bool // ids are numbers
	ids      []index.IndexInternalID

	mapping    mapping.IndexMapping
	signatures *column.Reader       // nil if they are not in memory
	texts      *hits.SnapshotTexts  // nil before the first is read
	values     index.DocValueReader // of the fields of the head order; nil if that is the score alone
	open       bool                 // the reader is kept open for a Report
}

// match is what is kept of a match: 16 bytes without a pointer, so that the garbage
// collector need not look at them.
type match struct {
	doc   uint64 // the part, and in the lower bits the document's number in scorch, or else a place in part.ids
	score float64
}

const numberBits = 48

func (m match) part() int { return int(m.doc >> numberBits) }

func (m match) number() uint64 { return m.doc & (1<<numberBits - 1) }

// newPart returns a part without matches, and with room for some.
func newPart(name string, reader index.IndexReader, m mapping.IndexMapping, room uint64) *part {
	_, numbered := reader.(*scorch.IndexSnapshot)
	return &part{index: name, reader: reader, mapping: m, numbered: numbered, matches: make([]match, 0, room)}
}

// add adds a match.
func (p *part) add(d *search.DocumentMatch) {
	p.matches = append(p.matches, match{p.keep(d.IndexInternalID), d.Score})
}

// keep returns what stands for an id in a match.
func (p *part) keep(id index.IndexInternalID) uint64 {
	if p.numbered {
		return id.Value()
	}
	p.ids = append(p.ids, slices.Clone(id))
	return uint64(len(p.ids) - 1)
}

// id is the id of a match, in buf if it has room.
func (p *part) id(m match, buf []byte) index.IndexInternalID {
	if p.numbered {
		return index.NewIndexInternalID(buf, m.number())
	}
	return p.ids[m.number()]
}

// readSignature reads the signature of a match in a field, from memory if it is there.
func (p *part) readSignature(m match, field string) (*signature.Signature, error) {
	if p.signatures != nil {
		sig, err := p.signatures.Signature(m.number())
		if sig == nil && err == nil {
			err = stored.ErrNone
		}
		return sig, err
	}
	name, err := p.reader.ExternalID(p.id(m, nil))
	if err != nil {
		return nil, err
	}
	d, err := p.reader.Document(name)
	if err != nil {
		return nil, errors.Join(stored.ErrNone, err)
	}
	return stored.OfDocument(d, signature.Field(field).Sketch())
}

// text reads the text of a hit in a field: nil if it is not stored, cannot be read, or is none that its
// signature was made from.
func (p *part) text(field string, hit *stored.Hit) (_ *verify.Text, err error) {
	if p.texts == nil {
		if p.texts, err = hits.NewSnapshotTexts(p.reader, p.mapping, field); err != nil {
			return nil, fmt.Errorf("collapse: verify: %w", err)
		}
	}
	return p.texts.Text(hit.IndexInternalID, hit.Signature), nil
}
