package plugin_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/repetition"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/collapse/explain"
	"github.com/neardup/bleve-neardup/collapse/serve"
	"github.com/neardup/bleve-neardup/internal/strict"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/near"
	"github.com/neardup/bleve-neardup/plugin/templates"
)

// written are the types that people write in JSON, with a way from the JSON of the type to JSON that
// a value of it reads, where the two differ.
var written = map[string]struct {
	value any
	wrap  string
}{
	"collapse.Options":            {new(collapse.Options), "%s"},
	"collapse.By":                 {new(collapse.Options), `{"by":%s}`},
	"collapse.InnerHits":          {new(collapse.InnerHits), "%s"},
	"collapse/explain.Options":    {new(explain.Options), "%s"},
	"collapse/serve.Limits":       {new(serve.Limits), "%s"},
	"collapse/serve.Request":      {new(serve.Request), `{"query":{"match_all":{}},"collapse":%s}`},
	"plugin/near.SimilarQuery":    {new(near.SimilarQuery), `{"custom_filter":{"neardup":%s}}`},
	"plugin/near.PassagesQuery":   {new(near.PassagesQuery), `{"custom_filter":{"neardup_passages":%s}}`},
	"plugin/near.GroupsOptions":   {new(near.GroupsOptions), "%s"},
	"plugin/templates.Options":    {new(templates.Options), "%s"},
	"plugin/templates.Templates":  {new(templates.Templates), "%s"},
	"plugin/admission.Policy":     {new(admission.Policy), "%s"},
	"plugin/admission.Flood":      {new(admission.Policy), `{"floods":[%s]}`},
	"plugin/admission.Preference": {new(admission.Policy), `{"prefer":[%s]}`},
	"plugin/admission.Repetition": {new(admission.Policy), `{"repetition":%s}`},
	"plugin/admission.Hidden":     {new(admission.Policy), `{"hidden":%s}`},
	"plugin/admission.KnownRule":  {new(admission.Policy), `{"known_rule":%s}`},
	"analysis/signature.Rule":     {new(signature.Rule), "%s"},
	"analysis/signature.Verify":   {new(near.GroupsOptions), `{"verify":%s}`},

	"analysis/signature/repetition.Limits": {new(repetition.Limits), "%s"},

	"analysis/signature/template.Options": {new(templates.Options), "%s"}, // which embed them
}

// TestMembers: an unknown member of what people write in JSON is an error that names the member and
// the known ones.
func TestMembers(t *testing.T) {
	t.Parallel()
	for name, w := range written {
		before := reflect.ValueOf(w.value).Elem().Interface()
		err := json.Unmarshal(fmt.Appendf(nil, w.wrap, `{"unheard_of":1}`), w.value)
		if err == nil || !strings.Contains(err.Error(), `wanted members among ["`) || !strings.HasSuffix(err.Error(), `, got "unheard_of"`) {
			t.Errorf("%s: got %v", name, err)
		}
		if after := reflect.ValueOf(w.value).Elem().Interface(); !reflect.DeepEqual(before, after) {
			t.Errorf("%s: changed by an error: got %+v", name, after)
		}
	}
	for _, name := range optionTypes(t) {
		if written[name].value == nil {
			t.Errorf("%s: wanted a row of written, got none", name)
		}
	}
}

// optionTypes returns the exported structs with members in JSON that, by their names, people write.
func optionTypes(t *testing.T) (names []string) {
	t.Helper()
	written := regexp.MustCompile(`(Options|Request|Policy|Limits|Query|Templates)$|^Rule$`)
	for _, dir := range []string{"analysis", "collapse", "plugin"} {
		err := filepath.WalkDir(filepath.Join("..", dir), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir():
				if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil || d.Name() == "internal" || d.Name() == "testdata" {
					return fs.SkipDir
				}
				return nil
			case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if s, ok := n.(*ast.TypeSpec); ok && s.Name.IsExported() && written.MatchString(s.Name.Name) && tagged(s.Type) {
					names = append(names, filepath.ToSlash(filepath.Dir(path))[len("../"):]+"."+s.Name.Name)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(names) < 8 {
		t.Fatalf("wanted at least 8 types, got %q", names)
	}
	return names
}

// tagged reports whether a type is a struct with names for JSON.
func tagged(e ast.Expr) bool {
	s, ok := e.(*ast.StructType)
	return ok && slices.ContainsFunc(s.Fields.List, func(f *ast.Field) bool { return f.Tag != nil && strings.Contains(f.Tag.Value, "json:") })
}

// TestMembersSay has errors in full, and what is read although it might look wrong.
func TestMembersSay(t *testing.T) {
	t.Parallel()
	known := func(v any) string {
		return fmt.Sprintf("%q", slices.Sorted(maps.Keys(strict.Members(reflect.TypeOf(v)))))
	}
	for _, c := range []struct {
		v          any
		text, want string
	}{
		{new(admission.Policy), `{"known_rule":{"lane":30}}`, "admission: policy: known_rule: wanted members among " + known(admission.KnownRule{}) + `, got "lane"`},
		{new(admission.Policy), `{"near":1}`, "admission: policy: near: wanted a string, got a number"},
		{new(admission.Policy), `{"repetition":{"limits":{"top_token":"x"}}}`, "admission: policy: limits: top_token: wanted a number, got a string"},
		{new(signature.Rule), `{"lanes":"x"}`, "rule: lanes: wanted a whole number, got a string"},
		{new(near.GroupsOptions), `{"rule":{"lane":80}}`, "near: groups: options: rule: wanted members among " + known(signature.Rule{}) + `, got "lane"`},
		{new(near.GroupsOptions), `[]`, "near: groups: options: wanted an object, got a list"},
		{new(near.GroupsOptions), `{"MIN_SIZE":3,"rule":{"Lanes":80}}`, ""}, // encoding/json does not mind the case
		{new(near.GroupsOptions), `null`, ""},
	} {
		err := json.Unmarshal([]byte(c.text), c.v)
		if got := fmt.Sprint(err); got != c.want && (c.want != "" || err != nil) {
			t.Errorf("%T of %s: wanted %q, got %q", c.v, c.text, c.want, got)
		}
	}
	for _, text := range []string{`{"near":"tag"} {"near":"reject"}`, `{"near":"tag"}]`, `{"near":"tag"`} {
		if p, err := admission.ParsePolicy([]byte(text)); err == nil {
			t.Errorf("ParsePolicy of %s: wanted an error, got %+v", text, p)
		}
	}
}
