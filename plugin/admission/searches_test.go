package admission_test

import (
	"context"
	"flag"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// compare holds everything that the index has against the model.
func (d *driver) compare() {
	d.same(d, d.index)
	n, err := d.index.DocCount()
	d.check(err)
	if n != uint64(len(d.docs)) {
		d.Errorf("%d documents, want %d", n, len(d.docs))
	}
}

// rules are those that searches choose from.
var rules = []signature.Rule{
	{},
	{Lanes: 70, Hamming: 6},
	{Mode: signature.Both, Lanes: 80, Hamming: 10},
	{Mode: signature.SketchOnly, Lanes: 95},
}

func (d *driver) duplicates(rule signature.Rule, a, b string) bool {
	x, y := d.docs[a].sig, d.docs[b].sig
	return neartest.Duplicates(rule, &x, &y)
}

// request is a search and the ids that it finds, in rank order.
func (d *driver) request() (*bleve.SearchRequest, []string) {
	var q query.Query = bleve.NewMatchAllQuery()
	switch d.pick(4) {
	case 0:
		term := bleve.NewTermQuery("a")
		term.SetField("tenant")
		q = term
	case 1:
		match := bleve.NewMatchQuery("w1 w2 w3 w5 w7 v1 v2 v3 same short")
		match.SetField("body")
		q = match
	}
	r := bleve.NewSearchRequestOptions(q, 1000, 0, false)
	orders := [][]string{{"_id"}, {"-sent", "_id"}, {"-_score", "_id"}, {"tenant", "-_id"}}
	order := orders[d.pick(len(orders))]
	r.SortBy(order)
	res, err := d.index.Search(r)
	d.check(err)
	var ids []string
	for _, hit := range res.Hits {
		ids = append(ids, hit.ID)
	}
	page := bleve.NewSearchRequestOptions(q, 1000, 0, false)
	page.SortBy(order)
	if order[0] == "-_score" {
		page.SortBy([]string{"-_score"}) // ties are for collapse to break
	}
	return page, ids
}

// collapsed is the naive collapse of ids in rank order: the heads, and the members of
// each.
func (d *driver) collapsed(ids []string, rule signature.Rule, missing collapse.Missing) (heads []string, members map[string][]string) {
	members = map[string][]string{}
	for _, id := range ids {
		if d.docs[id].body == "" && missing == collapse.DropMissing {
			continue
		}
		at := slices.IndexFunc(heads, func(head string) bool {
			return d.docs[id].body != "" && d.docs[head].body != "" && d.duplicates(rule, head, id)
		})
		if at < 0 {
			heads = append(heads, id)
		} else {
			members[heads[at]] = append(members[heads[at]], id)
		}
	}
	return heads, members
}

// options are of a search that collapses.
func (d *driver) options() collapse.Options {
	rule := rules[d.pick(len(rules))]
	missing := []collapse.Missing{"", collapse.DropMissing}[d.pick(2)]
	if !slices.ContainsFunc(slices.Collect(maps.Values(d.docs)), func(e entry) bool { return e.body != "" }) {
		missing = collapse.KeepMissing // else it is an error
	}
	return collapse.Options{Rule: rule, Missing: missing}
}

// searchPages collapses page by page, by cursor or by From.
func (d *driver) searchPages() {
	r, ids := d.request()
	o := d.options()
	byCursor := d.pick(2) == 0
	r.Size = 1 + d.pick(5)
	var heads []string
	members := map[string][]string{}
	for {
		res, err := collapse.Search(context.Background(), d.index, r, o)
		d.check(err)
		for i, hit := range res.Hits {
			if hit.ID != res.Groups[i].Head.ID {
				d.Errorf("hit %s, head %s", hit.ID, res.Groups[i].Head.ID)
			}
			heads = append(heads, hit.ID)
		}
		for _, g := range slices.Concat(res.Groups, res.Earlier) {
			for _, m := range g.Members {
				members[g.Head.ID] = append(members[g.Head.ID], m.ID)
			}
		}
		if res.Next == nil {
			break
		}
		if byCursor {
			o.Cursor = res.Next
		} else {
			r.From += r.Size
		}
	}
	wantHeads, wantMembers := d.collapsed(ids, o.Rule, o.Missing)
	if !slices.Equal(heads, wantHeads) {
		d.Errorf("pages of %d, by cursor %v: heads %q, want %q", r.Size, byCursor, heads, wantHeads)
	}
	for head, got := range members {
		if !slices.Equal(got, wantMembers[head]) {
			d.Errorf("pages of %d, by cursor %v: under %s %q, want %q", r.Size, byCursor, head, got, wantMembers[head])
		}
	}
	if len(members) != len(wantMembers) {
		d.Errorf("groups %v, want %v", members, wantMembers)
	}
}

// searchWhole collapses all matches at once.
func (d *driver) searchWhole() {
	r, ids := d.request()
	o := d.options()
	o.Whole = true
	res, err := collapse.Search(context.Background(), d.index, r, o)
	d.check(err)
	heads, members := d.collapsed(ids, o.Rule, o.Missing)
	if int(res.Total) != len(heads) || len(res.Groups) != len(heads) || res.TotalGroups != len(heads) {
		d.Errorf("total %d, groups %d and %d, want %d", res.Total, len(res.Groups), res.TotalGroups, len(heads))
		return
	}
	for i, g := range res.Groups {
		var got []string
		for _, m := range g.Members {
			got = append(got, m.ID)
		}
		if g.Head.ID != heads[i] || !slices.Equal(got, members[heads[i]]) {
			d.Errorf("group %d: %s with %q, want %s with %q", i, g.Head.ID, got, heads[i], members[heads[i]])
		}
	}
}

// searchSimilar asks for the near-duplicates of a document, by id, text or signature.
func (d *driver) searchSimilar() {
	ids := slices.Sorted(maps.Keys(d.docs))
	if len(ids) == 0 {
		return
	}
	e := d.docs[ids[d.pick(len(ids))]]
	rule := rules[d.pick(len(rules))]
	q := near.SimilarQuery{ID: e.id, Rule: rule}
	switch d.pick(3) {
	case 0:
		q.ID, q.Text = "", []string{e.body}
	case 1:
		q.ID, q.Signature = "", &e.sig
	}
	if k := d.pick(4); k < 3 {
		q.Scope = &near.Scope{Field: "tenant", Values: [][]string{nil, {"a"}, {"b"}}[k]}
	}
	res, err := near.Similar(context.Background(), d.index, near.SimilarRequest{Query: q, Size: 100})
	if e.body == "" && (q.ID != "" || err != nil) {
		return // it has no signature to ask for
	}
	d.check(err)
	var got, want []string
	for _, hit := range res.Hits {
		got = append(got, hit.ID)
	}
	for _, id := range ids {
		scoped := q.Scope == nil || strings.Join(q.Scope.Values, "") == d.docs[id].tenant
		if id != q.ID && scoped && d.duplicates(rule, e.id, id) {
			want = append(want, id)
		}
	}
	if slices.Sort(got); !slices.Equal(got, want) || res.Total != uint64(len(want)) {
		d.Errorf("similar to %s, %+v: got %q, total %d, want %q", e.id, q, got, res.Total, want)
	}
}

// listGroups lists the groups by leaders.
func (d *driver) listGroups() {
	o := near.GroupsOptions{Rule: rules[d.pick(len(rules))], Within: [][]string{nil, {"tenant"}}[d.pick(2)], MinSize: 1 + d.pick(2)}
	ids := slices.SortedFunc(maps.Keys(d.docs), func(a, b string) int {
		if x, y := d.docs[a].sig.Tokens, d.docs[b].sig.Tokens; x != y {
			return int(y) - int(x)
		}
		return strings.Compare(a, b)
	})
	want := map[string][]string{}
	var heads []string
	for _, id := range ids {
		if d.docs[id].body == "" {
			continue
		}
		at := slices.IndexFunc(heads, func(h string) bool {
			same := d.docs[id].tenant != "" && d.docs[h].tenant == d.docs[id].tenant // without a value, a document is alone
			return (o.Within == nil || same) && d.duplicates(o.Rule, h, id)
		})
		if at < 0 {
			heads = append(heads, id)
			want[id] = []string{id}
		} else {
			want[heads[at]] = append(want[heads[at]], id)
		}
	}
	maps.DeleteFunc(want, func(_ string, own []string) bool { return len(own) < o.MinSize })
	got := map[string][]string{}
	for c, err := range near.Groups(context.Background(), d.index, o) {
		d.check(err)
		got[c.Head.ID] = []string{c.Head.ID}
		for _, m := range c.Members {
			got[c.Head.ID] = append(got[c.Head.ID], m.ID)
		}
	}
	if !maps.EqualFunc(got, want, slices.Equal) {
		d.Errorf("groups %+v: got %v, want %v", o, got, want)
	}
}

// program returns random operations.
func program(seed uint64, length int) []byte {
	rnd := rand.New(rand.NewPCG(11, seed))
	data := make([]byte, length)
	for i := range data {
		data[i] = byte(rnd.UintN(256))
	}
	return data
}

var operations = flag.Uint64("operations", 1, "how many programs of operations TestRandomOperations runs under each policy")

func TestRandomOperations(t *testing.T) {
	t.Parallel()
	for at, policy := range slices.Sorted(maps.Keys(policies)) {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			seen := map[string]int{}
			for seed := range *operations {
				for _, name := range drive(t, policy, program(seed+uint64(at)<<32, 250)) {
					seen[name]++
				}
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
			if len(seen) < 10 {
				t.Errorf("%v: this test shows little", seen)
			}
			t.Log(seen)
		})
	}
}

func FuzzOperations(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(program(seed, 120))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 2000 {
			t.Skip("too long")
		}
		drive(t, "", data)
	})
}
