package admission

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/collapse/column"
)

// Label says what a mark makes of its near-duplicates.
type Label string

// The labels. Their JSON names are their values.
const (
	Spam   Label = "spam"   // Policy.Known is what becomes of them
	Wanted Label = "wanted" // they are accepted, even if they are near spam as well
)

// Mark is a text that is known to be spam, or to be wanted. It is kept in the index,
// and stays when the document that it was made from is deleted.
type Mark struct {
	// Name identifies the mark; a later mark of the same name takes its place.
	Name  string `json:"name"`
	Label Label  `json:"label"`

	// Scope has the terms of Policy.Scope of the documents that the mark is for; with
	// none it is for all scopes.
	Scope []string `json:"scope,omitempty"`

	// Signature is that of the text.
	Signature *signature.Signature `json:"signature"`

	// Expires is when the mark ends; never if zero.
	Expires time.Time `json:"expires,omitzero"`
}

// Validate returns an error that names what is wrong.
func (m *Mark) Validate() error {
	switch {
	case m.Name == "":
		return fmt.Errorf("admission: mark: wanted a name, got none")
	case m.Label != Spam && m.Label != Wanted:
		return fmt.Errorf("admission: mark %q: label: wanted %q or %q, got %q", m.Name, Spam, Wanted, m.Label)
	case m.Signature == nil || m.Signature.Tokens == 0:
		return fmt.Errorf("admission: mark %q: wanted a text of one token or more, got none", m.Name)
	}
	return nil
}

// MarkPrefix begins the keys, among the index's internal values, under which marks
// are kept as JSON.
const MarkPrefix = "neardup/mark/"

// Encode returns the key and the value that keep m.
func (m *Mark) Encode() (key, value []byte, err error) {
	if err := m.Validate(); err != nil {
		return nil, nil, err
	}
	value, err = json.Marshal(m)
	return []byte(MarkPrefix + m.Name), value, err
}

// marks are those of one index.
type marks struct {
	all   map[string]*Mark
	rule  signature.Rule
	table *table.Table // of listed; nil if they changed
	// listed are all, in the order of their names.
	listed []*Mark
}

// load reads all marks from the internal values of an index.
func (m *marks) load(internal map[string][]byte) error {
	m.all = map[string]*Mark{}
	for key, value := range internal {
		name, ok := strings.CutPrefix(key, MarkPrefix)
		if !ok {
			continue
		}
		mark := new(Mark)
		if err := json.Unmarshal(value, mark); err != nil {
			return fmt.Errorf("admission: mark %q: %w", name, err)
		}
		m.all[name] = mark
	}
	m.table = nil
	return nil
}

// near returns the first mark, wanted before spam, by name, that counts for a
// document at a time.
func (m *marks) near(rule signature.Rule, d *Document, scoped bool, now time.Time) (*Mark, *signature.Match) {
	if m.table == nil || m.rule != rule {
		m.list(rule)
	}
	var found *Mark
	for _, i := range m.table.All(d.Signature) {
		mark := m.listed[i]
		if !mark.Expires.IsZero() && !now.Before(mark.Expires) {
			continue
		}
		if len(mark.Scope) > 0 && (!scoped || mark.scope() != d.Scope) {
			continue
		}
		if found == nil || found.Label == Spam && mark.Label == Wanted {
			found = mark
		}
	}
	if found == nil {
		return nil, nil
	}
	match, _ := rule.Match(found.Signature, d.Signature)
	return found, &match
}

// scope is that of the documents that the mark is for.
func (m *Mark) scope() uint64 {
	var terms [][]byte
	for _, s := range slices.Compact(slices.Sorted(slices.Values(m.Scope))) {
		terms = append(terms, []byte(s))
	}
	return column.ScopeOf(terms...)
}

func (m *marks) list(rule signature.Rule) {
	m.rule, m.table, m.listed = rule, table.New(rule), m.sorted()
	for _, mark := range m.listed {
		m.table.Add(mark.Signature)
	}
}

func (m *marks) sorted() []*Mark {
	var all []*Mark
	for _, mark := range m.all {
		all = append(all, mark)
	}
	slices.SortFunc(all, func(a, b *Mark) int { return strings.Compare(a.Name, b.Name) })
	return all
}
