package plugin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// tenants makes two indexes in which tenant "a" has the same documents. In the one,
// tenant "b" has copies of them, and in the other unrelated ones of the same number.
func tenants(t *testing.T, p *admission.Policy) [2]bleve.Index {
	t.Helper()
	var both [2]bleve.Index
	for i, theirs := range []string{"copy", "other"} {
		m := bleve.NewIndexMapping()
		tenant := bleve.NewTextFieldMapping()
		tenant.Analyzer = keyword.Name
		m.DefaultMapping.AddFieldMappingsAt("tenant", tenant)
		plugin.AddSignature(m.DefaultMapping, "body")
		x := opened(t, "", m)
		if err := plugin.SetPolicy(context.Background(), x, p); err != nil {
			t.Fatal(err)
		}
		for n := range 12 {
			put(t, x, fmt.Sprint("secret", n), secretText(theirs, n), "b")
			put(t, x, fmt.Sprint("own", n), secretText("copy", n+8), "a")
		}
		both[i] = x
	}
	return both
}

func secretText(kind string, n int) string {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprint(&b, kind, n, "x", i*7%41, " ")
	}
	return b.String()
}

func put(t *testing.T, x bleve.Index, id, body, tenant string) admission.Verdict {
	t.Helper()
	v, err := plugin.Submit(context.Background(), x, id, map[string]any{"body": body, "tenant": tenant})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Whatever tenant "a" does within its scope, it gets the same answers whether tenant
// "b" has copies of its texts or not.
func TestTenants(t *testing.T) {
	t.Parallel()
	hour := time.Hour
	for name, p := range map[string]admission.Policy{
		"reject":  {Near: admission.Reject},
		"tag":     {Near: admission.Tag},
		"replace": {Near: admission.Replace},
		"longest": {Near: admission.Replace, Prefer: []admission.Preference{{Keep: admission.Longest}}},
		"flood":   {Floods: []admission.Flood{{Copies: 1, Window: hour}}},
		"shadow":  {Near: admission.Reject, Shadow: true},
		"known":   {Known: admission.Reject},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p.Scope = "tenant"
			var said [2]string
			for i, x := range tenants(t, &p) {
				said[i] = probe(t, x)
				for n := range 12 { // and nothing of tenant "b" is lost
					if doc, err := x.Document(fmt.Sprint("secret", n)); err != nil || doc == nil {
						t.Errorf("secret%d: %v, error %v", n, doc, err)
					}
				}
			}
			if said[0] != said[1] {
				t.Errorf("copies of another tenant tell:\n%s\nwithout:\n%s", said[0], said[1])
			}
			if strings.Contains(said[0], "secret") {
				t.Errorf("a name of another tenant's: %s", said[0])
			}
		})
	}
}

// probe does what tenant "a" can, and returns all answers.
func probe(t *testing.T, x bleve.Index) string {
	t.Helper()
	var b strings.Builder
	say := func(v any, err error) {
		data, _ := json.Marshal(v)
		fmt.Fprintf(&b, "%s %v\n", data, err)
	}
	mark := admission.Mark{Name: "b's", Label: admission.Spam, Scope: []string{"b"}}
	var err error
	if mark.Signature, err = plugin.Sign(x, plugin.Field, secretText("copy", 2)); err != nil {
		t.Fatal(err)
	}
	if err := must(plugin.Of(x)).SetMark(context.Background(), mark); err != nil {
		t.Fatal(err)
	}
	for n := range 14 {
		say(put(t, x, fmt.Sprint("new", n), secretText("copy", n)+" more", "a"), nil)
	}
	batch := x.NewBatch()
	for n := range 14 {
		if err := batch.Index(fmt.Sprint("again", n), map[string]any{"body": secretText("copy", n), "tenant": "a"}); err != nil {
			t.Fatal(err)
		}
	}
	say(plugin.DryRun(context.Background(), x, batch))
	err = x.Batch(batch)
	say(nil, err)
	own := bleve.NewTermQuery("a")
	own.SetField("tenant")
	scope := &near.Scope{Field: "tenant", Values: []string{"a"}}
	for n := range 14 {
		for _, q := range []near.SimilarQuery{{ID: fmt.Sprint("own", n), Scope: scope}, {Text: []string{secretText("copy", n)}, Scope: scope}} {
			for _, filter := range []bool{false, true} {
				r := near.SimilarRequest{Query: q, Size: 50}
				if filter {
					r.Filter = own
				}
				res, err := near.Similar(context.Background(), x, r)
				if err == nil {
					res.Took = 0
				}
				say(res, err)
			}
		}
	}
	for c, err := range near.Groups(context.Background(), x, near.GroupsOptions{Within: []string{"tenant"}, MinSize: 1}) {
		if !strings.HasPrefix(c.Head.ID, "secret") { // groups lists all tenants, each for itself
			say(c, err)
		}
	}
	for _, o := range []collapse.Options{
		{},
		{Whole: true},
		{Visible: -1},
		{Cursor: &collapse.Cursor{After: []string{"secret10"}, Taken: 9}},
	} {
		r := bleve.NewSearchRequestOptions(own, 100, 0, false)
		r.SortBy([]string{"_id"})
		r.AddFacet("tenant", bleve.NewFacetRequest("tenant", 10))
		res, err := collapse.Search(context.Background(), x, r, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, hit := range res.Hits {
			say(hit.ID, nil)
		}
		say([]any{res.Groups, res.Earlier, res.Total, res.Hidden, res.TotalGroups, res.Facets}, nil)
	}
	return b.String()
}
