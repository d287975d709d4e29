package indextype_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

// An index that takes the policy of another judges by it, and lacks the function Prefer where the other lacks it.
func TestTakePolicy(t *testing.T) {
	t.Parallel()
	inner := func(x bleve.Index) *indextype.Index {
		own, err := x.Advanced()
		if err != nil {
			t.Fatal(err)
		}
		return own.(*indextype.Index)
	}
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	path := filepath.Join(t.TempDir(), "x")
	from := open(t, path, m)
	prefer := &admission.Policy{Near: admission.Replace, PreferFunc: func(_, _ admission.Candidate) bool { return true }}
	if err := plugin.SetPolicy(context.Background(), from, prefer); err != nil {
		t.Fatal(err)
	}
	if err := from.Close(); err != nil {
		t.Fatal(err)
	}
	from, err := bleve.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	for _, tt := range []struct {
		name   string
		policy *admission.Policy // set before it is taken, if set
		set    bool
		want   string // of the second of two copies
	}{
		{"without its function", nil, false, "needs its function Prefer"},
		{"a policy", &admission.Policy{Near: admission.Reject}, true, "reject (near)"},
		{"none", nil, true, ""},
	} {
		if tt.set {
			if err := plugin.SetPolicy(context.Background(), from, tt.policy); err != nil {
				t.Fatal(err)
			}
		}
		to := newIndex(t)
		put(t, to, "a", map[string]any{"body": text})
		if err := inner(to).TakePolicy(context.Background(), inner(from)); err != nil {
			t.Fatal(err)
		}
		err := to.Index("b", map[string]any{"body": text})
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
	// A policy that needs what the mapping does not sign is taken as little as it is set.
	m = bleve.NewIndexMapping()
	if err := m.AddCustomAnalyzer("pages", map[string]any{"type": "neardup", "char_filters": []any{"neardup_html"}}); err != nil {
		t.Fatal(err)
	}
	body := bleve.NewDocumentMapping()
	body.AddFieldMapping(plugin.FieldMapping("pages"))
	m.DefaultMapping.AddSubDocumentMapping("body", body)
	sees := open(t, "", m)
	defer sees.Close()
	if err := plugin.SetPolicy(context.Background(), sees, &admission.Policy{Hidden: &admission.Hidden{Share: .5}}); err != nil {
		t.Fatal(err)
	}
	to := newIndex(t)
	if err := inner(to).TakePolicy(context.Background(), inner(sees)); err == nil || !strings.Contains(err.Error(), "admission policy") || inner(to).Policy() != nil {
		t.Errorf("hidden text that the mapping does not see: got %v, and policy %v", err, inner(to).Policy())
	}
	if err := plugin.SetPolicy(context.Background(), sees, &admission.Policy{Field: "another", Near: admission.Tag}); err == nil {
		t.Error("a field that is not signed: got no error")
	}
	for _, none := range []*indextype.Index{nil, new(indextype.Index)} {
		if err := inner(from).TakePolicy(context.Background(), none); err == nil || !strings.Contains(err.Error(), "wanted an index to take the policy of, got nil") {
			t.Errorf("got %v", err)
		}
	}
}
