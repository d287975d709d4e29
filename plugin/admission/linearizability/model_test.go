package linearizability

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
)

// The sequential specification: a naive gate in plain loops, that shares no code with the
// one it is compared with.

// doc is what is written under an id.
type doc struct {
	Text   int // in texts, -1 for none
	Tenant string
	Sent   int // hours; -1 if the document does not say
}

// stored is a document of the index, as far as a search sees it.
type stored struct {
	Text    int
	Tenant  string
	Tag, Of string
	Group   string
}

// entry is a document of the model's index.
type entry struct {
	stored
	sent  int  // hours, as the document says; -1 if it does not
	at    int  // when it was sent, in ticks
	timed bool // written with its time
}

// state is the whole index. It is never changed.
type state struct {
	docs   map[string]entry
	marks  map[string]mark
	policy int // in policies
	clock  int // writes so far
}

type mark struct {
	Label  admission.Label
	Text   int
	strict bool // of copies alone
}

// input is one operation.
type input struct {
	Kind    string
	Docs    map[string]doc
	Deletes []string
	Policy  int
	Name    string // of a mark, or the id that is read
	Mark    mark
}

// output is what an operation returned.
type output struct {
	Verdicts []admission.Verdict // all, or those of the rejected
	Docs     map[string]stored   // what a search found
	Err      string
}

// The operations.
const (
	opSubmit    = "SubmitBatch" // of one document: Submit
	opBatch     = "Batch"       // of one document: Index
	opDelete    = "Delete"
	opDryRun    = "DryRun"
	opSearch    = "Search"   // the whole index
	opDocument  = "Document" // one document
	opMark      = "MarkText"
	opUnmark    = "Unmark"
	opSetPolicy = "SetPolicy"
)

var specification = porcupine.Model{
	Init: func() any { return &state{} },
	Step: func(s, in, out any) (bool, any) { return s.(*state).step(in.(*input), out.(*output)) },
	Equal: func(a, b any) bool {
		return reflect.DeepEqual(a, b)
	},
	Hash: func(s any) (h uint64) {
		for id, e := range s.(*state).docs { // of any order
			h += uint64(len(id)+int(id[len(id)-1])*31) * uint64(e.Text*7+len(e.Of)+11)
		}
		return h
	},
	DescribeOperation: func(in, out any) string { return fmt.Sprintf("%v -> %v", in.(*input), out.(*output)) },
}

// step reports whether an operation may have that outcome, and returns the index after it.
func (s *state) step(in *input, out *output) (bool, *state) {
	if out.Err != "" {
		return false, s
	}
	next := *s
	switch in.Kind {
	case opSearch:
		return maps.EqualFunc(s.docs, out.Docs, func(e entry, d stored) bool { return e.stored == d }), s
	case opDocument:
		e, there := s.docs[in.Name]
		d, found := out.Docs[in.Name]
		return there == found && e.stored == d, s
	case opSetPolicy:
		next.policy = in.Policy
		return true, &next
	case opMark:
		next.marks = maps.Clone(s.marks)
		if next.marks == nil {
			next.marks = map[string]mark{}
		}
		m := in.Mark
		m.strict = m.Label == admission.Spam && s.touches(m.Text)
		next.marks[in.Name] = m
		return true, &next
	case opUnmark:
		next.marks = maps.Clone(s.marks)
		delete(next.marks, in.Name)
		return true, &next
	}
	want, docs := s.write(in.Docs, in.Deletes)
	got := out.Verdicts
	if in.Kind == opBatch { // which tells of the rejected alone
		want = slices.DeleteFunc(want, func(w verdict) bool { return w.Action != admission.Reject })
	}
	if in.Kind != opDelete && !slices.EqualFunc(want, got, verdict.allows) {
		return false, s
	}
	if in.Kind == opDryRun {
		return true, s
	}
	next.docs, next.clock = docs, s.clock+1
	return true, &next
}

// twin is a near-duplicate of a document, in the index or in the batch.
type twin struct {
	id string
	entry
	written bool // in the batch
	match   *signature.Match
}

// verdict is what the model expects: the verdict, but for Of and Match, which may be those
// of any of several.
type verdict struct {
	admission.Verdict
	of     []twin
	losers []twin // that it replaces
}

// allows compares all that a verdict has.
func (w verdict) allows(got admission.Verdict) bool {
	if len(w.of) > 0 {
		if !slices.ContainsFunc(w.of, func(t twin) bool { return t.id == got.Of && got.Match != nil && *t.match == *got.Match }) {
			return false
		}
		w.Of, w.Match = got.Of, got.Match
	}
	return reflect.DeepEqual(w.Verdict, got)
}

// write judges and writes a batch.
func (s *state) write(docs map[string]doc, deletes []string) ([]verdict, map[string]entry) {
	ids := slices.Sorted(maps.Keys(docs))
	stuck := map[string]bool{}
	for {
		old, written := maps.Clone(s.docs), map[string]entry{}
		if old == nil {
			old = map[string]entry{}
		}
		for _, id := range deletes {
			delete(old, id)
		}
		for _, id := range ids {
			if !stuck[id] {
				delete(old, id)
			}
		}
		verdicts := make([]verdict, len(ids))
		for _, id := range s.order(ids, docs) {
			v, e := s.judge(old, written, id, docs[id])
			verdicts[slices.Index(ids, id)] = v
			for _, t := range v.losers {
				delete(old, t.id)
			}
			if v.Action != admission.Reject {
				written[id] = e
			}
		}
		again := false
		for _, v := range verdicts {
			if v.Action == admission.Reject && !stuck[v.ID] {
				stuck[v.ID], again = true, true
			}
		}
		if !again {
			maps.Copy(old, written)
			for i := range verdicts {
				v := &verdicts[i]
				v.Replaced = slices.DeleteFunc(v.Replaced, func(id string) bool { _, there := old[id]; return there })
			}
			return verdicts, old
		}
	}
}

// order is in which order a batch is judged: in that of the ids, or, where one document can replace another, the best
// first: of those that are left the one that would replace each of the others, if it came after them.
func (s *state) order(ids []string, docs map[string]doc) (order []string) {
	p := policies[s.policy]
	if p == nil || p.Near != admission.Replace {
		return ids
	}
	for left := slices.Clone(ids); len(left) > 0; {
		best := ""
		for _, id := range left {
			if best == "" || docs[id].Text >= 0 && (docs[best].Text < 0 || replaces(p, id, s.entry(p, docs[id]), twin{id: best, entry: s.entry(p, docs[best])})) {
				best = id
			}
		}
		order = append(order, best)
		left = slices.DeleteFunc(left, func(id string) bool { return id == best })
	}
	return order
}

// entry is what a document becomes, but for its tag.
func (s *state) entry(p *admission.Policy, d doc) entry {
	e := entry{stored: stored{Text: d.Text, Tenant: d.Tenant}, sent: d.Sent, at: d.Sent * hour}
	if e.timed = d.Text >= 0 && gate.Timed(p); !e.timed {
		e.at = 0
	} else if d.Sent < 0 || p.Time == "" {
		e.at = future*hour + s.clock
	}
	return e
}

func (s *state) judge(old, written map[string]entry, id string, d doc) (v verdict, e entry) {
	p := new(admission.Policy)
	if policies[s.policy] != nil {
		*p = *policies[s.policy]
	}
	v = verdict{Verdict: admission.Verdict{ID: id, Action: admission.Accept}}
	e = s.entry(p, d)
	if d.Text < 0 {
		s.named(p, id, &v, &e, nil)
		return v, e
	}
	if name, m, how := s.marked(d.Text, p); name != "" {
		v.Mark, v.Test, v.Match, v.Share = name, how.Test, &how.Match, how.Share
		if v.Action, v.Policy = p.Known, "known"; m.Label == admission.Wanted {
			v.Action, v.Policy = admission.Accept, "wanted"
			p.Near, p.Floods = "", nil
		}
	}
	if p.Scope != "" && d.Tenant == "" {
		if severity(p.Unscoped) > severity(v.Action) {
			v.Verdict = admission.Verdict{ID: id, Action: p.Unscoped, Policy: "unscoped"}
		}
		defer func() { v.Unscoped = p.Scope }()
	}
	// Near-duplicates by their ids; what an update that is rejected leaves comes before it.
	var twins, original, winners []twin
	for k, all := range []map[string]entry{old, written} {
		for other, t := range all {
			if other != id && t.Text >= 0 && near[d.Text][t.Text] != nil && (p.Scope == "" || t.Tenant == d.Tenant) {
				twins = append(twins, twin{other, t, k == 1, near[d.Text][t.Text]})
			}
		}
	}
	slices.SortFunc(twins, func(a, b twin) int {
		if a.id == b.id && b.written {
			return -1
		}
		return strings.Compare(a.id, b.id)
	})
	for _, t := range twins {
		if t.Tag == "" {
			original = append(original, t)
		}
		if t.written || !replaces(p, id, e, t) { // the better of the batch came before
			winners = append(winners, t)
		}
	}
	say := func(action admission.Action, by string, of []twin) (said bool) {
		if severity(action) <= severity(v.Action) {
			return false
		}
		v = verdict{Verdict: admission.Verdict{ID: id, Action: action, Policy: by}, of: of}
		return true
	}
	for _, f := range p.Floods {
		n, of := flooding(f, id, e, twins)
		if n >= f.Copies && say(cmp.Or(f.Action, admission.Reject), "flood", of) {
			v.Copies, v.Distinct, v.Same = f.Copies, f.Distinct, f.Same
		}
	}
	most := cmp.Or(p.MaxReplaced, 100)
	switch {
	case len(twins) == 0:
	case p.Near == admission.Replace && len(twins) > most:
		if say(admission.Reject, "near", twins) {
			v.Capped = most
		}
	case p.Near == admission.Replace && len(winners) > 0:
		say(admission.Reject, "near", winners)
	case p.Near == admission.Replace:
		if say(admission.Replace, "near", twins[:1]) {
			v.losers = twins
			for _, t := range twins {
				v.Replaced = append(v.Replaced, t.id)
			}
		}
	case p.Near == admission.Tag && len(original) > 0:
		say(admission.Tag, "near", original[:1])
	default:
		say(p.Near, "near", twins)
	}
	if p.Shadow && severity(v.Action) > severity(admission.Tag) {
		v.Would, v.Action, v.Replaced, v.losers = v.Action, admission.Tag, nil, nil
	}
	if v.Action == admission.Tag {
		e.Tag, e.Of = v.Policy, v.Of
		if len(v.of) > 0 { // a document that is written is next to all its near-duplicates
			v.of = v.of[:1]
			e.Of = v.of[0].id
		}
	}
	s.named(p, id, &v, &e, twins)
	return v, e
}

// named gives a document that is not rejected the name of its group.
func (s *state) named(p *admission.Policy, id string, v *verdict, e *entry, twins []twin) {
	if !p.Group || v.Action == admission.Reject {
		return
	}
	defer func() { e.Group = v.Group }()
	old, there := s.docs[id]
	if !there || p.Scope != "" && old.Tenant != e.Tenant {
		old = entry{stored: stored{Text: -2}}
	}
	if old.Group != "" && (old.Text == e.Text || old.Text >= 0 && e.Text >= 0 && near[old.Text][e.Text] != nil) {
		v.Group = old.Group
		return
	}
	var best *twin
	for i := range twins {
		t := &twins[i]
		if t.Group == old.Group && t.Group != "" {
			v.Group = t.Group
			return
		}
		if t.Group == "" {
			continue
		}
		if best == nil {
			best = t
			continue
		}
		for _, less := range []int{
			int(t.match.By&signature.ByExact) - int(best.match.By&signature.ByExact), t.match.Agree - best.match.Agree,
			best.match.Hamming - t.match.Hamming, strings.Compare(best.Group, t.Group),
		} {
			if less > 0 {
				best = t
			}
			if less != 0 {
				break
			}
		}
	}
	if best != nil {
		v.Group = best.Group
		return
	}
	v.Founded = true
	for n, taken := byte(0), true; taken; n++ {
		var of [16]byte
		if e.Text >= 0 {
			binary.LittleEndian.PutUint64(of[:], signatures[e.Text].Exact)
			binary.LittleEndian.PutUint32(of[8:], signatures[e.Text].Params)
		}
		of[12] = n
		v.Group = fmt.Sprintf("%016x", xxhash.Sum64String(id+string(of[:])))
		taken = false
		for other, d := range s.docs {
			taken = taken || other != id && d.Group == v.Group
		}
	}
}

// replaces reports whether a document that is written under an id replaces a near-duplicate, as far as what is
// preferred decides.
func replaces(p *admission.Policy, id string, e entry, t twin) bool {
	if p.Prefer == nil {
		return !t.timed || e.at >= t.at
	}
	for _, o := range p.Prefer {
		if one, two := worth(o, id, e), worth(o, t.id, t.entry); one != two {
			return one > two
		}
	}
	return false
}

// worth is how much a preference likes a document.
func worth(o admission.Preference, id string, e entry) int {
	const most = math.MaxInt
	switch {
	case o.Keep == admission.Longest:
		return lengths[e.Text]
	case o.Keep == admission.Shortest:
		return -lengths[e.Text]
	case o.Keep == admission.Oldest && !e.timed: // before all others
		return most
	case o.Keep == admission.Oldest:
		return -e.at
	case o.Keep == admission.Newest && !e.timed:
		return -1
	case o.Keep == admission.Newest:
		return e.at
	case o.Field == "from":
		return len(from(id))
	case o.Field == "tenant":
		return len(e.Tenant)
	case e.sent < 0: // o.Field is "sent", of which the least is best
		return -most
	default:
		return -e.sent
	}
}

// marked returns the mark that counts for a text, wanted before spam, then by test, then by name; and how the text is
// like it.
func (s *state) marked(text int, p *admission.Policy) (first string, m mark, how admission.Likeness) {
	names := slices.Sorted(maps.Keys(s.marks))
	for _, name := range names {
		if m = s.marks[name]; m.Label == admission.Wanted && near[text][m.Text] != nil {
			return name, m, admission.Likeness{Test: "near", Match: *near[text][m.Text]}
		}
	}
	for _, test := range []string{"near", "lanes", "contains", "contained"} {
		for _, name := range names {
			m = s.marks[name]
			if how = like(p.KnownRule, text, m.Text); severity(p.Known) > 0 && m.Label == admission.Spam && how.Test == test && (test == "near" || !m.strict) {
				return name, m, how
			}
		}
	}
	return "", mark{}, how
}

// touches reports whether a mark of spam that is not set yet would have stopped a document of the index by more than a
// near-duplicate, which no other mark is like.
func (s *state) touches(mark int) bool {
	p := admission.Policy{}
	if own := policies[s.policy]; own != nil {
		p = *own
	}
	p.Known = admission.Reject
	for _, e := range s.docs {
		if e.Text < 0 {
			continue
		}
		how := like(p.KnownRule, e.Text, mark)
		if name, _, _ := s.marked(e.Text, &p); name == "" && how.Test != "" && how.Test != "near" {
			return true
		}
	}
	return false
}

// like says how a text is like a mark of another, of no Test if it is not.
func like(k admission.KnownRule, text, mark int) admission.Likeness {
	if match := near[text][mark]; match != nil {
		return admission.Likeness{Test: "near", Match: *match}
	}
	a, b, agree := &signatures[mark], &signatures[text], 0
	for lane := range a.Lanes {
		if a.Sketch.Lane(lane) == b.Sketch.Lane(lane) {
			agree++
		}
	}
	match, _ := signature.Rule{}.Match(a, b)
	contains, contained, _ := a.Containment(b)
	share := func(v float64) float64 { return math.Round(v*1000) / 1000 }
	few := uint64(cmp.Or(k.MinShingles, 50))
	switch {
	case agree < 8:
	case k.Lanes >= 0 && agree >= cmp.Or(k.Lanes, 25) && min(a.Shingles, b.Shingles) >= 10:
		return admission.Likeness{Test: "lanes", Match: match}
	case k.Contains >= 0 && a.Shingles >= few && contains.Value >= cmp.Or(k.Contains, .7):
		return admission.Likeness{Test: "contains", Match: match, Share: share(contains.Value)}
	case k.Contained > 0 && b.Shingles >= few && contained.Value >= k.Contained:
		return admission.Likeness{Test: "contained", Match: match, Share: share(contained.Value)}
	}
	return admission.Likeness{}
}

// flooding counts the twins of a document that count for a flood whose fields are "from", and
// returns them.
func flooding(f admission.Flood, id string, e entry, twins []twin) (n int, of []twin) {
	senders := map[string]bool{}
	for _, t := range twins {
		if !t.timed || max(t.at-e.at, e.at-t.at) >= int(f.Window/time.Hour)*hour || f.Same != "" && from(t.id) != from(id) || f.Distinct != "" && from(t.id) == from(id) {
			continue
		}
		of = append(of, t)
		senders[from(t.id)] = true
	}
	if f.Distinct != "" {
		return len(senders), of
	}
	return len(of), of
}

// from is the sender of the document of an id: "a", "c", ... have none.
func from(id string) string { return []string{"Bob", ""}[id[0]%2] }

func severity(a admission.Action) int {
	return 1 + slices.Index([]admission.Action{admission.Tag, admission.Replace, admission.Reject}, a)
}

// texts are what documents say: families of near-duplicates, a chain of which the ends are none of each other, and a
// text with another one in it, and a part of one.
var (
	texts      []string
	near       [][]*signature.Match // how alike the first is to the second, nil if they are no near-duplicates
	lengths    []int
	signatures []signature.Signature
)

func init() {
	for family := range 3 {
		for version := range 4 {
			var words []string
			for i := range 80 {
				words = append(words, fmt.Sprintf("w%dx%d", family, i))
			}
			switch {
			case family == 2: // edits that add up: a chain, each longer than the one before
				for i := range words {
					words[i] = fmt.Sprint("w18x", i) // of which each is within the rule of the next, and of no other
				}
				for i := range version {
					words[i*9] = fmt.Sprint("edited", i)
				}
				words = append(words, slices.Repeat([]string{"on"}, version)...)
			case version == 3: // equal but for what does not count
				words[0] = strings.ToUpper(words[0]) + ","
			default:
				words = append(words, slices.Repeat([]string{"more"}, version)...)
			}
			texts = append(texts, strings.Join(words, " "))
		}
	}
	texts = append(texts, "a text of its own that is like no other of these at all, whichever one reads")
	around := texts[0]
	for i := range 120 {
		around += fmt.Sprint(" around", i)
	}
	texts = append(texts, around, strings.Join(strings.Fields(texts[4])[:50], " "))
	for _, text := range texts {
		signatures = append(signatures, signature.Of(signature.DefaultParams(), []byte(text)))
	}
	rule := signature.Rule{}
	for i := range signatures {
		lengths = append(lengths, int(signatures[i].Tokens))
		near = append(near, make([]*signature.Match, len(signatures)))
		for k := range signatures {
			if neartest.Duplicates(rule, &signatures[i], &signatures[k]) {
				match, _ := rule.Match(&signatures[k], &signatures[i])
				near[i][k] = &match
			}
		}
	}
}

// An hour has as many ticks. Writes that do not say when they were sent are a tick apart, in
// an hour later than all that documents say.
const (
	hour   = 1 << 20
	future = 1 << 10
)

// policies are those of SetPolicy; the first is none.
var policies = []*admission.Policy{
	nil,
	{Near: admission.Tag},
	{Near: admission.Reject},
	{Near: admission.Replace},
	{Near: admission.Replace, Time: "sent", MaxReplaced: 2},
	{Near: admission.Replace, Prefer: []admission.Preference{{Keep: admission.Longest}}, Scope: "tenant"},
	{Near: admission.Tag, Scope: "tenant", Known: admission.Reject},
	{Near: admission.Reject, Known: admission.Tag},
	{Time: "sent", Floods: []admission.Flood{{Copies: 2, Window: 3 * time.Hour}}, Known: admission.Reject},
	{Near: admission.Tag, Time: "sent", Floods: []admission.Flood{{Copies: 2, Window: 4 * time.Hour}}},
	{Near: admission.Replace, Shadow: true, Time: "sent"},
	{Time: "sent", Floods: []admission.Flood{{Copies: 1, Window: 6 * time.Hour, Distinct: "from"}, {Copies: 2, Window: 9 * time.Hour, Same: "from", Action: admission.Tag}}},
	{Time: "sent", Scope: "tenant", Floods: []admission.Flood{{Copies: 2, Window: 9 * time.Hour, Distinct: "from", Action: admission.Tag}}, Known: admission.Reject},
	{Near: admission.Replace, Time: "sent", Prefer: []admission.Preference{{Keep: admission.Longest}, {Keep: admission.Newest}}},
	{Near: admission.Replace, Time: "sent", Prefer: []admission.Preference{{Field: "from"}, {Keep: admission.Oldest}}, Known: admission.Tag},
	{Near: admission.Replace, MaxReplaced: 2, Prefer: []admission.Preference{{Field: "sent", Least: true}, {Field: "tenant", Values: []string{"t"}}, {Keep: admission.Shortest}}},
	{Near: admission.Tag, Known: admission.Reject, KnownRule: admission.KnownRule{Lanes: -1, Contains: .6, MinShingles: 20}},
	{Known: admission.Reject, KnownRule: admission.KnownRule{Lanes: 40, Contains: -1, Contained: .6, MinShingles: 30}},
	{Near: admission.Reject, Known: admission.Tag, KnownRule: admission.KnownRule{Lanes: -1, Contains: -1}},
	{Near: admission.Tag, Scope: "tenant", Unscoped: admission.Reject, Known: admission.Tag},
	{Near: admission.Replace, Scope: "tenant", Unscoped: admission.Tag, Known: admission.Reject},
	{Near: admission.Replace, Time: "sent", MaxReplaced: 1},
	{Near: admission.Replace, Prefer: []admission.Preference{{Keep: admission.Longest}}, MaxReplaced: 1},
	{Group: true},
	{Group: true, Near: admission.Replace, Scope: "tenant", Known: admission.Reject},
}

// There is a chain of which neighbours alone are near-duplicates, each longer than the one before, and the tests of a
// KnownRule decide between texts.
func TestModel(t *testing.T) {
	for i := range 4 {
		for k := range 4 {
			if is := near[8+i][8+k] != nil; is != (max(i-k, k-i) < 2) || i < k && lengths[8+i] >= lengths[8+k] {
				t.Errorf("texts %d and %d of the chain, of %d and %d words: near-duplicates: %v", i, k, lengths[8+i], lengths[8+k], is)
			}
		}
	}
	found := map[string]int{}
	for _, p := range policies {
		for i := range texts {
			for k := range texts {
				if p != nil && p.Known != "" {
					found[like(p.KnownRule, i, k).Test]++
				}
			}
		}
	}
	for _, test := range []string{"", "near", "lanes", "contains", "contained"} {
		if found[test] < 3 {
			t.Errorf("%d pairs are alike by test %q: histories show little of it", found[test], test)
		}
	}
}

func (i *input) String() string {
	switch i.Kind {
	case opSearch:
		return i.Kind
	case opDocument, opUnmark:
		return i.Kind + " " + i.Name
	case opSetPolicy:
		return fmt.Sprintf("SetPolicy %d", i.Policy)
	case opMark:
		return fmt.Sprintf("MarkText %s %v", i.Name, i.Mark)
	}
	return fmt.Sprintf("%s %v delete %v", i.Kind, i.Docs, i.Deletes)
}

func (o *output) String() string {
	if o.Err != "" {
		return "error " + o.Err
	}
	if o.Docs != nil {
		return fmt.Sprint(o.Docs)
	}
	var all []string
	for _, v := range o.Verdicts {
		text := v.String()
		if v.Replaced != nil {
			text += fmt.Sprint(" instead of ", v.Replaced)
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}
