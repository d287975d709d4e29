package whole

import (
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// part is what one Searcher found: the matches in a snapshot of one index.
type part struct {
	index   string // its name
	reader  *scorch.IndexSnapshot
	matches []match // in the order of their ids; once grouped, the matches that stay

	mapping    mapping.IndexMapping
	signatures *column.Reader       // which keeps what is known of a snapshot that gets old
	texts      *verify.Snapshot     // nil if they do not decide
	values     index.DocValueReader // of the fields of the head order; nil if that is the score alone
}

// match is what is kept of a match: 16 bytes without a pointer, so that the garbage
// collector need not look at them.
type match struct {
	doc   uint64 // the part, and in the lower bits the document's number
	score float64
}

const numberBits = 48

func (m match) part() int { return int(m.doc >> numberBits) }

func (m match) number() uint64 { return m.doc & (1<<numberBits - 1) }

// id is the id of a match in its part, in buf if it has room.
func (m match) id(buf []byte) index.IndexInternalID { return index.NewIndexInternalID(buf, m.number()) }
