package whole

import (
	"context"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/collapse/internal/groups"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/hits"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// Options says what a Searcher does. All fields must be set but Verify.
type Options struct {
	Head   search.SortOrder // in which matches become heads
	Most   int              // matches that are grouped
	Groups groups.Options

	Verify signature.Verify // the texts decide of what sketches propose
}

// tooMany is the error of more matches than Most.
func (o *Options) tooMany() error {
	return fmt.Errorf("collapse: wanted at most %d matches, got more: %w", o.Most, hits.ErrTooMany)
}

// checkEvery is how many matches are taken between looks at the context.
const checkEvery = 1024

// set is all matches of one search, of the snapshots of one index or several, and groups them.
type set struct {
	ctx     context.Context
	options Options
	parts   []*part // where matches of equal ids tie, those of earlier parts come first
	matches []match // of all parts, one part after the other
	walk    *groups.Walk

	scoring, desc []bool     // of the head order
	byScore       bool       // it is the score alone
	keys          [][]string // if not: what members are sorted by, by their places among matches

	stored []readSignature
	known  bool // the families of the whole indexes are known

	// These are for count to use again.
	heads *table.Table
	own   []signature.Signature
	shown []int
	order []*member
	ids   map[uint64]string // by match.doc

	in      []member // the matches that might be hidden
	hidden  []bool   // which are, by their places among matches
	counted count
	buf     [8]byte
}

// group returns the matches of parts in groups, and leaves those that stay in the parts.
func group(ctx context.Context, o Options, parts ...*part) (*set, error) {
	s := &set{ctx: ctx, options: o, parts: parts, ids: map[uint64]string{}}
	how, err := s.judged(o.Groups)
	if err != nil {
		return nil, err
	}
	s.walk, s.heads = groups.New(how), table.New(how.Rule)
	if len(parts) == 1 {
		s.matches = parts[0].matches
	}
	for n, p := range parts {
		if len(parts) > 1 {
			s.matches = slices.Grow(s.matches, len(p.matches))
			for _, m := range p.matches {
				m.doc = docOf(n, m.doc)
				s.matches = append(s.matches, m)
			}
		}
	}
	return s, s.group()
}

// judged returns how matches are grouped. With Verify the stored texts decide of the pairs that sketches propose.
// Families are joined by what is proposed, so only the texts of matches that have a candidate are read: from the
// snapshot that the match is of.
func (s *set) judged(o groups.Options) (groups.Options, error) {
	v := s.options.Verify
	if !v.On() {
		return o, nil
	}
	mappings := make([]mapping.IndexMapping, len(s.parts))
	for n, p := range s.parts {
		mappings[n] = p.mapping
		var err error
		if p.texts, err = verify.NewSnapshot(p.reader, p.mapping, o.Field, p.signatures); err != nil {
			return o, fmt.Errorf("collapse: verify: %w", err)
		}
	}
	o.Judge = groups.ByTexts(v, o.Rule, func(hit *stored.Hit) *verify.Text {
		if s.ctx.Err() != nil {
			return nil
		}
		return s.partOf(hit.DocumentMatch).texts.Read(hit.IndexInternalID, hit.Signature)
	})
	o.Rule = v.Proposes(o.Rule, hits.LeastLanes(o.Field, mappings))
	return o, nil
}

// partOf is the part of a hit that the walk took, whose HitNumber is match.doc.
func (s *set) partOf(hit *search.DocumentMatch) *part {
	return s.parts[match{doc: hit.HitNumber}.part()]
}

// readID reads the id of the document of a hit that the walk took, unless that was read before.
func (s *set) readID(hit *search.DocumentMatch) (err error) {
	if hit.ID == "" {
		hit.ID, err = s.partOf(hit).reader.ExternalID(hit.IndexInternalID)
	}
	return err
}

// part is what one Searcher found: the matches in a snapshot of one index.
type part struct {
	index   string // its name
	reader  *scorch.IndexSnapshot
	matches []match // in the order of their ids; once grouped, the matches that stay

	mapping    mapping.IndexMapping
	signatures *column.Reader   // which keeps what is known of a snapshot that gets old
	texts      *verify.Snapshot // nil if they do not decide
}

// match is what is kept of a match: 16 bytes without a pointer, so that the garbage
// collector need not look at them.
type match struct {
	doc   uint64 // the part, and in the lower bits the document's number
	score float64
}

const numberBits = 48

func docOf(part int, number uint64) uint64 { return uint64(part)<<numberBits | number }

func (m match) part() int { return int(m.doc >> numberBits) }

func (m match) number() uint64 { return m.doc & (1<<numberBits - 1) }

// id is the id of a match in its part, in buf if it has room.
func (m match) id(buf []byte) index.IndexInternalID { return index.NewIndexInternalID(buf, m.number()) }
