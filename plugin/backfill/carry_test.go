package backfill_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/backfill"
	"github.com/neardup/bleve-neardup/plugin/indextype"
	"github.com/neardup/bleve-neardup/plugin/templates"
)

// footed has mails of one footer, some of them equal, a policy that rejects such, a mark and
// a template.
func footed(t *testing.T) bleve.Index {
	t.Helper()
	ctx := context.Background()
	x := signed(t, "", bodyMapping())
	docs := map[string]any{}
	for i := range 24 {
		body := fmt.Sprintf("mail %[1]d of %[2]d has %[2]d roses, %[1]d lilies of %[2]d kinds, %[1]d tulips and of others %[2]d", i/2, i/2*7919)
		docs[fmt.Sprintf("%02d", i)] = map[string]any{"body": body + "\nyou get this because you are on the list of those who grow roses; write to the keeper to leave it"}
	}
	fill(t, x, docs)
	found, err := templates.Learn(ctx, x, templates.Options{})
	if err != nil || len(found.Scopes) != 1 {
		t.Fatal(found, err)
	}
	_, err = templates.Use(ctx, x, found)
	for _, err := range []error{
		err,
		plugin.SetPolicy(ctx, x, &admission.Policy{Near: admission.Reject}),
		typed(x).MarkText(ctx, "pills", admission.Spam, "buy these pills now, they are cheap and good and sent at once"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return x
}

// A target gets templates before the first document, policy and marks after the last one, also
// if the copy was stopped in between; what it has of its own stays.
func TestCarry(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	from, to := footed(t), signed(t, "", bodyMapping())
	stopped, stop := context.WithCancel(ctx)
	o := backfill.Options{Name: "mails", Batch: 5, Progress: func(s backfill.Status) {
		if used, err := templates.InUse(to, ""); err != nil || len(used.Scopes) != 1 {
			t.Errorf("after %d documents: got templates %+v, %v", s.Done, used, err)
		}
		if in, _ := typed(to).Marks(); !s.Complete && (len(in) > 0 || s.Rejected > 0) {
			t.Errorf("after %d documents: %d marks, %d rejected", s.Done, len(in), s.Rejected)
		}
		if s.Done == 10 {
			stop()
		}
	}}
	if s, err := backfill.Run(stopped, from, to, o); err == nil || s.Complete {
		t.Fatalf("stopped: got %+v, %v", s, err)
	}
	if n, _ := to.DocCount(); n != 10 {
		t.Errorf("stopped: got %d documents", n)
	}
	if s := run(t, from, to, o); s.Rejected > 0 || s.Done != 24 {
		t.Errorf("got %+v", s)
	}
	if v, err := plugin.Submit(ctx, to, "new", map[string]any{"body": "mail 0 of 0 has 0 roses, 0 lilies of 0 kinds, 0 tulips and of others 0"}); err != nil || v.Action != admission.Reject {
		t.Errorf("the policy and the template: got %+v, %v", v, err)
	}
	marks, err := typed(to).Marks()
	if err != nil || len(marks) != 1 || marks[0].Name != "pills" {
		t.Errorf("got marks %+v, %v", marks, err)
	}

	own := signed(t, "", bodyMapping())
	for _, err := range []error{
		plugin.SetPolicy(ctx, own, &admission.Policy{Near: admission.Tag}),
		typed(own).MarkText(ctx, "pills", admission.Wanted, "these pills are wanted here, as they are good for what they are for"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	run(t, from, own, backfill.Options{})
	if v, err := plugin.Submit(ctx, own, "new", map[string]any{"body": "mail 0 of 0 has 0 roses, 0 lilies of 0 kinds, 0 tulips and of others 0"}); err != nil || v.Action != admission.Tag {
		t.Errorf("a policy of its own: got %+v, %v", v, err)
	}
	if marks, err := typed(own).Marks(); err != nil || len(marks) != 1 || marks[0].Label != admission.Wanted {
		t.Errorf("a mark of its own: got %+v, %v", marks, err)
	}
}

// Another way of signing cannot take templates and marks: that is an error before anything
// is written, unless they are left behind.
func TestCarryOther(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	other := func() *mapping.IndexMappingImpl {
		m := bodyMapping()
		if err := m.AddCustomAnalyzer("seeded", map[string]any{"type": neardup.Name, "seed": 7}); err != nil {
			t.Fatal(err)
		}
		for _, f := range m.DefaultMapping.Properties["body"].Fields {
			if f.Analyzer == neardup.Name {
				f.Analyzer = "seeded"
			}
		}
		return m
	}
	from := footed(t)
	check := func(want string) {
		t.Helper()
		to := signed(t, "", other())
		_, err := backfill.Run(ctx, from, to, backfill.Options{})
		if n, _ := to.DocCount(); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "Options.Fresh") || n != 0 {
			t.Errorf("got %v and %d documents, want %s", err, n, want)
		}
		run(t, from, to, backfill.Options{Fresh: true})
		if used, err := templates.InUse(to, ""); err != nil || len(used.Scopes) > 0 {
			t.Errorf("fresh: got %+v, %v", used, err)
		}
	}
	check("wanted one learned with the parameters of the signatures")
	if err := templates.Drop(ctx, from, ""); err != nil {
		t.Fatal(err)
	}
	check(`mark "pills": wanted a signature of the parameters`)
}

// typed is the index of type neardup inside x.
func typed(x bleve.Index) *indextype.Index {
	n, err := plugin.Of(x)
	if err != nil {
		panic(err)
	}
	return n
}

// Documents keep the names of their groups, whatever the policy of the target is, and others get names in the order of ids.
func TestCarryGroups(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	from := signed(t, "", bodyMapping())
	names := func(x bleve.Index) map[string]string {
		r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 100, 0, false)
		r.Fields = []string{admission.GroupField}
		res, err := x.Search(r)
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]string{}
		for _, hit := range res.Hits {
			all[hit.ID], _ = hit.Fields[admission.GroupField].(string)
		}
		return all
	}
	docs := map[string]any{"none": map[string]any{"other": "text"}}
	for i := range 20 {
		docs[fmt.Sprintf("%02d", i)] = map[string]any{"body": fmt.Sprintf("mail %d of %d says what no other does", i/2, i/2*7919)}
	}
	fill(t, from, docs) // they have no names yet
	group := &admission.Policy{Group: true}
	named := signed(t, "", bodyMapping())
	for _, err := range []error{plugin.SetPolicy(ctx, named, group), plugin.SetPolicy(ctx, from, group)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := backfill.Run(ctx, from, named, backfill.Options{Batch: 3}); err != nil {
		t.Fatal(err)
	}
	want := names(named)
	for i := range 20 {
		if id := fmt.Sprintf("%02d", i); len(want[id]) != 16 || want[id] != want[fmt.Sprintf("%02d", i&^1)] {
			t.Errorf("%s: group %q", id, want[id])
		}
	}
	// Written again in another order, the documents would be named by others.
	if err := named.Delete("00"); err != nil {
		t.Fatal(err)
	}
	delete(want, "00")
	for _, policy := range []*admission.Policy{nil, group, {Near: admission.Tag}} {
		to := signed(t, "", bodyMapping())
		if err := plugin.SetPolicy(ctx, to, policy); err != nil {
			t.Fatal(err)
		}
		if _, err := backfill.Run(ctx, named, to, backfill.Options{Batch: 3}); err != nil {
			t.Fatal(err)
		}
		if got := names(to); !maps.Equal(got, want) {
			t.Errorf("policy %+v: got %v, want %v", policy, got, want)
		}
	}
}
