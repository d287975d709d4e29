package whole

import (
	"context"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse/internal/groups"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// With Verify the stored texts decide of the pairs that sketches propose. Families are joined by what
// is proposed, so only the texts of matches that have a candidate are read: from the snapshot that the
// match is of.

// judges decide by the texts of matches. They are not safe for concurrent use.
type judges struct {
	ctx    context.Context
	verify signature.Verify
	text   func(hit *stored.Hit) (*verify.Text, error)
	kept   verify.Cache[uint64] // of matches by their places
	err    error                // a text cannot be looked for
}

// mostKept is how many bytes of texts are kept.
const mostKept = 64 << 20

// judge returns what decides; rule does where there is no text.
func (j *judges) judge(rule signature.Rule) groups.Judge {
	j.kept.Most = mostKept
	pairs := verify.Judge{Verify: j.verify, Rule: rule}
	return func(head, hit *stored.Hit) (verify.Finding, bool) {
		return pairs.Pair(head.Signature, hit.Signature, j.textOf(head), j.textOf(hit))
	}
}

// textOf returns what reads the text of a hit.
func (j *judges) textOf(hit *stored.Hit) func() *verify.Text {
	return func() *verify.Text {
		return j.kept.Text(hit.HitNumber, func() (text *verify.Text) {
			switch {
			case j.err != nil:
			case j.ctx.Err() != nil:
				j.err = j.ctx.Err()
			default:
				text, j.err = j.text(hit)
			}
			return text
		})
	}
}
