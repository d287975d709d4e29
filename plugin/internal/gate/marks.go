package gate

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
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// MarkPrefix begins the keys, among the index's internal values, under which marks
// are kept as JSON.
const MarkPrefix = "neardup/mark/"

// EncodeMark returns the key and the value that keep m.
func EncodeMark(m *admission.Mark) (key, value []byte, err error) {
	if err := m.Validate(); err != nil {
		return nil, nil, err
	}
	value, err = json.Marshal(m)
	return []byte(MarkPrefix + m.Name), value, err
}

// marks are the marks of one index. There can be many, and one more whenever somebody
// reports spam, so what did not change is neither read nor entered again.
type marks struct {
	read   bool // all is as in the index
	all    map[string]keptMark
	rule   signature.Rule
	table  *table.Table      // of listed; nil if it must be made
	listed []*admission.Mark // in any order
}

// keptMark is a mark with the text that it was read from.
type keptMark struct {
	*admission.Mark
	text []byte
}

// load reads the marks from the internal values of an index.
func (m *marks) load(internal map[string][]byte) error {
	all, same := make(map[string]keptMark, len(m.all)), 0
	var added []*admission.Mark
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
		mark := new(admission.Mark)
		if err := json.Unmarshal(value, mark); err != nil {
			return fmt.Errorf("admission: mark %q: %w", name, err)
		}
		if err := mark.Validate(); err != nil {
			return err
		}
		all[name] = keptMark{mark, value}
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
func (m *marks) near(rule signature.Rule, d *Document, scoped bool, now time.Time) (*admission.Mark, *signature.Match) {
	if m.table == nil || m.rule != rule {
		m.rule, m.table, m.listed = rule, table.New(rule), nil
		m.list(m.sorted())
	}
	var found *admission.Mark
	for _, i := range m.table.All(d.Signature) {
		mark := m.listed[i]
		if !mark.Expires.IsZero() && !now.Before(mark.Expires) {
			continue
		}
		if len(mark.Scope) > 0 && (!scoped || scopeOf(mark) != d.Scope) {
			continue
		}
		if found == nil || before(mark, found) {
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
func before(m, other *admission.Mark) bool {
	if m.Label != other.Label {
		return m.Label == admission.Wanted
	}
	return m.Name < other.Name
}

// scopeOf is the scope of the documents that a mark is for.
func scopeOf(m *admission.Mark) uint64 {
	var terms [][]byte
	for _, s := range slices.Compact(slices.Sorted(slices.Values(m.Scope))) {
		terms = append(terms, []byte(s))
	}
	return column.ScopeOf(terms...)
}

func (m *marks) list(some []*admission.Mark) {
	m.listed = append(m.listed, some...)
	for _, mark := range some {
		m.table.Add(mark.Signature)
	}
}

func (m *marks) sorted() []*admission.Mark {
	var all []*admission.Mark
	for _, mark := range m.all {
		all = append(all, mark.Mark)
	}
	slices.SortFunc(all, func(a, b *admission.Mark) int { return strings.Compare(a.Name, b.Name) })
	return all
}
