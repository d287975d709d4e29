package marks

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// Marks are the marks of one index, and how often each was used. There can be many, and one more whenever somebody
// reports spam, so they are read once, and what is added is entered alone. Its methods are safe for concurrent use.
type Marks struct {
	store *Store
	now   func() time.Time

	keeping sync.Mutex // held while uses are kept; before mu
	mu      sync.Mutex
	read    bool // all is as in the store
	all     map[string]*keptMark
	rule    signature.Rule
	table   *table.Table     // of listed; nil if it must be made
	listed  []*keptMark      // in any order
	spam    map[uint32]*spam // those of listed that are spam and have a sketch, by signature.Params
	uses    uses
}

// spam is what is marked as spam and signed in one way.
type spam struct {
	sketches *agreeing
	marks    []*keptMark // in the order of sketches
}

// Of returns the marks that a store has.
func Of(store *Store) *Marks { return &Marks{store: store, now: time.Now} }

// SetClock gives the marks another clock, for tests.
func (m *Marks) SetClock(now func() time.Time) { m.now = now }

// load reads the marks and their uses, if that has not been done.
func (m *Marks) load() error {
	if m.read {
		return nil
	}
	all := map[string]*keptMark{}
	value, err := m.store.Read(func(name string, value []byte) (err error) {
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

// All returns the marks, in the order of their names.
func (m *Marks) All() (all []admission.Mark, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.load(); err != nil {
		return nil, err
	}
	for _, k := range m.sorted() {
		all = append(all, m.used(k))
	}
	return all, nil
}

// Any reports whether there are marks, which a document is compared with.
func (m *Marks) Any() (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	err := m.load()
	return len(m.all) > 0, err
}

// Set keeps some marks and removes others by their names, all or none, and puts that in force. Nobody may judge
// meanwhile.
func (m *Marks) Set(some []admission.Mark, removed []string) error {
	stored, written := map[string][]byte{}, map[string]*keptMark{}
	for _, name := range removed {
		stored[name], written[name] = nil, nil
	}
	for _, mark := range some {
		value, err := encode(mark)
		if err != nil {
			return err
		}
		// As it is read from the store, so that it shares nothing with the caller's.
		if written[mark.Name], err = parseMark(mark.Name, value); err != nil {
			return err
		}
		stored[mark.Name] = value
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.load(); err != nil {
		return err
	}
	if err := m.store.Write(stored); err != nil {
		m.read = false // some might be there
		return err
	}
	m.apply(written)
	return nil
}

// apply enters marks by name that were written, nil for those that were removed.
func (m *Marks) apply(written map[string]*keptMark) {
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

// Text is what marks are compared with: the signatures of a document, with its template and without.
// The mark might be of a time before the template, and the template might have been learned from spam.
type Text struct {
	Signatures []*signature.Signature
	Scope      uint64 // column.ScopeOf the terms of the document
}

// Like returns the mark that counts for a text, of those that it is like by a policy and a rule at a time: wanted
// before spam, then by the test that they passed, then by name. It is nil if there is none.
func (m *Marks) Like(p *admission.Policy, rule signature.Rule, now time.Time, t Text) (found *admission.Mark, how admission.Likeness, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.load(); err != nil {
		return nil, how, err
	}
	m.enter(rule)
	ask := func(k *keptMark, s *signature.Signature) {
		if !m.counts(k, now, p.Scope, t.Scope) {
			return
		}
		label := k.Label
		if k.Strict {
			label = admission.Wanted // of which near-duplicates alone count
		}
		l, ok := p.KnownRule.Like(rule, label, k.Signature, s)
		if ok && (found == nil || cmp.Or(order(k.Mark, l)-order(found, how), strings.Compare(k.Name, found.Name)) < 0) {
			found, how = k.Mark, l
		}
	}
	for _, s := range t.Signatures {
		for i := range m.table.Each(s) {
			ask(m.listed[i], s)
		}
	}
	if own := m.spam[t.Signatures[0].Params]; own != nil && found == nil && p.Known != "" && p.Known != admission.Accept && !strict(p.KnownRule) {
		for _, s := range t.Signatures {
			own.sketches.with(s, admission.LeastAgree, func(i int) { ask(own.marks[i], s) })
		}
	}
	return found, how, nil
}

// strict reports whether a rule has no test of its own: near-duplicates of marks are all.
func strict(k admission.KnownRule) bool { return k.Lanes < 0 && k.Contains < 0 && k.Contained == 0 }

// passageRule says which passages are of a mark: those that have most of its text, and those of whose text it has half.
// With .7, one in twelve passages of a fifth of a mark passed for another text: few lanes estimate their share.
var passageRule = admission.KnownRule{Contained: .5, MinShingles: admission.LeastAgree}

// OfPassage returns the name of a mark of spam, the first one, that has a passage with this signature or stands in it;
// "" if none does.
func (m *Marks) OfPassage(passage *signature.Signature) (name string, err error) {
	if passage == nil {
		return "", errors.New("admission: wanted the signature of a passage, got nil")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.load(); err != nil {
		return "", err
	}
	m.enter(m.rule)
	own := m.spam[passage.Params]
	if own == nil {
		return "", nil
	}
	own.sketches.with(passage, admission.LeastAgree, func(i int) {
		mark := own.marks[i]
		_, ok := passageRule.Like(signature.Rule{}, mark.Label, mark.Signature, passage)
		if ok && (name == "" || mark.Name < name) {
			name = mark.Name
		}
	})
	return name, nil
}

// enter makes the tables of all marks for a rule, unless they are there.
func (m *Marks) enter(rule signature.Rule) {
	if m.table == nil || m.rule != rule {
		m.rule, m.table, m.listed, m.spam = rule, table.New(rule), nil, map[uint32]*spam{}
		m.list(m.sorted())
	}
}

// counts reports whether a mark has not expired and is for a scope. field is the one that says the scope, "" if none does.
func (m *Marks) counts(k *keptMark, now time.Time, field string, scope uint64) bool {
	if !k.Expires.IsZero() && !now.Before(k.Expires) {
		return false
	}
	if k.Idle > 0 {
		used := m.used(k)
		if since := used.Since(); !since.IsZero() && now.Sub(since) >= k.Idle {
			return false
		}
	}
	return len(k.Scope) == 0 || field != "" && column.ScopeOf(k.Scope...) == scope
}

// tests are the tests in the order in which they count.
var tests = []string{"near", "lanes", "contains", "contained"}

// order is the place of a mark among those that a document is like.
func order(mark *admission.Mark, l admission.Likeness) int {
	if mark.Label == admission.Wanted {
		return -1
	}
	return slices.Index(tests, l.Test)
}

func (m *Marks) list(some []*keptMark) {
	m.listed = append(m.listed, some...)
	for _, mark := range some {
		s := mark.Signature
		m.table.Add(s)
		if mark.Label != admission.Spam || s.Lanes == 0 {
			continue
		}
		own := m.spam[s.Params]
		if own == nil {
			own = &spam{sketches: &agreeing{lanes: s.Lanes}}
			m.spam[s.Params] = own
		}
		if s.Lanes == own.sketches.lanes {
			own.sketches.add(s.Sketch)
			own.marks = append(own.marks, mark)
		}
	}
}

func (m *Marks) sorted() []*keptMark {
	return slices.SortedFunc(maps.Values(m.all), func(a, b *keptMark) int { return strings.Compare(a.Name, b.Name) })
}
