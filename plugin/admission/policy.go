package admission

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/repetition"
	"github.com/neardup/bleve-neardup/internal/strict"
)

// Action is what happens to a document, from mild to severe.
type Action string

// The actions. Their JSON names are their values.
const (
	Accept  Action = "accept"  // it is written as it is
	Tag     Action = "tag"     // it is written with the fields TagField and OfField
	Replace Action = "replace" // it is written, and its near-duplicates in the index are deleted
	Reject  Action = "reject"  // it is not written
)

// Keep says which of two near-duplicates stays if one replaces the other.
type Keep string

// What can be kept. Their JSON names are their values.
const (
	Newest   Keep = "newest"   // the one with the later time
	Oldest   Keep = "oldest"   // the one with the earlier time
	Longest  Keep = "longest"  // the one with more tokens
	Shortest Keep = "shortest" // the one with fewer tokens
)

// Policy says which documents are written. The zero Policy accepts everything. A document is
// judged by each part of the policy, and the severest action counts. Near-duplicates of what
// is marked as wanted pass every part except Unscoped, Repetition and Hidden.
//
// A policy can change at any time and then judges later writes. The index keeps it: see
// SetPolicy of package plugin.
type Policy struct {
	// Field is the fingerprinted field, signature.DefaultField if empty. Documents
	// without text there are accepted. A policy knows one field.
	Field string `json:"field,omitempty"`

	// Rule says which documents are near-duplicates. Members at 0 or "" are those of the field's rule,
	// which the configuration of its analyzer has, and else have their defaults: see
	// signature.Rule.Over.
	Rule signature.Rule `json:"rule,omitzero"`

	// Scope is the name of an indexed field, such as the tenant or the host of a page.
	// A document is compared only with documents that have the same terms there. Documents
	// without a term are a scope of their own, and their verdicts say so: see Verdict.Unscoped. If
	// Scope is empty, all documents are one scope.
	Scope string `json:"scope,omitempty"`

	// Unscoped is what happens to a document without a term in Scope, Accept if empty. Reject refuses it, so that
	// no tenant is forgotten.
	Unscoped Action `json:"unscoped,omitempty"`

	// Near is what happens to a near-duplicate of any document in the index. With Replace,
	// Prefer decides which of the two stays.
	Near Action `json:"near,omitempty"`

	// MaxReplaced is how many documents one document can replace: 100 if
	// zero, any number if negative. A document that would replace more is rejected
	// (Verdict.Capped), and nothing is deleted.
	MaxReplaced int `json:"max_replaced,omitempty"`

	// Prefer decides which of two documents stays: the first preference in which they differ. If they differ in none, the
	// one in the index stays. If Prefer is empty, the newest stays, and of two of the same time the one written later.
	Prefer []Preference `json:"prefer,omitempty"`

	// Floods limit campaigns: many copies within a short time, for example copies from many senders and copies of one
	// sender. The severest counts, and the first if they are equally severe.
	Floods []Flood `json:"floods,omitempty"`

	// Time is the name of a datetime field that says when a document was sent. If it is
	// empty, or a document does not have the field, the time of writing counts.
	Time string `json:"time,omitempty"`

	// Known is what happens to a document that is like a text that is marked as spam.
	// KnownRule says what is like it.
	Known     Action    `json:"known,omitempty"`
	KnownRule KnownRule `json:"known_rule,omitzero"`

	// Repetition limits how much a document repeats, for example stuffed keywords.
	Repetition *Repetition `json:"repetition,omitempty"`

	// Hidden limits how much of a page HTML hides.
	Hidden *Hidden `json:"hidden,omitempty"`

	// Group gives each document that is written the name of its group in the field GroupField, 16 hexadecimal digits. A
	// document joins the group of its nearest near-duplicate by Rule in Scope: an equal text first, then most lanes, then
	// least Hamming distance, then the least name. Of more than 64 near-duplicates not the nearest counts, but the least
	// name, after equal texts; of the same batch, the first 64 are looked at. Without a near-duplicate, or without text, a
	// document founds a group.
	//
	// A name changes only with the text: an update keeps it if the new text is near the old one, or near another member.
	// Groups are never joined, split or named anew, and one stays when its founder is deleted. Documents that were written
	// without Group have no name until they are written again.
	Group bool `json:"group,omitempty"`

	// Shadow is for trying a policy out: documents that would be rejected, or would replace
	// others, are tagged instead. Verdict.Would says what would have happened.
	Shadow bool `json:"shadow,omitempty"`
}

// Repetition says how much repetition is too much.
type Repetition struct {
	// Limits are limits that a document must not exceed. repetition.Stuffing returns limits
	// that hardly touch what people write.
	Limits repetition.Limits `json:"limits"`

	// Action is what happens to a document that exceeds one, Tag if empty: legitimate text
	// repeats itself, too.
	Action Action `json:"action,omitempty"`
}

// Validate returns an error that names the first part that is wrong.
func (p *Policy) Validate() error {
	action := func(name string, a Action, may ...Action) error {
		if slices.Contains(append(may, "", Accept, Tag, Reject), a) {
			return nil
		}
		return fmt.Errorf("admission: %s: wanted %q, got %q", name, append([]Action{Accept, Tag, Reject}, may...), a)
	}
	err := errors.Join(action("near", p.Near, Replace), action("known", p.Known), action("unscoped", p.Unscoped))
	for i := range p.Floods {
		name := fmt.Sprintf("floods[%d]", i)
		err = errors.Join(err, action(name+": action", p.Floods[i].Action), p.Floods[i].validate(name))
	}
	if p.Repetition != nil {
		err = errors.Join(err, action("repetition: action", p.Repetition.Action), p.Repetition.Limits.Validate())
	}
	if p.Hidden != nil {
		err = errors.Join(err, action("hidden: action", p.Hidden.Action), p.Hidden.validate())
	}
	switch {
	case err != nil:
		return err
	case p.Unscoped != "" && p.Scope == "":
		return errors.New("admission: unscoped needs scope, got none")
	case len(p.Prefer) > 0 && p.Near != Replace:
		return fmt.Errorf("admission: prefer: wanted near to be %q, got %q: the first stays", Replace, p.Near)
	case p.MaxReplaced != 0 && p.Near != Replace:
		return fmt.Errorf("admission: max_replaced: wanted near to be %q, got %q: nothing is replaced", Replace, p.Near)
	}
	for i := range p.Prefer {
		if err := p.Prefer[i].validate(); err != nil {
			return err
		}
	}
	if err := cmp.Or(p.Rule.Validate(), p.KnownRule.Validate()); err != nil {
		return fmt.Errorf("admission: %w", err)
	}
	if p.KnownRule != (KnownRule{}) && p.Known == "" {
		return errors.New("admission: known_rule: wanted known to say what happens, got nothing")
	}
	return nil
}

// ParsePolicy reads a Policy from JSON, and validates it. Unknown members are errors.
func ParsePolicy(data []byte) (*Policy, error) {
	p := new(Policy)
	if string(data) == "null" { // which leaves out all of a Policy that is a member
		return nil, errors.New("admission: policy: wanted an object, got null")
	}
	if err := p.UnmarshalJSON(data); err != nil {
		return nil, err
	}
	return p, p.Validate()
}

// UnmarshalJSON implements json.Unmarshaler. Unknown members are errors.
func (p *Policy) UnmarshalJSON(data []byte) error {
	type plain Policy
	return strict.Fill("admission: policy", data, (*plain)(p))
}

// Hidden says how much text that nobody sees is too much: text in elements that are hidden, or in the
// colour of their background, in template and in noscript. Menus and footers are not hidden. See
// html.Words of package analysis/signature/html. The analyzer of the field needs the char filter
// "neardup_html", and SetPolicy returns an error if it has none.
type Hidden struct {
	// Share is the share of hidden words among all words of a document, above 0 and at most 1, from
	// which on Action is taken.
	Share float64 `json:"share"`

	// MinWords is the number of hidden words below which nothing is done: pages hide a few words
	// for screen readers. 20 if zero.
	MinWords int `json:"min_words,omitempty"`

	// Action is what happens to such a document, Tag if empty.
	Action Action `json:"action,omitempty"`
}

func (h *Hidden) validate() error {
	switch {
	case !(h.Share > 0 && h.Share <= 1):
		return fmt.Errorf("admission: hidden: share: wanted a number above 0 and up to 1, got %v", h.Share)
	case h.MinWords < 0:
		return fmt.Errorf("admission: hidden: min_words: wanted 0 or more, got %d", h.MinWords)
	}
	return nil
}
