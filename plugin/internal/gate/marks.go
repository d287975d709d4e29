package gate

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/markstore"
)

// marks are the marks of one index, and how often each was used. There can be many, and one more whenever somebody
// reports spam, so they are read once, and what is added is entered alone.
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

// load reads the marks and, if that has not been done, their uses.
func (m *marks) load(store *markstore.Store) error {
	all := map[string]*keptMark{}
	value, err := store.Read(func(name string, value []byte) (err error) {
		all[name], err = parseMark(name, value)
		return err
	})
	if err == nil {
		err = m.uses.load(value)
	}
	if err != nil {
		return err
	}
	m.all, m.table, m.read = all, nil, true
	return nil
}

// apply enters marks by name that were written, nil for those that were removed.
func (m *marks) apply(written map[string]*keptMark) {
	var added []*keptMark
	for name, k := range written {
		old := m.all[name]
		if old != nil && k != nil && old.key == k.key {
			continue // it is the same
		}
		if old != nil {
			m.table = nil
			delete(m.all, name)
		}
		if k != nil {
			m.all[name] = k
			added = append(added, k)
		}
	}
	if m.table != nil {
		m.list(added)
	}
}

// like returns the mark that counts for a document at a time, of those that the document is
// like, with its template or without: wanted before spam, then by the test that they passed, then by name.
// The mark might be of a time before the template, and the template might have been learned from spam.
func (m *marks) like(j *judgement, d *Document) (found *keptMark, how admission.Likeness) {
	if m.table == nil || m.rule != j.rule {
		m.enter(j.rule)
	}
	known := j.policy.KnownRule
	ask := func(mark *keptMark, s *signature.Signature) {
		if !m.counts(mark, d, j) {
			return
		}
		l, ok := known.Like(j.rule, mark.Label, mark.Signature, s)
		if ok && (found == nil || cmp.Or(order(mark, l)-order(found, how), strings.Compare(mark.Name, found.Name)) < 0) {
			found, how = mark, l
		}
	}
	both := []*signature.Signature{d.Signature, d.Whole}
	if d.Whole == nil {
		both = both[:1]
	}
	for _, s := range both {
		for _, i := range m.table.All(s) {
			ask(m.listed[i], s)
		}
	}
	if own := m.spam[d.Signature.Params]; own != nil && found == nil && severity(j.policy.Known) > 0 && !known.Strict() {
		for _, s := range both {
			own.sketches.with(s, admission.LeastAgree, func(i int) { ask(own.marks[i], s) })
		}
	}
	return found, how
}

// enter makes the tables of all marks for a rule.
func (m *marks) enter(rule signature.Rule) {
	m.rule, m.table, m.listed, m.spam = rule, table.New(rule), nil, map[uint32]*spam{}
	m.list(m.sorted())
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
	return len(mark.Scope) == 0 || j.policy.Scope != "" && column.ScopeOf(mark.Scope...) == d.Scope
}

// tests are the tests in the order in which they count.
var tests = []string{"near", "lanes", "contains", "contained"}

// order is the place of a mark among those that a document is like.
func order(mark *keptMark, l admission.Likeness) int {
	if mark.Label == admission.Wanted {
		return -1
	}
	return slices.Index(tests, l.Test)
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
