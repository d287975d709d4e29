package admission_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

// static returns a mapping with the fields body, tenant and sent, and no others.
func static() *mapping.IndexMappingImpl {
	m := bleve.NewIndexMapping()
	m.DefaultMapping.Dynamic, m.IndexDynamic, m.StoreDynamic, m.DocValuesDynamic = false, false, false, false
	tenant := bleve.NewTextFieldMapping()
	tenant.Analyzer, tenant.IncludeInAll = keyword.Name, false
	only := bleve.NewDocumentStaticMapping()
	only.AddFieldMapping(tenant)
	m.DefaultMapping.AddSubDocumentMapping("tenant", only)
	m.DefaultMapping.AddFieldMappingsAt("sent", bleve.NewDateTimeFieldMapping())
	plugin.AddSignature(m.DefaultMapping, "body")
	return m
}

// naming are policies that name a field, each in another member.
func naming(name string) map[string]admission.Policy {
	window := time.Hour
	return map[string]admission.Policy{
		"field":               {Near: admission.Reject, Field: name},
		"scope":               {Near: admission.Reject, Scope: name},
		"time":                {Near: admission.Replace, Time: name},
		"floods[0]: same":     {Floods: []admission.Flood{{Copies: 1, Window: window, Same: name}}},
		"floods[1]: same":     {Floods: []admission.Flood{{Copies: 1, Window: window}, {Copies: 2, Window: window, Same: name}}},
		"prefer[1]: field":    {Near: admission.Replace, Prefer: []admission.Preference{{Keep: admission.Newest}, {Field: name}}},
		"floods[0]: distinct": {Floods: []admission.Flood{{Copies: 1, Window: window, Distinct: name}}},
	}
}

// A policy that names a field which no document can have is an error that lists those that are there, whatever member names it.
func TestMisspelledNames(t *testing.T) {
	t.Parallel()
	x, err := plugin.New("", static())
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	in, err := x.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // of no document, and of one
		for member, p := range naming("tennant") {
			want := fmt.Sprintf(`admission: %s: wanted a field of the mapping, one of ["body" "neardup" "sent" "tenant"], got "tennant"`, member)
			if member == "field" {
				want = `wanted a fingerprinted field, one of ["neardup"], got "tennant"`
			}
			if err := plugin.SetPolicy(context.Background(), x, &p); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
			if in.(*indextype.Index).Policy() != nil {
				t.Fatal("it is in force all the same")
			}
		}
		if err := x.Index("a", map[string]any{"body": "text", "tenant": "one", "tennant": "two"}); err != nil {
			t.Fatal(err)
		}
	}
	for member, p := range naming("tenant") {
		if err := plugin.SetPolicy(context.Background(), x, &p); (err != nil) != (member == "field" || member == "time") {
			t.Errorf("%s: got %v", member, err)
		}
	}
	// What a document has, though not by the mapping, counts.
	doc := document.NewDocument("b")
	doc.AddField(document.NewTextField("tennant", nil, []byte("one")))
	if err := in.Update(doc); err != nil {
		t.Fatal(err)
	}
	for member, p := range naming("tennant") {
		if err := plugin.SetPolicy(context.Background(), x, &p); (err != nil) != (member == "field") {
			t.Errorf("%s: got %v", member, err)
		}
	}
}

// A mapping that lacks a field of the policy in force is refused, and the index opens as it was.
func TestMisspelledUpdate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x")
	x, err := plugin.New(path, static())
	if err != nil {
		t.Fatal(err)
	}
	setPolicy(t, x, admission.Policy{Near: admission.Reject, Scope: "tenant"})
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	without := static()
	delete(without.DefaultMapping.Properties, "tenant")
	data, err := json.Marshal(without)
	if err != nil {
		t.Fatal(err)
	}
	if x, err := bleve.OpenUsing(path, map[string]any{"updated_mapping": string(data)}); err == nil {
		x.Close()
		t.Error("a mapping without the scope is taken")
	} else if !strings.Contains(err.Error(), `admission: scope: wanted a field of the mapping, one of ["body" "neardup" "sent"], got "tenant"`) {
		t.Errorf("got %v", err)
	}
	if x, err = plugin.Open(path); err != nil {
		t.Fatal(err)
	}
	x.Close()
}

// Where a field may still come, a policy tells and counts the documents that have none, and refuses them if it is to.
func TestUnscoped(t *testing.T) {
	t.Parallel()
	x := newIndex(t, "")
	const text = "the quick brown fox jumps over the lazy dog and then goes home to sleep"
	setPolicy(t, x, admission.Policy{Near: admission.Reject, Scope: "tennant"})
	first := submit(t, x, page{id: "a", body: text, tenant: "one"})
	if first.Action != admission.Accept || first.Unscoped != "tennant" || first.Why() != `without a value of "tennant"` {
		t.Errorf("got %+v", first)
	}
	if v := submit(t, x, page{id: "b", body: text, tenant: "two"}); v.Action != admission.Reject || v.Unscoped != "tennant" || !strings.HasSuffix(v.String(), `without a value of "tennant" (100 lanes agree, Hamming 0, by exact+sketch+simhash)`) {
		t.Errorf("got %+v", v)
	}
	setPolicy(t, x, admission.Policy{Near: admission.Tag, Scope: "tenant", Unscoped: admission.Reject})
	if v := submit(t, x, page{id: "c", body: text, tenant: "two"}); v.Action != admission.Accept || v.Unscoped != "" {
		t.Errorf("got %+v", v)
	}
	err := x.Index("d", map[string]any{"body": "of nobody"})
	if refused := new(admission.Rejected); !errors.As(err, &refused) || refused.Error() != `neardup: document "d": reject (unscoped), without a value of "tenant"` {
		t.Errorf("got %v", err)
	}
	if err := x.Index("e", map[string]any{"sent": time.Now()}); err != nil { // without text it is compared with nothing
		t.Error(err)
	}
	stats := x.StatsMap()["index"].(map[string]any)
	if stats["neardup_unscoped"] != uint64(3) || stats["neardup_by_unscoped"] != uint64(1) {
		t.Errorf("got %v unscoped, %v refused", stats["neardup_unscoped"], stats["neardup_by_unscoped"])
	}
}

// A policy that names a field of a kind that it cannot use is an error, unless the mapping makes another one of that name.
func TestKindOfField(t *testing.T) {
	t.Parallel()
	m := bleve.NewIndexMapping()
	bare := &mapping.FieldMapping{Type: "text", Analyzer: keyword.Name}
	m.DefaultMapping.AddFieldMappingsAt("bare", bare)
	m.DefaultMapping.AddFieldMappingsAt("sent", bleve.NewDateTimeFieldMapping())
	plugin.AddSignature(m.DefaultMapping, "body")
	flood := func(f admission.Flood) []admission.Flood {
		f.Copies, f.Window = 1, time.Hour
		return []admission.Flood{f}
	}
	prefer := func(p admission.Preference) admission.Policy {
		return admission.Policy{Near: admission.Replace, Prefer: []admission.Preference{p}}
	}
	for want, p := range map[string]admission.Policy{
		`admission: time: wanted a datetime field, got "bare", which is none by the mapping`: {Time: "bare"},
		`admission: scope: wanted an indexed field, got "bare"`:                              {Scope: "bare"},
		`admission: floods[0]: distinct: wanted an indexed field, got "bare"`:                {Floods: flood(admission.Flood{Distinct: "bare"})},
		`admission: floods[0]: same: wanted an indexed field, got "bare"`:                    {Floods: flood(admission.Flood{Same: "bare"})},
		`admission: prefer[0]: field: wanted a stored field, got "bare"`:                     prefer(admission.Preference{Field: "bare"}),
		`admission: prefer[0]: field: wanted a stored field of text, got "sent"`:             prefer(admission.Preference{Field: "sent", Values: []string{"x"}}),
	} {
		x, err := plugin.New("", m)
		if err != nil {
			t.Fatal(err)
		}
		if err := plugin.SetPolicy(t.Context(), x, &p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		x.Close()
		other := bleve.NewIndexMapping() // makes of bare what it meets
		other.AddDocumentMapping("kind", m.DefaultMapping)
		plugin.AddSignature(other.DefaultMapping, "body")
		if x, err = plugin.New("", other); err != nil {
			t.Fatal(err)
		}
		if err := plugin.SetPolicy(t.Context(), x, &p); err != nil {
			t.Error(err)
		}
		x.Close()
	}
}
