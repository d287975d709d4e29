package collapse

import (
	"errors"
	"fmt"
	"math"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// Options says how to collapse. The zero Options collapses by the default rule.
type Options struct {
	// Field is the fingerprinted field, signature.DefaultField if empty.
	Field string `json:"field,omitempty"`

	// Rule says which hits are near-duplicates; the default rule if zero.
	Rule signature.Rule `json:"rule,omitzero"`

	// Mode says what becomes of hidden hits, Drop if empty.
	Mode Mode `json:"mode,omitempty"`

	// Whole groups all matches before the page is made, as Query does, so that total,
	// facets and the number of groups are those of the collapsed set, and groups are
	// whole. It is for one index, no alias of several, without score fusion and without
	// vectors (knn). SearchAfter
	// and SearchBefore take the place of the cursor. If there are more matches than
	// Budget, whose default then is 1,000,000, the page is made as if Whole were not
	// set, and TotalGroupsRelation says "gte".
	Whole bool `json:"whole,omitempty"`

	// Visible is how many hits of each group are shown, at their own ranks: 1 if
	// 0. From and Size count the hits that are shown.
	Visible int `json:"visible,omitempty"`

	// Missing says what becomes of hits without a signature, KeepMissing if empty.
	Missing Missing `json:"missing,omitempty"`

	// AllowUnsigned searches an index that has no signatures of Field, or an alias that has
	// such an index among its members, as in the middle of a migration: its hits are shown,
	// and counted in Result.Unsigned. Without it that is an error wherever the mapping can be
	// read: a misspelled Field, a mapping that fingerprints none, or an index that is not of
	// type neardup, like those of bleve.New, bleve.NewMemOnly and bleve.NewBuilder.
	AllowUnsigned bool `json:"allow_unsigned,omitempty"`

	// InnerHits asks for hidden hits with their fields, several times if need be,
	// under different names.
	InnerHits []InnerHits `json:"inner_hits,omitempty"`

	// Explain asks what members and heads have in common, in words; nil asks for
	// nothing.
	Explain *Explain `json:"explain,omitempty"`

	// Budget is the most hits that one Search looks at, 10,000 if 0; with Whole the most
	// matches that are grouped. Once it is spent, the page may be short, and the cursor
	// goes on behind it. A page by From, or behind a key, that begins where it is spent is
	// an error that wraps ErrTooMany.
	Budget int `json:"budget,omitempty"`

	// Cursor continues behind the page that gave it; the request's From must be 0.
	Cursor *Cursor `json:"cursor,omitempty"`
}

// Mode says what becomes of the hits of a group that are not shown at their rank.
type Mode string

// The modes. Their JSON names are their values.
const (
	Drop     Mode = "drop"     // they are listed in their group alone: the default
	Demote   Mode = "demote"   // they come after all others, in rank order; pages are told apart by From alone
	Annotate Mode = "annotate" // there are none: all hits are shown, and groups tell which are copies
	Off      Mode = "off"      // the result is bleve's own, byte for byte, without groups
)

// Missing says what becomes of hits without a signature.
type Missing string

// What can become of them. The JSON names are the values. Hits whose signature is
// damaged are always kept.
const (
	KeepMissing  Missing = "keep"  // each is shown: the default
	DropMissing  Missing = "drop"  // none is shown or listed
	GroupMissing Missing = "group" // all are one group
)

const defaultBudget = 10_000

// filled returns o with defaults filled in, or an error that names what is wrong.
func (o Options) filled() (Options, error) {
	if err := o.Rule.Validate(); err != nil {
		return o, fmt.Errorf("collapse: %w", err)
	}
	switch o.Mode {
	case "":
		o.Mode = Drop
	case Drop, Demote, Annotate, Off:
	default:
		return o, fmt.Errorf("collapse: mode: wanted %q, %q, %q or %q, got %q", Drop, Demote, Annotate, Off, o.Mode)
	}
	switch o.Missing {
	case "":
		o.Missing = KeepMissing
	case KeepMissing, DropMissing, GroupMissing:
	default:
		return o, fmt.Errorf("collapse: missing: wanted %q, %q or %q, got %q", KeepMissing, DropMissing, GroupMissing, o.Missing)
	}
	switch {
	case o.Visible < 0:
		return o, fmt.Errorf("collapse: visible: wanted 0 or more, got %d", o.Visible)
	case o.Budget < 0:
		return o, fmt.Errorf("collapse: budget: wanted 0 or more, got %d", o.Budget)
	case o.Whole && o.Mode == Demote:
		return o, fmt.Errorf("collapse: whole: wanted no mode %q, whose hits would have two places, got it", Demote)
	case o.Whole && o.Cursor != nil:
		return o, errors.New("collapse: whole: wanted search_after, got a cursor")
	case o.Mode == Demote && o.Cursor != nil:
		return o, fmt.Errorf("collapse: wanted no cursor in mode %q, whose pages are told apart by from, got one", Demote)
	}
	if o.Visible == 0 {
		o.Visible = 1
	}
	if o.Mode == Annotate {
		o.Visible = math.MaxInt
	}
	if o.Budget == 0 {
		o.Budget = defaultBudget
		if o.Whole {
			o.Budget = defaultMost
		}
	}
	o.Budget = min(o.Budget, mostHits)
	if o.Field == "" {
		o.Field = signature.DefaultField
	}
	if err := o.Explain.check(); err != nil {
		return o, err
	}
	return o, checkInner(o.InnerHits)
}
