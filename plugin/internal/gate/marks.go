package gate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

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

// marks are the marks of one index, and how often each was used. There can be many, and one more whenever somebody
// reports spam, so what did not change is neither read nor entered again.
type marks struct {
	read   bool // all is as in the index
	all    map[string]*keptMark
	rule   signature.Rule
	table  *table.Table     // of listed; nil if it must be made
	listed []*keptMark      // in any order
	spam   map[uint32]*spam // those of listed that are spam and have a sketch, by signature.Params
	uses   uses
}

// spam is what is marked as spam and signed in one way.
type spam struct {
	sketches *agreeing
	marks    []*keptMark // in the order of sketches
}

// keptMark is a mark with the text that it was read from.
type keptMark struct {
	*admission.Mark
	text []byte
	key  uint64 // of its uses
}

// load reads the marks from the internal values of an index.
func (m *marks) load(internal map[string][]byte) error {
	if err := m.uses.load(internal[UsesKey]); err != nil {
		return err
	}
	all, same := make(map[string]*keptMark, len(m.all)), 0
	var added []*keptMark
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
		all[name] = &keptMark{mark, value, useKey(name, value)}
		added = append(added, all[name])
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

// like returns the mark that counts for a document at a time, of those that the document is
// like: wanted before spam, then by the test that they passed, then by name.
func (m *marks) like(j *judgement, d *Document) (found *keptMark, how admission.Likeness) {
	if m.table == nil || m.rule != j.rule {
		m.rule, m.table, m.listed, m.spam = j.rule, table.New(j.rule), nil, map[uint32]*spam{}
		m.list(m.sorted())
	}
	known := j.policy.KnownRule
	ask := func(mark *keptMark) {
		if !m.counts(mark, d, j) {
			return
		}
		l, ok := known.Like(j.rule, mark.Label, mark.Signature, d.Signature)
		if ok && (found == nil || cmp.Or(order(mark, l)-order(found, how), strings.Compare(mark.Name, found.Name)) < 0) {
			found, how = mark, l
		}
	}
	for _, i := range m.table.All(d.Signature) {
		ask(m.listed[i])
	}
	if own := m.spam[d.Signature.Params]; own != nil && found == nil && severity(j.policy.Known) > 0 && !known.Strict() {
		own.sketches.with(d.Signature, admission.LeastAgree, func(i int) { ask(own.marks[i]) })
	}
	return found, how
}

// counts reports whether a mark has not expired and is for the scope of a document.
func (m *marks) counts(mark *keptMark, d *Document, j *judgement) bool {
	if !mark.Expires.IsZero() && !j.now.Before(mark.Expires) {
		return false
	}
	if mark.Idle > 0 {
		used := m.used(mark)
		if since := used.Since(); !since.IsZero() && j.now.Sub(since) >= mark.Idle {
			return false
		}
	}
	return len(mark.Scope) == 0 || j.policy.Scope != "" && scopeOf(mark.Mark) == d.Scope
}

// tests are the tests in the order in which they count.
var tests = []admission.Test{admission.TestNear, admission.TestLanes, admission.TestContains, admission.TestContained}

// order is the place of a mark among those that a document is like.
func order(mark *keptMark, l admission.Likeness) int {
	if mark.Label == admission.Wanted {
		return -1
	}
	return slices.Index(tests, l.Test)
}

// scopeOf is the scope of the documents that a mark is for.
func scopeOf(m *admission.Mark) uint64 {
	var terms [][]byte
	for _, s := range slices.Compact(slices.Sorted(slices.Values(m.Scope))) {
		terms = append(terms, []byte(s))
	}
	return column.ScopeOf(terms...)
}

func (m *marks) list(some []*keptMark) {
	m.listed = append(m.listed, some...)
	for _, mark := range some {
		s := mark.Signature
		m.table.Add(s)
		if mark.Label != admission.Spam || s.Lanes == 0 {
			continue
		}
		own := m.spam[s.Params]
		if own == nil {
			own = &spam{sketches: newAgreeing(s.Lanes)}
			m.spam[s.Params] = own
		}
		if s.Lanes == own.sketches.lanes {
			own.sketches.add(s.Sketch)
			own.marks = append(own.marks, mark)
		}
	}
}

func (m *marks) sorted() []*keptMark {
	return slices.SortedFunc(maps.Values(m.all), func(a, b *keptMark) int { return strings.Compare(a.Name, b.Name) })
}
