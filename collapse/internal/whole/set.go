package whole

import (
	"context"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/collapse/internal/groups"
	"github.com/neardup/bleve-neardup/internal/hits"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// Options says what a Searcher does. All fields must be set but Verify, Keep and Wrap.
type Options struct {
	Head   search.SortOrder // in which matches become heads
	Most   int              // matches that are grouped
	Groups groups.Options

	Verify signature.Verify // the texts decide of what sketches propose

	Keep    hits.Keep
	TooMany error             // is wrapped by the error where there are more than Most
	Wrap    func(error) error // makes of an error one that says that the request is wrong

	// Unsigned returns an error where matches without a signature are not allowed; nil if they are.
	Unsigned func() error
}

// tooMany is the error of more matches than Most.
func (o *Options) tooMany() error {
	return fmt.Errorf("collapse: wanted at most %d matches, got more: %w", o.Most, o.TooMany)
}

// checkEvery is how many matches are taken between looks at the context.
const checkEvery = 1024

// set is all matches of one search, of the snapshots of one index or several, and groups them.
type set struct {
	ctx     context.Context
	options Options
	parts   []*part // where matches of equal ids tie, those of earlier parts come first
	matches []match // of all parts, one part after the other
	ends    []int   // of the parts' matches
	walk    *groups.Walk

	scoring, desc []bool // of the head order
	byScore       bool   // it is the score alone

	stored  []readSignature
	judges  judges   // if texts decide
	begins  []uint64 // of the parts' documents in column.Families.Of
	cliques []bool   // column.Families.Cliques

	// These are for count to use again.
	heads *table.Table
	own   []signature.Signature
	shown []int

	in      []member // the matches that might be hidden
	counted count
	buf     [8]byte
}

// newSet returns a set of the matches of parts.
func newSet(ctx context.Context, o Options, parts ...*part) *set {
	s := &set{ctx: ctx, options: o, parts: parts}
	s.judges = judges{ctx: ctx, verify: o.Verify, text: s.text}
	s.walk = groups.New(s.judged(o.Groups))
	if len(parts) == 1 {
		s.matches = parts[0].matches
	}
	for n, p := range parts {
		if len(parts) > 1 {
			s.matches = slices.Grow(s.matches, len(p.matches))
			for _, m := range p.matches {
				m.doc |= uint64(n) << numberBits
				s.matches = append(s.matches, m)
			}
		}
		s.ends = append(s.ends, len(s.matches))
		s.walk.Rejected += p.rejected
	}
	return s
}

// judged returns how matches are grouped: by their texts, if these decide.
func (s *set) judged(o groups.Options) groups.Options {
	v := s.options.Verify
	if !v.On() {
		return o
	}
	var mappings []mapping.IndexMapping
	for _, p := range s.parts {
		mappings = append(mappings, p.mapping)
	}
	o.Judge, o.Rule = s.judges.judge(o.Rule), v.Proposes(o.Rule, hits.LeastLanes(o.Field, mappings))
	return o
}

// text reads the text of a hit that the walk took.
func (s *set) text(hit *stored.Hit) (*verify.Text, error) {
	return s.partOf(hit.DocumentMatch).text(s.walk.Field, hit)
}

// partOf is the part of a hit that the walk took.
func (s *set) partOf(hit *search.DocumentMatch) *part {
	n, _ := slices.BinarySearch(s.ends, int(hit.HitNumber)+1)
	return s.parts[n]
}

// id is the id of a match in its part, in buf if it has room.
func (s *set) id(m match, buf []byte) index.IndexInternalID { return s.parts[m.part()].id(m, buf) }

// readID reads the id of the document of a hit that the walk took, unless that was read before.
func (s *set) readID(hit *search.DocumentMatch) (err error) {
	if hit.ID == "" {
		hit.ID, err = s.partOf(hit).reader.ExternalID(hit.IndexInternalID)
	}
	return err
}

// groups is how many groups there are, and hidden how many matches are in them besides the matches
// that stay.
func (s *set) groups() (groups, hidden int) {
	return len(s.walk.Groups) + s.counted.groups + s.counted.lonely, s.walk.Hidden + s.counted.hidden
}
