package admission

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/ids"
)

// Label says what a mark makes of its near-duplicates.
type Label string

// The labels. Their JSON names are their values.
const (
	Spam   Label = "spam"   // Policy.Known is what becomes of them
	Wanted Label = "wanted" // they are accepted, even if they are near spam as well
)

// Mark is a text that is known to be spam, or to be wanted. It is kept in the index,
// and stays when the document that it was made from is deleted. In JSON a name or a scope
// that is not UTF-8 is as an id is in a Verdict.
type Mark struct {
	// Name identifies the mark; a later mark of the same name takes its place. It is any
	// bytes, at most 32,755 of them.
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

// maxName is how long a mark's name may be: bleve keeps it in a key of bbolt's, which has
// 32,768 bytes at most.
const maxName = 32<<10 - len(MarkPrefix)

// markJSON hides the members of a Mark that have the same names, and are any bytes.
type markJSON struct {
	Name ids.ID `json:"name"`
	*plainMark
	Scope []ids.ID `json:"scope,omitempty"`
}

type plainMark Mark

// MarshalJSON implements json.Marshaler.
func (m Mark) MarshalJSON() ([]byte, error) {
	return ids.Marshal(markJSON{ids.ID(m.Name), (*plainMark)(&m), ids.Of(m.Scope)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *Mark) UnmarshalJSON(data []byte) error {
	read := markJSON{plainMark: new(plainMark)}
	err := json.Unmarshal(data, &read)
	*m = Mark(*read.plainMark)
	m.Name, m.Scope = string(read.Name), ids.Strings(read.Scope)
	return err
}

// Validate returns an error that names what is wrong.
func (m *Mark) Validate() error {
	switch {
	case len(m.Name) > maxName:
		return fmt.Errorf("admission: mark: wanted a name of at most %d bytes, got %d", maxName, len(m.Name))
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

// marks are those of one index. There may be many, and one more whenever somebody
// reports spam, so what did not change is neither read nor entered again.
type marks struct {
	read   bool // all is as in the index
	all    map[string]stored
	rule   signature.Rule
	table  *table.Table // of listed; nil if it must be made
	listed []*Mark      // in any order
}

// stored is a mark with the text that it was read from.
type stored struct {
	*Mark
	text []byte
}

// load reads the marks from the internal values of an index.
func (m *marks) load(internal map[string][]byte) error {
	all, same := make(map[string]stored, len(m.all)), 0
	var added []*Mark
	for key, value := range internal {
		name, ok := strings.CutPrefix(key, MarkPrefix)
		if !ok {
			continue
		}
		if old, ok := m.all[name]; ok && bytes.Equal(old.text, value) {
			all[name] = old
			same++
			continue
		}
		mark := new(Mark)
		if err := json.Unmarshal(value, mark); err != nil {
			return fmt.Errorf("admission: mark %q: %w", name, err)
		}
		if err := mark.Validate(); err != nil {
			return err
		}
		all[name] = stored{mark, value}
		added = append(added, mark)
	}
	if same < len(m.all) {
		m.table = nil
	}
	if m.table != nil {
		m.list(added)
	}
	m.all, m.read = all, true
	return nil
}

// near returns the first mark, wanted before spam, by name, that counts for a
// document at a time.
func (m *marks) near(rule signature.Rule, d *Document, scoped bool, now time.Time) (*Mark, *signature.Match) {
	if m.table == nil || m.rule != rule {
		m.rule, m.table, m.listed = rule, table.New(rule), nil
		m.list(m.sorted())
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
		if found == nil || mark.before(found) {
			found = mark
		}
	}
	if found == nil {
		return nil, nil
	}
	match, _ := rule.Match(found.Signature, d.Signature)
	return found, &match
}

// before reports whether m counts rather than other.
func (m *Mark) before(other *Mark) bool {
	if m.Label != other.Label {
		return m.Label == Wanted
	}
	return m.Name < other.Name
}

// scope is that of the documents that the mark is for.
func (m *Mark) scope() uint64 {
	var terms [][]byte
	for _, s := range slices.Compact(slices.Sorted(slices.Values(m.Scope))) {
		terms = append(terms, []byte(s))
	}
	return column.ScopeOf(terms...)
}

func (m *marks) list(some []*Mark) {
	m.listed = append(m.listed, some...)
	for _, mark := range some {
		m.table.Add(mark.Signature)
	}
}

func (m *marks) sorted() []*Mark {
	var all []*Mark
	for _, mark := range m.all {
		all = append(all, mark.Mark)
	}
	slices.SortFunc(all, func(a, b *Mark) int { return strings.Compare(a.Name, b.Name) })
	return all
}
