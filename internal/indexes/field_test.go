package indexes_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// keys are the names of properties in random mappings.
var keys = []string{"a", "b", "a.b", "b.a"}

// paths returns all names of up to n parts.
func paths(n int) (all []string) {
	if n == 0 {
		return nil
	}
	for _, part := range []string{"a", "b", "r"} {
		all = append(all, part)
		for _, rest := range paths(n - 1) {
			all = append(all, part+"."+rest)
		}
	}
	return all
}

// randomMapping returns a document mapping of at most this depth.
func randomMapping(rnd *rand.Rand, depth int) *mapping.DocumentMapping {
	dm := &mapping.DocumentMapping{Enabled: rnd.IntN(5) > 0, Dynamic: rnd.IntN(5) == 0, Nested: rnd.IntN(6) == 0}
	for range rnd.IntN(3) {
		f := bleve.NewTextFieldMapping()
		if rnd.IntN(2) == 0 {
			f = bleve.NewNumericFieldMapping()
		}
		if rnd.IntN(3) == 0 {
			f.Name = []string{"r", "a", "a.b"}[rnd.IntN(3)]
		}
		dm.AddFieldMapping(f)
	}
	for _, key := range keys {
		if depth > 0 && rnd.IntN(2) == 0 {
			dm.AddSubDocumentMapping(key, randomMapping(rnd, depth-1))
		}
	}
	return dm
}

// everything is a document in which each path of up to n parts has each kind of value, however it is cut into keys.
func everything(n int) map[string]any {
	d := map[string]any{}
	for _, key := range paths(n) {
		d[key] = []any{"text", 1.5, everything(n - 1 - strings.Count(key, "."))}
	}
	return d
}

// Known tells the names that documents get of those that they do not get.
func TestFieldRandom(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(28, 2))
	const parts = 3
	can, cannot := 0, 0
	for range 40 {
		m := bleve.NewIndexMapping()
		m.DefaultMapping = randomMapping(rnd, 2)
		m.DefaultMapping.Dynamic = rnd.IntN(9) == 0
		m.AddDocumentMapping("t", randomMapping(rnd, 2))
		m.TypeMapping["t"].Dynamic = false
		got := map[string]bool{}
		for _, kind := range []string{"", "t"} {
			doc, data := document.NewDocument("d"), everything(parts+1) // a field with a name of its own can have a shorter one
			data["_type"] = kind
			if err := m.MapDocument(doc, data); err != nil {
				t.Fatal(err)
			}
			var visit func(index.Document)
			visit = func(d index.Document) {
				d.VisitFields(func(f index.Field) { got[f.Name()] = true })
				if d, ok := d.(index.NestedDocument); ok {
					d.VisitNestedDocuments(visit)
				}
			}
			visit(doc)
		}
		for _, name := range paths(parts) {
			err := fields.Known(m, name)
			if got[name] != (err == nil) {
				t.Fatalf("field %q: documents have it: %t, got error %v", name, got[name], err)
			}
			if err == nil {
				can++
			} else {
				cannot++
			}
		}
	}
	if can < 80 || cannot < 80 {
		t.Errorf("%d names of fields, and %d others", can, cannot)
	}
}

// tenants is a mapping without fields that it does not name, but for below "extra".
func tenants() *mapping.IndexMappingImpl {
	m := bleve.NewIndexMapping()
	m.DefaultMapping = bleve.NewDocumentStaticMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	m.DefaultMapping.AddFieldMappingsAt("Tenant", bleve.NewKeywordFieldMapping())
	m.DefaultMapping.AddSubDocumentMapping("extra", bleve.NewDocumentMapping())
	m.DefaultMapping.AddSubDocumentMapping("off", bleve.NewDocumentDisabledMapping())
	return m
}

func TestField(t *testing.T) {
	t.Parallel()
	open := func(name string, m mapping.IndexMapping, docs ...map[string]any) bleve.Index {
		x, err := plugin.New("", m)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		x.SetName(name)
		for i, d := range docs {
			if err := x.Index(fmt.Sprint(i), d); err != nil {
				t.Fatal(err)
			}
		}
		return x
	}
	doc := map[string]any{"body": "a text", "Tenant": "t"}
	static, empty := open("static", tenants(), doc), open("empty", tenants())
	dynamic := bleve.NewIndexMapping()
	plugin.AddSignature(dynamic.DefaultMapping, "body")
	loose := open("loose", dynamic, doc)
	odd := open("odd", tenants(), doc)
	b := odd.NewBatch()
	added := document.NewDocument("added")
	added.AddField(document.NewTextField("beside", nil, []byte("x")))
	if err := b.IndexAdvanced(added); err != nil {
		t.Fatal(err)
	}
	if err := odd.Batch(b); err != nil {
		t.Fatal(err)
	}
	twice := bleve.NewIndexAlias(static, empty)
	shut := open("shut", tenants(), doc)
	shut.Close()
	remote := unread{static}
	mapped, unmapped := bleve.NewIndexAlias(remote), bleve.NewIndexAlias(remote)
	if err := mapped.SetIndexMapping(tenants()); err != nil {
		t.Fatal(err)
	}
	const want = `wanted a field of the mapping, one of ["Tenant" "body" "neardup"], got `
	for _, tt := range []struct {
		name  string
		x     bleve.Index
		field string
		err   string
	}{
		{"known", static, "Tenant", ""},
		{"misspelled", static, "tenant", `index "static": ` + want + `"tenant"`},
		{"disabled", static, "off", `got "off"`},
		{"below a disabled one", static, "off.a", `got "off.a"`},
		{"below a dynamic one", static, "extra.any", ""},
		{"bleve's own", static, "_id", ""},
		{"all", static, "_all", ""},
		{"the score", static, "_score", ""},
		{"a tag", static, admission.TagField, ""},
		{"no documents", empty, "tenant", ""},
		{"dynamic", loose, "tenant", ""},
		{"beside the mapping", odd, "beside", ""},
		{"beside the mapping of another", static, "beside", `got "beside"`},
		{"closed", shut, "tenant", ""},
		{"alias, one member has it", bleve.NewIndexAlias(static, odd), "beside", ""},
		{"alias, none has it", bleve.NewIndexAlias(odd, twice), "tenant", `index "odd": ` + want},
		{"alias, one is dynamic", bleve.NewIndexAlias(static, loose), "tenant", ""},
		{"alias, one is remote", bleve.NewIndexAlias(static, remote), "tenant", ""},
		{"remote", unmapped, "tenant", ""},
		{"remote, alias with a mapping", mapped, "tenant", want + `"tenant"`},
		{"remote, alias with a mapping, known", mapped, "Tenant", ""},
	} {
		err := indexes.Field(tt.x, tt.field)
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: got error %v, want %q", tt.name, err, tt.err)
		}
	}
	r, err := indexes.Reader(static)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for field, wrong := range map[string]bool{"Tenant": false, "tenant": true} {
		if docs, err := fields.In(r, static.Mapping(), field); (err != nil) != wrong || (docs == 1) != wrong {
			t.Errorf("snapshot, field %q: got error %v", field, err)
		}
	}
	if err := fields.Known(having(50), "any"); err != nil {
		t.Errorf("a dynamic mapping: got error %v", err)
	}
	many := having(50)
	many.DefaultMapping.Dynamic = false
	if err := fields.Known(many, "any"); err == nil || !strings.Contains(err.Error(), "and 32 more, got") {
		t.Errorf("many fields: got error %v", err)
	}
	if err := fields.Known(nil, "any"); err != nil {
		t.Errorf("no mapping: got error %v", err)
	}
}

// unread is an index whose mapping cannot be read, as one in another process.
type (
	unread struct{ remoteIndex }

	remoteIndex = bleve.Index // whose method Index would be hidden by a field of that name
)

func (unread) Mapping() mapping.IndexMapping { return nil }
