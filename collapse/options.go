package collapse

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse/explain"
	"github.com/neardup/bleve-neardup/collapse/internal/groups"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/hits"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/strict"
)

// Options says how to collapse, in a Search and in a Query. The zero Options collapses by the field's rule, or by the
// default rule if the field has none.
type Options struct {
	// Head is an order that decides which hit of a group is shown, for example the newest, the longest or the cheapest.
	//
	// "_id" decides ties. If Head is empty, the best-ranked hit is shown. In a Search the group stays at the rank of its
	// best-ranked hit, which Group.Stands names, and which decides what belongs to the group. In a Query there is no rank:
	// Head is the order in which matches become heads, by score if it is empty.
	//
	// In the whole form the head is the first of the whole group, and with Complete in the page form, too. Otherwise it
	// is the first of the hits that the search met; these are all hits if TotalGroupsRelation is "eq". Result.Earlier
	// names a group by its best-ranked hit. In a Search Head cannot be combined with Visible, SearchAfter or
	// SearchBefore: use From or the cursor for further pages. On one local index of type neardup it takes no other
	// search; on others it takes two more, for the hits of the groups on the page.
	Head search.SortOrder `json:"head,omitempty"`

	// Complete makes the groups of a page have all members that match, wherever these rank.
	//
	// It looks up the near-duplicates of the page's heads, so members, inner hits and the hit that Head shows are exact.
	// Result.Complete says whether it could be done. It cannot with By, GroupMissing, score fusion or vectors (knn), if
	// a member of an alias is remote or not of type neardup, or if more than Budget documents are near a head of the
	// page. A page with all hits, and the whole form, are complete anyway. It cannot be combined with Visible. The first
	// such search of an index reads all of its signatures, and then each page takes one more search.
	Complete bool `json:"complete,omitempty"`

	// Whole groups all matches before it makes the page: total, facets and the number of groups then count the collapsed
	// set.
	//
	// A Query does so always. Whole is for a local index and an alias of local ones, and for queries that no nested
	// documents match. More matches than Budget are an error that wraps ErrTooMany. It cannot be combined with score
	// fusion or vectors (knn), nor with a cursor: use From, SearchAfter and SearchBefore. TotalGroupsRelation is "gte"
	// if a member of the alias failed.
	Whole bool `json:"whole,omitempty"`

	// By folds hits that have equal values of a field, instead of near-duplicates or beside them; if it is nil, only
	// near-duplicates fold.
	By *By `json:"by,omitempty"`

	// Within names fields in which the hits of a group must be equal, for example the tenant, the room or the language,
	// or the price, which two equal offers can differ in.
	//
	// A hit that has no value of one of them hides nothing and is not hidden. By says what the values of a hit are. A
	// field that no document has, nor can get by the mapping, is an error, here and in By, Head and InnerHits.
	Within []string `json:"within,omitempty"`

	// Filter says which hits are wanted, for example those that the user is allowed to see. The others are not shown
	// and hide nothing, and the page is filled with other hits.
	Filter Filter `json:"filter,omitzero"`

	// Visible is how many hits of each group are shown, at their own ranks: 1 if 0, all if negative.
	//
	// If all are shown, the groups only say which hits are copies. From and Size count the hits that are shown.
	Visible int `json:"visible,omitempty"`

	// InnerHits asks for hidden hits with their fields, each time under another name.
	InnerHits []InnerHits `json:"inner_hits,omitempty"`

	// Explain asks which words members and heads have in common. If it is nil, nothing is explained.
	Explain *explain.Options `json:"explain,omitempty"`

	// Cursor continues after the page that returned it. The request's From must be 0.
	Cursor *Cursor `json:"cursor,omitempty"`

	// Field is the fingerprinted field, signature.DefaultField if empty.
	Field string `json:"field,omitempty"`

	// Rule says which hits are near-duplicates.
	//
	// A member at 0 or "" comes from the field's rule, which is part of its analyzer's configuration, or else has its
	// default: see signature.Rule.Over. Search returns an error if indexes of an alias differ in such a member.
	Rule signature.Rule `json:"rule,omitzero"`

	// Verify makes the texts decide: a hit that the sketch proposes as a near-duplicate of a head is hidden only if the
	// stored texts of both confirm it.
	//
	// If either text is not stored, or is not the text that was signed, Rule decides, and Member.Verified is not set.
	// Texts of a local index take microseconds each; a text of a remote index takes a request, which asks for no other.
	// If an index fails to give a text, Rule decides, Status names the index, and TotalGroupsRelation is "gte". An alias
	// of remote indexes needs a mapping (SetIndexMapping), which says where texts are. There are no more texts than
	// Budget has hits or matches. Verify cannot be combined with By without Or.
	Verify signature.Verify `json:"verify,omitzero"`

	// Missing says what happens to hits without a signature: each is shown if it is empty.
	//
	// With By alone, it says what happens to hits without a value of that field. With Within, GroupMissing makes one
	// group for each value of these fields. An index that is known to have no signatures of Field at all, or an alias with
	// such a member, is an error: Field is misspelled, the mapping fingerprints no field, or the index is not of type
	// neardup (bleve.New, bleve.NewMemOnly and bleve.NewBuilder make such indexes). KeepMissing searches it as it is, for
	// example in the middle of a migration. Its hits are shown and counted in Result.Unsigned.
	Missing Missing `json:"missing,omitempty"`

	// Diversify brings the heads of the first 50 groups into an order in which each balances its score with what it adds
	// to the heads before it, by resemblance: maximal marginal relevance.
	//
	// It is lambda, above 0 and up to 1: the weight of the score, as a share of the best. The rest is the weight of the
	// greatest resemblance to a head before. At 1, and at 0, which is the default, the order is bleve's. It needs
	// hits in order of score, and pages by From. It cannot be combined with By without Or, Head, Complete, Whole,
	// Visible, a cursor, SearchAfter or SearchBefore.
	Diversify float64 `json:"diversify,omitempty"`

	// Budget is the most hits that one Search looks at: 10,000 if 0. In the whole form, and in a Query, it is the most
	// matches that are grouped: 1,000,000 if 0.
	//
	// When it is spent, a page can be short, and the cursor goes on after it. A page by From or after a key that begins
	// beyond the budget is an error that wraps ErrTooMany, and so are more matches in the whole form.
	Budget int `json:"budget,omitempty"`
}

// ErrRequest is wrapped by the error for a request or options that cannot be answered, on any
// index or on this one. That error says what was wanted and what came.
var ErrRequest = hits.ErrRequest

// invalid returns an error that wraps ErrRequest without repeating it.
func invalid(err error) error { return hits.Wrong(err) }

// unsigned says what else can be done about an index without signatures; nil stays nil.
func unsigned(err error) error {
	if err == nil {
		return nil
	}
	return invalid(fmt.Errorf("collapse: %w; missing \"keep\" searches it as it is", err))
}

// Filter says which hits are wanted. The zero Filter wants all.
type Filter struct {
	// Query is a query that the hits must match as well; it is all that JSON has of a Filter, and can also come over HTTP.
	//
	// bleve leaves other documents out, so nothing counts them. Scores do not change. It cannot be combined with vectors
	// (knn), which have filters of their own.
	Query query.Query

	// Keep reports whether a hit is wanted.
	//
	// Search calls it before the hit can hide another or be hidden, by one goroutine at a time, perhaps more than once
	// for a hit. It gets the index, id and score of the hit, and the stored fields that Fields names. Rejected hits
	// count in Budget and in Result.Rejected. In the page form they also count in Total and facets, like all matches.
	Keep   func(hit *search.DocumentMatch) bool
	Fields []string
}

// MarshalJSON writes the query.
func (f Filter) MarshalJSON() ([]byte, error) { return json.Marshal(f.Query) }

// Missing says what happens to hits without a signature.
type Missing string

// The values of Missing. Their JSON names are the same. Hits with a damaged signature are always
// kept.
const (
	KeepMissing  Missing = "keep"  // each is shown, as by default, and an index that has none is no error
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
	_, wrong := o.values()
	if err := cmp.Or(o.checkOwn(), o.combined(), wrong, o.Explain.Validate(), checkInner(o.InnerHits)); err != nil {
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
	return o, nil
}

// schema is what is asked of an index: whether a field has signatures, its rule, and whether a field can have values.
type schema struct {
	signed func(field string) error
	rule   func(field string, asked signature.Rule) (signature.Rule, error)
	has    func(field string) error
}

// ask asks an index whether it has signatures and can have the fields whose values o asks for, and fills in the rule.
func (o *Options) ask(x schema) (err error) {
	if o.Missing != KeepMissing && !o.keysAlone() {
		if err := unsigned(x.signed(o.Field)); err != nil {
			return err
		}
	}
	if o.Rule, err = x.rule(o.Field, o.Rule); err != nil {
		return invalid(fmt.Errorf("collapse: %w", err))
	}
	named := map[string][]string{"within": o.Within, "head": o.Head.RequiredFields()}
	if o.By != nil {
		named["by"] = []string{o.By.Field}
	}
	for _, inner := range o.InnerHits {
		named[fmt.Sprintf("inner_hits %q: sort", inner.Name)] = inner.Sort.RequiredFields()
	}
	for _, option := range slices.Sorted(maps.Keys(named)) {
		for _, field := range named[option] {
			if err := x.has(field); err != nil {
				return invalid(fmt.Errorf("collapse: %s: %w", option, err))
			}
		}
	}
	return nil
}

// keysAlone reports whether hits are folded by a key, and signatures do not matter.
func (o *Options) keysAlone() bool { return o.By != nil && !o.By.Or }

// checkOwn returns an error for a value that is wrong by itself.
func (o *Options) checkOwn() error {
	if err := o.Rule.Validate(); err != nil {
		return fmt.Errorf("collapse: %w", err)
	}
	if err := o.Verify.Validate(); err != nil {
		return fmt.Errorf("collapse: %w", err)
	}
	switch o.Missing {
	case "", KeepMissing, DropMissing, GroupMissing:
	default:
		return fmt.Errorf("collapse: missing: wanted %q, %q or %q, got %q", KeepMissing, DropMissing, GroupMissing, o.Missing)
	}
	if o.Budget < 0 {
		return fmt.Errorf("collapse: budget: wanted 0 or more, got %d", o.Budget)
	}
	return nil
}

// combined returns an error for options that cannot be combined.
func (o *Options) combined() error {
	switch {
	case o.Whole && o.Cursor != nil:
		return errors.New("collapse: whole cannot be combined with a cursor: it needs search_after")
	case !(o.Diversify >= 0 && o.Diversify <= 1):
		return fmt.Errorf("collapse: diversify: wanted 0 to 1, got %v", o.Diversify)
	case o.diverse() && (len(o.Head) > 0 || o.Complete || o.Whole || o.Visible != 0 && o.Visible != 1 || o.Cursor != nil):
		return errors.New("collapse: diversify cannot be combined with head, complete, whole, visible or a cursor")
	case o.diverse() && o.keysAlone():
		return errors.New("collapse: diversify cannot be combined with by unless or is set: nothing is compared")
	case o.Verify.On() && o.keysAlone():
		return errors.New("collapse: verify cannot be combined with by unless or is set: nothing is compared")
	}
	return nil
}

// checkHead returns an error for options that cannot be combined with Head or Complete.
func (o *Options) checkHead() error {
	switch {
	case o.Complete && o.Visible != 0 && o.Visible != 1:
		return errors.New("collapse: complete cannot be combined with visible, which shows members on other pages")
	case len(o.Head) == 0:
		return nil
	case slices.Contains(o.Head, nil):
		return errors.New("collapse: head: wanted sort fields, got nil")
	case o.Visible != 0 && o.Visible != 1:
		return errors.New("collapse: head cannot be combined with visible: it says which one hit of a group is shown")
	}
	return nil
}

// values returns which values of fields group hits, or an error for fields that cannot.
func (o *Options) values() (fields.Options, error) {
	f := fields.Options{Within: o.Within}
	if b := o.By; b != nil {
		if err := fields.CheckBy(b.Field, b.Or, b.Most); err != nil {
			return f, fmt.Errorf("collapse: by: %w", err)
		}
		f.By, f.Or, f.Most = b.Field, b.Or, max(1, b.Most)
	}
	if err := f.Validate(); err != nil {
		return f, fmt.Errorf("collapse: %w", err)
	}
	return f, nil
}

// keep is the caller's filter.
func (o *Options) keep() hits.Keep {
	return hits.Keep{Hit: o.Filter.Keep, Fields: o.Filter.Fields}
}

// grouping returns how a Walk is to group, by options that are filled.
func (o *Options) grouping() groups.Options {
	values, _ := o.values() // which were checked
	return groups.Options{
		Field: o.Field, Rule: o.Rule, Fields: values, Visible: o.Visible,
		Drop: o.Missing == DropMissing, Together: o.Missing == GroupMissing,
	}
}

// diverse reports whether heads come in another order than rank.
func (o *Options) diverse() bool { return o.Diversify > 0 && o.Diversify < 1 }

// UnmarshalJSON fills o from JSON; unknown members are errors, and so are values that no search takes.
func (o *Options) UnmarshalJSON(data []byte) error {
	type plain Options
	var v struct {
		plain
		Filter json.RawMessage   `json:"filter"`
		Head   []json.RawMessage `json:"head"`
	}
	if err := strict.Decode(data, &v); err != nil {
		return fmt.Errorf("collapse: options: %w", err)
	}
	read := Options(v.plain)
	var err error
	if text := string(v.Filter); text != "" && text != "null" {
		if read.Filter.Query, err = query.ParseQuery(v.Filter); err != nil {
			return fmt.Errorf("collapse: options: filter: %w", err)
		}
	}
	if read.Head, err = indexes.Order("collapse: options: head", v.Head); err == nil {
		_, err = read.filled()
	}
	if err == nil {
		*o = read
	}
	return err
}
