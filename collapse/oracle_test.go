package collapse_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
)

// page is a document of these tests. Without a body it has no signature.
type page struct {
	Body, Project string
	Version       float64
	unstored      bool    // the body is signed and neither searched nor stored
	lon           float64 // where it is, if not 0
	fields        values  // see fields_test.go
}

// data is what is indexed of p.
func (p page) data() map[string]any {
	all := map[string]any{"version": p.Version}
	if p.Body != "" {
		all[map[bool]string{false: "body", true: "hidden"}[p.unstored]] = p.Body
	}
	if p.lon != 0 {
		all["place"] = map[string]any{"lon": p.lon, "lat": 1.0}
	}
	if p.Project != "" {
		all["project"] = p.Project
	}
	p.fields.add(all)
	return all
}

// newMapping fingerprints the body.
func newMapping(scoring string) *mapping.IndexMappingImpl {
	m := bleve.NewIndexMapping()
	m.ScoringModel = scoring
	m.DefaultMapping.AddFieldMappingsAt("project", bleve.NewKeywordFieldMapping())
	plugin.AddSignature(m.DefaultMapping, "body")
	return m
}

// newIndex makes an index in memory.
func newIndex(tb testing.TB, docs map[string]page) bleve.Index {
	tb.Helper()
	return newMappedIndex(tb, newMapping(""), docs)
}

func newMappedIndex(tb testing.TB, m *mapping.IndexMappingImpl, docs map[string]page) bleve.Index {
	tb.Helper()
	index, err := plugin.New("", m)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { index.Close() })
	load(tb, index, docs)
	return index
}

// load writes docs in a few batches.
func load(tb testing.TB, index bleve.Index, docs map[string]page) {
	tb.Helper()
	batch := index.NewBatch()
	for id, doc := range docs {
		if err := batch.Index(id, doc.data()); err != nil {
			tb.Fatal(err)
		}
		if batch.Size() == 500 {
			flush(tb, index, batch)
		}
	}
	flush(tb, index, batch)
}

func flush(tb testing.TB, index bleve.Index, batch *bleve.Batch) {
	tb.Helper()
	if err := index.Batch(batch); err != nil {
		tb.Fatal(err)
	}
	batch.Reset()
}

// byID ranks all documents in the same order on every index.
func byID(q query.Query) *bleve.SearchRequest {
	r := bleve.NewSearchRequest(q)
	r.SortBy([]string{"_id"})
	return r
}

// group is ids, the head first.
type group []string

// told is what a result tells of a member of a group.
type told struct {
	collapse.Ref
	Score    float64
	Lanes    int
	Hamming  int
	By       string
	Overlap  string // all that it has
	Visible  bool
	Key      bool
	Verified bool
}

// truth is what the naive collapse finds.
type truth struct {
	shown    []string // ids, in order
	groups   []group
	members  map[string]told // by id
	hidden   int
	unsigned int
	foreign  int
	damaged  []string
	total    uint64
	lacking  map[string]int // hits without a value, by field
	projects map[string]int // how many of those shown are of each
}

// ranked is bleve's whole result in rank order, with the signatures of the hits. It is the
// same whatever a search collapses by.
type ranked struct {
	max   float64
	tb    testing.TB
	index bleve.Index
	hits  []rankedHit
	total uint64
}

type rankedHit struct {
	*search.DocumentMatch
	signed bool                 // one is stored
	sig    *signature.Signature // nil if it cannot be read
}

func rank(tb testing.TB, index bleve.Index, r *bleve.SearchRequest) (found ranked) {
	tb.Helper()
	all := *r
	all.Sort = r.Sort.Copy()
	if len(all.Sort) == 0 || !all.Sort.RequiresDocID() {
		all.Sort = append(all.Sort, &search.SortDocID{})
	}
	all.From, all.Size, all.SearchAfter, all.SearchBefore, all.Facets = 0, 1<<20, nil, nil, nil
	all.Fields = []string{sketchField, "project", "word", "version", "body", valuesField}
	res, err := index.Search(&all)
	if err != nil {
		tb.Fatal(err)
	}
	found.tb, found.index, found.total, found.max = tb, index, res.Total, res.MaxScore
	for _, hit := range res.Hits {
		stored, signed := hit.Fields[sketchField]
		found.hits = append(found.hits, rankedHit{hit, signed, readable(stored)})
	}
	return found
}

// oracle is the naive collapse: bleve's whole result in rank order, each hit compared
// with every head before it, lane by lane.
func oracle(tb testing.TB, index bleve.Index, r *bleve.SearchRequest, o collapse.Options) truth {
	tb.Helper()
	return rank(tb, index, r).collapsed(o)
}

// collapsed is the oracle of one search.
func (all ranked) collapsed(o collapse.Options) truth {
	found := truth{members: map[string]told{}, projects: map[string]int{}, lacking: map[string]int{}, total: all.total}
	var heads []rankedHit // without signatures if it cannot be compared
	var of []grouped      // of the heads
	var first *signature.Signature
	for _, hit := range all.hits {
		signed, by := hit.signed, groupedBy(all.tb, hit.DocumentMatch, o)
		for _, name := range by.lacks {
			found.lacking[name]++
		}
		if by.alone {
			hit.sig, signed = nil, by.key != ""
		}
		switch {
		case by.alone:
			if !signed && o.Missing == collapse.DropMissing {
				continue
			}
		case !signed:
			if found.unsigned++; o.Missing == collapse.DropMissing {
				continue
			}
		case hit.sig == nil:
			found.damaged = append(found.damaged, hit.ID)
		}
		if hit.sig != nil {
			if first == nil {
				first = hit.sig
			}
			if hit.sig.Params != first.Params {
				found.foreign++
			}
		}
		at, full := 0, by.full(of)
		for ; at < len(heads); at++ {
			if !by.within(of[at]) {
				continue
			}
			if near(o, heads[at], hit) || full && by.keyed(of[at]) {
				break
			}
		}
		visible := o.Visible < 0
		if at == len(heads) {
			heads, of = append(heads, hit), append(of, by)
			found.groups, visible = append(found.groups, nil), true
		} else {
			visible = visible || len(found.groups[at]) < max(1, o.Visible)
			m := tellOf(o, heads[at], hit)
			m.Visible = visible
			m.Key = by.keyed(of[at])
			found.members[hit.ID] = m
		}
		if found.groups[at] = append(found.groups[at], hit.ID); !visible {
			found.hidden++
			continue
		}
		found.shown = append(found.shown, hit.ID)
		if project, ok := hit.Fields["project"].(string); ok {
			found.projects[project]++
		}
	}
	return found
}

// near reports whether a hit is a near-duplicate of a head: by the rule, or with Verify by the shingles of the texts,
// if the rule that this makes of it proposes the two.
func near(o collapse.Options, head, hit rankedHit) bool {
	if head.sig == nil || hit.sig == nil {
		return false
	}
	if !verifies(o, head, hit) {
		return neartest.Duplicates(o.Rule, head.sig, hit.sig)
	}
	if !neartest.Duplicates(proposing(o), head.sig, hit.sig) {
		return false
	}
	both, a, b := sharedBy(head, hit)
	share := float64(both) / float64(a+b-both)
	return o.Verify.Resemblance > 0 && share >= o.Verify.Resemblance || o.Verify.Contained && both > 0 && both == min(a, b)
}

// verifies reports whether texts decide: both must be stored.
func verifies(o collapse.Options, head, hit rankedHit) bool {
	return o.Verify.On() && head.Fields["body"] != nil && hit.Fields["body"] != nil
}

// proposing is the rule by which pairs are proposed.
func proposing(o collapse.Options) signature.Rule { return o.Verify.Proposes(o.Rule, 100) }

// sharedBy counts the shingles that two texts share, and those that each has.
func sharedBy(head, hit rankedHit) (both, a, b int) {
	of := func(hit rankedHit) map[string]struct{} {
		text, _ := hit.Fields["body"].(string)
		words := strings.Fields(text)
		if len(words) < 4 {
			return map[string]struct{}{text: {}}
		}
		return neartest.Shingles(words, 4)
	}
	first, second := of(head), of(hit)
	for shingle := range second {
		if _, ok := first[shingle]; ok {
			both++
		}
	}
	return both, len(first), len(second)
}

// tellOf says what is to be told of a member and its head by the options.
func tellOf(o collapse.Options, head, hit rankedHit) told {
	if o.By != nil && !o.By.Or {
		head.sig, hit.sig = nil, nil // the key decides
	}
	rule := o.Rule
	if verifies(o, head, hit) {
		rule = proposing(o)
	}
	m := tell(rule, hit.DocumentMatch, head.sig, hit.sig, false)
	if verifies(o, head, hit) && m.By != "" {
		m.Verified = true
		both, a, b := sharedBy(head, hit)
		exact := func(of int) sketch.Estimate { return sketch.Estimate{Value: float64(both) / float64(of)} }
		m.Overlap = fmt.Sprint(exact(a+b-both), exact(b), exact(a))
		if !near(o, head, hit) {
			m.By = ""
		}
	}
	return m
}

// readable returns a stored signature, or nil.
func readable(stored any) *signature.Signature {
	text, ok := stored.(string)
	sig := new(signature.Signature)
	if !ok || sig.UnmarshalText([]byte(text)) != nil {
		return nil
	}
	return sig
}

// tell says what is to be told of a member and its head: which tests they pass, each
// asked for itself, and what each has of the other.
func tell(rule signature.Rule, hit *search.DocumentMatch, head, sig *signature.Signature, visible bool) told {
	m := told{Ref: collapse.Ref{Index: hit.Index, ID: hit.ID}, Score: hit.Score, Visible: visible}
	if head == nil || sig == nil {
		return m
	}
	if head.Lanes > 0 && sig.Lanes > 0 {
		m.Lanes = neartest.Agree(head.Sketch, sig.Sketch, head.Lanes)
	}
	m.Hamming = bits.OnesCount64(head.Simhash ^ sig.Simhash)
	another := *sig
	another.Exact = head.Exact + 1 // so that this test does not pass
	passes := func(mode signature.Mode) bool {
		one := rule
		one.Mode = mode
		return neartest.Duplicates(one, head, &another)
	}
	var by []string
	if head.Exact == sig.Exact {
		by = append(by, "exact")
	}
	bySketch, bySimhash := passes(signature.SketchOnly), passes(signature.SimhashOnly)
	if rule.Mode == signature.Both && !(bySketch && bySimhash) {
		bySketch, bySimhash = false, false
	}
	if rule.Mode == signature.ExactOnly {
		bySketch, bySimhash = false, false
	}
	if bySketch && rule.Mode != signature.SimhashOnly {
		by = append(by, "sketch")
	}
	if bySimhash && rule.Mode != signature.SketchOnly {
		by = append(by, "simhash")
	}
	m.By = strings.Join(by, "+")
	if r, ok := head.Resemblance(sig); ok {
		inHead, ofHead, _ := sig.Containment(head)
		m.Overlap = fmt.Sprint(r, inHead, ofHead)
	}
	return m
}

// toldOf is what a member tells.
func toldOf(m *collapse.Member) told {
	t := told{Ref: m.Ref, Score: m.Score, Lanes: m.Agree, Hamming: m.Hamming, By: m.By.String(), Visible: m.Visible, Key: m.Key, Verified: m.Verified}
	if o := m.Overlap; o != nil {
		t.Overlap = fmt.Sprint(o.Resemblance, o.InHead, o.OfHead)
	}
	return t
}

// checkSize checks that a cursor takes at most 200 bytes beside its key.
func checkSize(tb testing.TB, c *collapse.Cursor) {
	tb.Helper()
	key, err := json.Marshal(c.After)
	all, err2 := json.Marshal(c)
	if err := errors.Join(err, err2); err != nil {
		tb.Fatal(err)
	}
	if size := len(all) - len(key); size > 200 {
		tb.Fatalf("the cursor takes %d bytes beside its key, wanted at most 200", size)
	}
}

func memberIDs(g collapse.Group) (ids []string) {
	for _, m := range g.Members {
		ids = append(ids, m.ID)
	}
	return ids
}

// overTheWire returns the cursor as it comes back from a client.
func overTheWire(tb testing.TB, c *collapse.Cursor) *collapse.Cursor {
	tb.Helper()
	data, err := json.Marshal(c)
	if err != nil {
		tb.Fatal(err)
	}
	back := new(collapse.Cursor)
	if err := json.Unmarshal(data, back); err != nil {
		tb.Fatal(err)
	}
	return back
}
