package collapse

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse/explain"
	"github.com/neardup/bleve-neardup/collapse/internal/grouping"
	"github.com/neardup/bleve-neardup/collapse/internal/ranking"
)

// Options says how to collapse. The zero Options collapses by the field's rule, or the default rule.
type Options struct {
	// Field is the fingerprinted field, signature.DefaultField if empty.
	Field string `json:"field,omitempty"`

	// Rule says which hits are near-duplicates. Members at 0 or "" are those of the field's rule,
	// which the configuration of its analyzer has, and else have their defaults: see
	// signature.Rule.Over. Of an alias, indexes whose rules differ in such a member are an error.
	Rule signature.Rule `json:"rule,omitzero"`

	// Within are fields in which the hits of a group must be equal, such as the tenant, the room
	// or the language, and the price as a veto. Hits that lack a value of one are equal in it,
	// unless WithinMissing is KeepMissing: such a hit then hides nothing, and is never hidden.
	// By has the values that a hit has.
	Within        []string `json:"within,omitempty"`
	WithinMissing Missing  `json:"within_missing,omitempty"`

	// By folds hits with equal values of a field, in place of near-duplicates or with them; nil
	// for near-duplicates alone.
	By *By `json:"by,omitempty"`

	// Keep says which hits the caller wants, such as those that a user may see. It is asked
	// before a hit can hide another or be hidden: what it rejects neither shows nor hides
	// anything, and the page is filled up with others. Of the hit it sees the index, the id, the
	// score and the stored fields that KeepFields names. It is asked by one goroutine at a time,
	// of a hit perhaps more than once, and nil keeps all. Rejected hits are looked at, and so
	// count in Budget and in Result.Rejected. In the page form, Total and facets count them as
	// all matches; in the whole form nothing else does. An error of its own it has to keep.
	Keep       func(hit *search.DocumentMatch) bool `json:"-"`
	KeepFields []string                             `json:"-"`

	// Filter does as much by a query, also over HTTP: documents that it does not match neither
	// show nor hide anything. bleve leaves them out, so that nothing counts them. Scores stay as
	// they are. It cannot be combined with vectors (knn), which have filters of their own.
	Filter query.Query `json:"filter,omitempty"`

	// Head is an order that decides which hit of a group is shown, such as the newest, the
	// longest or the cheapest; "_id" decides where it leaves a tie. The group stands where its
	// best-ranked hit stands, which also decides what its members are: Group.Stands names it.
	// If Head is empty, that hit is shown. In the whole form the head is the first of the whole
	// group. In the page form it is the first of the hits that were met, which are all where
	// TotalGroupsRelation is "eq"; Earlier then names groups by the hits that they stand for. Head
	// cannot be combined with Demote, Visible or keys (SearchAfter, SearchBefore): pages go on by
	// From or by the cursor. It takes two more searches, for the hits of the page's groups.
	Head search.SortOrder `json:"head,omitempty"`

	// Demote shows the hidden hits after all others, in rank order. Pages then
	// differ by From alone.
	Demote bool `json:"demote,omitempty"`

	// Whole groups all matches before the page is made, as Query does, so that total,
	// facets and the number of groups count the collapsed set, and groups are
	// whole. It needs one index, and cannot be combined with score fusion or vectors (knn).
	// SearchAfter and SearchBefore take the place of the cursor. If there are more matches than
	// Budget, whose default then is 1,000,000, the page is made as if Whole were not
	// set, and TotalGroupsRelation says "gte".
	Whole bool `json:"whole,omitempty"`

	// Visible is how many hits of each group are shown, at their own ranks: 1 if 0, and
	// all if it is negative; then nothing is hidden, and the groups say which hits are
	// copies. From and Size count the hits that are shown.
	Visible int `json:"visible,omitempty"`

	// Missing says what becomes of hits without a signature, KeepMissing if empty. Where By
	// decides alone, it is the hits without a value of its field. All are one group for each
	// scope that Within makes.
	Missing Missing `json:"missing,omitempty"`

	// AllowUnsigned searches an index that has no signatures of Field, or an alias that has
	// such an index among its members, as in the middle of a migration: its hits are shown,
	// and counted in Result.Unsigned. Without it that is an error wherever the mapping can be
	// read: a misspelled Field, a mapping that fingerprints none, or an index that is not of
	// type neardup, like the indexes of bleve.New, bleve.NewMemOnly and bleve.NewBuilder.
	AllowUnsigned bool `json:"allow_unsigned,omitempty"`

	// InnerHits asks for hidden hits with their fields, several times if need be,
	// under different names.
	InnerHits []InnerHits `json:"inner_hits,omitempty"`

	// Explain asks what members and heads have in common, in words; nil asks for
	// nothing.
	Explain *explain.Options `json:"explain,omitempty"`

	// Budget is the most hits that one Search looks at, 10,000 if 0; with Whole the most
	// matches that are grouped. Once it is spent, the page can be short, and the cursor
	// goes on after it. A page by From, or after a key, that begins where it is spent is
	// an error that wraps ErrTooMany.
	Budget int `json:"budget,omitempty"`

	// Cursor continues after the page that gave it; the request's From must be 0.
	Cursor *Cursor `json:"cursor,omitempty"`
}

// Missing says what becomes of hits without a signature.
type Missing string

// What can become of them. The JSON names are the values. Hits whose signature is
// damaged are always kept.
const (
	KeepMissing  Missing = "keep"  // each is shown: the default
	DropMissing  Missing = "drop"  // none is shown or listed
	GroupMissing Missing = "group" // all are one group
)

const (
	defaultBudget  = 10_000
	defaultMatches = 1_000_000 // of the whole form
	mostBudget     = 1 << 29
)

// filled returns o with defaults filled in, or an error that names what is wrong.
func (o Options) filled() (Options, error) {
	if err := o.Rule.Validate(); err != nil {
		return o, fmt.Errorf("collapse: %w", err)
	}
	switch o.Missing {
	case "":
		o.Missing = KeepMissing
	case KeepMissing, DropMissing, GroupMissing:
	default:
		return o, fmt.Errorf("collapse: missing: wanted %q, %q or %q, got %q", KeepMissing, DropMissing, GroupMissing, o.Missing)
	}
	if err := o.combined(); err != nil {
		return o, err
	}
	if err := cmp.Or(o.checkFields(), o.checkHead()); err != nil {
		return o, err
	}
	switch {
	case o.Visible == 0:
		o.Visible = 1
	case o.Visible < 0:
		o.Visible = math.MaxInt
	}
	if o.Budget == 0 {
		o.Budget = defaultBudget
		if o.Whole {
			o.Budget = defaultMatches
		}
	}
	o.Budget = min(o.Budget, mostBudget)
	o.Field = cmp.Or(o.Field, signature.DefaultField)
	if err := o.Explain.Validate(); err != nil {
		return o, err
	}
	return o, checkInner(o.InnerHits)
}

// combined returns an error for options that cannot be combined, or a budget that is none.
func (o Options) combined() error {
	switch {
	case o.Budget < 0:
		return fmt.Errorf("collapse: budget: wanted 0 or more, got %d", o.Budget)
	case o.Whole && o.Demote:
		return errors.New("collapse: whole cannot be combined with demote, as a hit has two places")
	case o.Whole && o.Cursor != nil:
		return errors.New("collapse: whole cannot be combined with a cursor: it needs search_after")
	case o.Demote && o.Cursor != nil:
		return errors.New("collapse: demote cannot be combined with a cursor: its pages need from")
	}
	return nil
}

// checkHead returns an error for options that cannot be combined with Head.
func (o Options) checkHead() error {
	switch {
	case len(o.Head) == 0:
		return nil
	case slices.Contains(o.Head, nil):
		return errors.New("collapse: head: wanted sort fields, got nil")
	case o.Demote:
		return errors.New("collapse: head cannot be combined with demote")
	case o.Visible != 0 && o.Visible != 1:
		return errors.New("collapse: head cannot be combined with visible: it says which one hit of a group is shown")
	}
	return nil
}

// keep is the caller's filter.
func (o Options) keep() ranking.Keep { return ranking.Keep{Hit: o.Keep, Fields: o.KeepFields} }

// grouping returns how a Walk is to group, by options that are filled.
func (o Options) grouping() grouping.Options {
	missing := map[Missing]grouping.Missing{DropMissing: grouping.Drop, GroupMissing: grouping.Together}[o.Missing]
	return grouping.Options{Rule: o.Rule, Fields: o.fields(), Visible: o.Visible, Missing: missing}
}

// UnmarshalJSON fills o from JSON; unknown members are errors, and so are values
// that Search would reject.
func (o *Options) UnmarshalJSON(data []byte) error {
	type plain Options
	var v struct {
		plain
		Filter json.RawMessage   `json:"filter"`
		Head   []json.RawMessage `json:"head"`
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		return fmt.Errorf("collapse: options: %w", wanted(err))
	}
	read := Options(v.plain)
	if text := string(v.Filter); text != "" && text != "null" {
		filter, err := query.ParseQuery(v.Filter)
		if err != nil {
			return fmt.Errorf("collapse: options: filter: %w", err)
		}
		read.Filter = filter
	}
	head, err := search.ParseSortOrderJSON(v.Head)
	if err != nil {
		return fmt.Errorf("collapse: options: head: %w", err)
	}
	if len(head) > 0 {
		read.Head = head
	}
	if _, err := read.filled(); err != nil {
		return err
	}
	*o = read
	return nil
}

// wanted says what a member of JSON has to be, in place of an error that tells of types of
// Go. Other errors stay as they are.
func wanted(err error) error {
	t := new(json.UnmarshalTypeError)
	if !errors.As(err, &t) {
		return err
	}
	var want string
	switch t.Type.Kind() {
	case reflect.Bool:
		want = "true or false"
	case reflect.String:
		want = "a string"
	case reflect.Slice, reflect.Array:
		want = "a list"
	case reflect.Int, reflect.Int64:
		want = "a whole number"
	case reflect.Float64:
		want = "a number"
	default:
		want = "an object"
	}
	got := map[string]string{"bool": "true or false", "string": "a string", "array": "a list", "object": "an object", "number": "a number"}[t.Value]
	if got == "" {
		got = t.Value // such as "number 1.5"
	}
	field := strings.TrimPrefix(t.Field, "plain.") // which is embedded
	if field == "" {
		return fmt.Errorf("wanted %s, got %s", want, got)
	}
	return fmt.Errorf("%s: wanted %s, got %s", field, want, got)
}
