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

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse/explain"
	"github.com/neardup/bleve-neardup/collapse/internal/groups"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/hits"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/strict"
)

// Options says how to collapse. The zero Options folds near-duplicates by the field's rule, page by page. Of each
// option the first sentence says what it does; its limits come after. The first nine are for everyday use.
type Options struct {
	// Head is an order that chooses which hit of a group is shown, such as the newest or the cheapest; the best-ranked if
	// empty.
	//
	// "_id" decides ties. In a Search the group stays at the rank of its best-ranked hit, which Group.Stands names, and
	// which decides what belongs to the group. In a Query, Head is the order in which matches become heads, by score if
	// it is empty.
	//
	// With Whole or Complete, Head chooses from the whole group, otherwise from the hits that the search met. These are
	// all hits if TotalGroupsRelation is "eq". In a Search it cannot be combined with Visible, SearchAfter or
	// SearchBefore: use From or the cursor. It takes one more search.
	Head search.SortOrder `json:"head,omitempty"`

	// Complete gives the groups of a page all members that match, wherever these rank.
	//
	// It looks up the near-duplicates of the page's heads, and with By searches for their keys, so members, inner hits
	// and the hit that Head shows are exact. Result.Complete says whether it could be done. It cannot with
	// By.Most above 1, score fusion or vectors (knn), by a field that is not indexed, if a member of an alias is remote or
	// not of type neardup, or if there are more than Budget such documents. It cannot be combined with Visible. The first
	// such search reads all signatures of the index, and each page takes one more search, two with By.
	Complete bool `json:"complete,omitempty"`

	// Whole groups all matches before it makes the page, so that total, facets and the number of groups count what is
	// shown.
	//
	// A Query does so always. Whole needs a local index of type neardup or scorch, or an alias of such, and a query that
	// matches no nested documents. More matches than Budget are an error that wraps ErrTooMany. It cannot be combined with
	// score fusion, vectors (knn) or a cursor: use From, SearchAfter and SearchBefore. TotalGroupsRelation is "gte" if a
	// member of the alias failed.
	Whole bool `json:"whole,omitempty"`

	// By folds hits that have equal values of a field, instead of near-duplicates or beside them.
	By *By `json:"by,omitempty"`

	// Within names fields in which the hits of a group must be equal, such as the tenant, the room, the language or the
	// price.
	//
	// A hit that has no value of one of them hides nothing and is not hidden. By says what the values of a hit are. A
	// field that no document has, nor can get by the mapping, is an error, here and in By, Head and InnerHits.
	Within []string `json:"within,omitempty"`

	// Visible is how many hits of each group are shown, at their own ranks: 1 if 0, all if negative.
	//
	// If all are shown, the groups only say which hits are copies. From and Size count the hits that are shown.
	Visible int `json:"visible,omitempty"`

	// InnerHits asks for hidden hits with their fields, each time under another name.
	InnerHits []InnerHits `json:"inner_hits,omitempty"`

	// Explain asks which words members and heads have in common.
	Explain *explain.Options `json:"explain,omitempty"`

	// Cursor continues after the page that returned it; the request's From must be 0.
	Cursor *Cursor `json:"cursor,omitempty"`

	// Field is the fingerprinted field, signature.DefaultField if empty.
	Field string `json:"field,omitempty"`

	// Rule says which hits are near-duplicates.
	//
	// A member at 0 or "" comes from the field's rule, which is part of its analyzer's configuration, or else has its
	// default: see signature.Rule.Over. Search returns an error if indexes of an alias differ in such a member.
	Rule signature.Rule `json:"rule,omitzero"`

	// Verify makes the texts decide: of the hits that the sketch proposes, only those are hidden that the stored texts
	// confirm.
	//
	// If either text is not stored, or is not the text that was signed, Rule decides, and Member.Verified is not set. A
	// text takes microseconds, and at most Budget texts are read. Verify needs a local index or an alias of local ones,
	// and cannot be combined with By without Or.
	Verify signature.Verify `json:"verify,omitzero"`

	// Missing says what happens to hits without a signature: each is shown if it is empty.
	//
	// With By alone, it says what happens to hits without a value of that field. An index that is known to have no
	// signatures of Field is an error, also as a member of an alias: Field is misspelled, the mapping fingerprints no
	// field, or the index is not of type neardup (bleve.New, bleve.NewMemOnly and bleve.NewBuilder make such indexes).
	// KeepMissing searches it as it is, for example in the middle of a migration; its hits are shown, and counted in
	// Result.Unsigned.
	Missing Missing `json:"missing,omitempty"`

	// Budget is the most hits that one Search looks at: 10,000 if 0. With Whole, and in a Query, it is the most matches
	// that are grouped: 1,000,000 if 0.
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

// By folds hits that have equal values of a field, for example the pages of a host or the offers of a product.
// Options.Visible is then the number of hits of each key that are shown. By works on any bleve index in the page
// form, and needs no signatures unless Or is set. To fold near-duplicates only if they also have equal values, name
// the field in Options.Within.
//
// The values of a hit are its doc values, the terms by which bleve sorts: a field that is not indexed has none.
// Members of an alias that are neither local nor of package plugin/cluster/shards give stored values, in which a date
// is a string. By is for fields of keywords, numbers, booleans and dates; the values of a text field are its words.
// Two hits with several values are equal if they have the same set of values. The values of nested documents do not
// count.
type By struct {
	// Field is the field of the key. A hit without a value has no key: see Options.Missing.
	Field string `json:"field"`

	// Or also folds near-duplicates: a hit belongs to the first head that has its key or is its
	// near-duplicate. A hit without a key then belongs to a near-duplicate head, or is a head.
	Or bool `json:"or,omitempty"`

	// Most is how many heads can have the same key, 1 if 0. More than 1 needs Or. Further hits
	// with the key are members of the first of these heads. With Most 3 a page has at most three
	// results of a host, and no near-duplicates.
	Most int `json:"most,omitempty"`
}

// Missing says what happens to hits without a signature.
type Missing string

// The values of Missing. Their JSON names are the same. Hits with a damaged signature are always
// kept.
const (
	KeepMissing Missing = "keep" // each is shown, as by default, and an index that has none is no error
	DropMissing Missing = "drop" // none is shown or listed
)

const (
	defaultBudget  = 10_000
	defaultMatches = 1_000_000 // of the whole form
)

// filled returns o with defaults filled in, or an error that names what is wrong.
func (o Options) filled() (Options, error) {
	_, wrong := o.values()
	if err := cmp.Or(o.checkOwn(), wrong, o.Explain.Validate(), checkInner(o.InnerHits)); err != nil {
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
	o.Budget = min(o.Budget, indexes.MostHits)
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

// checkOwn returns an error for a value that is wrong by itself, or in any search.
func (o *Options) checkOwn() error {
	if err := cmp.Or(o.Rule.Validate(), o.Verify.Validate()); err != nil {
		return fmt.Errorf("collapse: %w", err)
	}
	switch o.Missing {
	case "", KeepMissing, DropMissing:
	default:
		return fmt.Errorf("collapse: missing: wanted %q or %q, got %q", KeepMissing, DropMissing, o.Missing)
	}
	switch {
	case o.Budget < 0:
		return fmt.Errorf("collapse: budget: wanted 0 or more, got %d", o.Budget)
	case slices.Contains(o.Head, nil):
		return errors.New("collapse: head: wanted sort fields, got nil")
	case o.keysAlone() && o.Verify.On():
		return errors.New("collapse: verify cannot be combined with by unless or is set: nothing is compared")
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

// grouping returns how a Walk is to group, by options that are filled.
func (o *Options) grouping() groups.Options {
	values, _ := o.values() // which were checked
	return groups.Options{
		Field: o.Field, Rule: o.Rule, Fields: values, Visible: o.Visible, Drop: o.Missing == DropMissing,
	}
}

// UnmarshalJSON fills o from JSON; unknown members are errors, and so are values that no search takes.
func (o *Options) UnmarshalJSON(data []byte) error {
	type plain Options
	var v struct {
		plain
		Head []json.RawMessage `json:"head"`
	}
	if err := strict.Decode(data, &v); err != nil {
		return fmt.Errorf("collapse: options: %w", err)
	}
	read := Options(v.plain)
	var err error
	if read.Head, err = indexes.Order("collapse: options: head", v.Head); err == nil {
		_, err = read.filled()
	}
	if err == nil {
		*o = read
	}
	return err
}
