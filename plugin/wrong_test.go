package plugin_test

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/registry"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/classic"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/html"
	"github.com/neardup/bleve-neardup/analysis/signature/repetition"
	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/analysis/signature/skeleton"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	words "github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/analysis/signature/winnow"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/collapse/explain"
	"github.com/neardup/bleve-neardup/collapse/serve"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/backfill"
	"github.com/neardup/bleve-neardup/plugin/indextype"
	"github.com/neardup/bleve-neardup/plugin/near"
	"github.com/neardup/bleve-neardup/plugin/templates"
)

// Each exported function of the module has a row here, and each method that takes something
// in the packages that applications call. They are called with right arguments, of which
// one after the other is made wrong: nil, extreme numbers, NaN, bytes that mean nothing,
// also in the fields of structs. Nothing may panic, unless its comment says that it does, or
// hang; and nil where there must be a context, an index, a mapping, a batch or a request is
// an error.

// functions has the rows.
var functions = map[string]any{
	"plugin.SetPolicy": plugin.SetPolicy, "plugin.Submit": plugin.Submit, "plugin.SubmitBatch": plugin.SubmitBatch,
	"plugin.DryRun": plugin.DryRun, "plugin.SignatureOf": plugin.SignatureOf, "plugin.Sign": plugin.Sign, "plugin.SignScoped": plugin.SignScoped, "plugin.New": plugin.New,
	"plugin.Open": plugin.Open, "plugin.OpenOrNew": plugin.OpenOrNew, "plugin.Of": plugin.Of,
	"plugin.AddSignature": plugin.AddSignature, "plugin.FieldMapping": plugin.FieldMapping,

	"plugin/indextype.New": indextype.New, "plugin/admission.ParsePolicy": admission.ParsePolicy,
	"plugin/backfill.Run": backfill.Run, "plugin/backfill.Leave": backfill.Leave,
	"plugin/near.Campaign": near.Campaign, "plugin/backfill.PlainMapping": backfill.PlainMapping,
	"plugin/templates.Learn": templates.Learn, "plugin/templates.Use": templates.Use, "plugin/templates.Drop": templates.Drop, "plugin/templates.InUse": templates.InUse,
	"plugin/templates.Without": templates.Without,
	"plugin/near.Groups":       near.Groups,
	"plugin/near.Similar":      near.Similar, "plugin/near.Parser": near.Parser,
	"plugin/near.Passages": near.Passages,

	"collapse.NewQuery": collapse.NewQuery, "collapse.Search": collapse.Search,
	"collapse/explain.Pairs": explain.Pairs,
	"collapse/serve.Parser":  serve.Parser, "collapse/serve.Do": nil, "collapse/serve.Status": serve.Status, // Do calls what it is given

	"analysis/analyzer/neardup.SignDocument": neardup.SignDocument, "analysis/analyzer/neardup.Fingerprinted": neardup.Fingerprinted,
	"analysis/analyzer/neardup.Presets": neardup.Presets, "analysis/analyzer/neardup.RuleOf": neardup.RuleOf,
	"analysis/analyzer/neardup.Of": neardup.Of, "analysis/analyzer/neardup.Kept": neardup.Kept,
	"analysis/analyzer/neardup.Sign": neardup.Sign, "analysis/analyzer/neardup.Fingerprints": neardup.Fingerprints,
	"analysis/analyzer/neardup.Unreachable": neardup.Unreachable, "analysis/analyzer/neardup.Changed": neardup.Changed,
	"analysis/analyzer/neardup.FieldSeesHidden":     neardup.FieldSeesHidden,
	"analysis/analyzer/neardup.AnalyzerConstructor": neardup.AnalyzerConstructor,
	"analysis/token.ReadPlan":                       nil, "analysis/token.ReadSample": nil, // of this module's own configurations

	"analysis/signature/token.Split": words.Split, "analysis/signature/shingle.Compare": shingle.Compare,
	"analysis/signature.Reserved": signature.Reserved, "analysis/signature.NewMaker": signature.NewMaker,
	"analysis/signature.Fingerprints": signature.Fingerprints, "analysis/signature.DefaultParams": signature.DefaultParams,
	"analysis/signature.Of": signature.Of, "analysis/signature.RegisterWeight": signature.RegisterWeight,
	"analysis/signature/sketch.Share": sketch.Share, "analysis/signature/sketch.Bounds": sketch.Bounds, "analysis/signature/simhash.Mask": simhash.Mask, "analysis/signature/simhash.Block": simhash.Block, "analysis/signature/simhash.Text": simhash.Text,
	"analysis/classic.BottomOf": classic.BottomOf, "analysis/classic.BottomResemblance": classic.BottomResemblance,
	"analysis/signature/template.Learn": template.Learn, "analysis/signature/template.NewCutter": template.NewCutter,
	"analysis/signature/template.NewSets": template.NewSets, "analysis/signature/template.ParseSets": template.ParseSets,
	"analysis/signature/template.ScopeOf": template.ScopeOf, "analysis/signature/template.Scopes": nil, // calls what it is given
	"analysis/signature/template.Left": template.Left,
	"analysis/signature/html.Text":     html.Text,
	"analysis/classic.MinwiseOf":       classic.MinwiseOf, "analysis/classic.MinwiseResemblance": classic.MinwiseResemblance,
	"analysis/classic.ModmResemblance": classic.ModmResemblance, "analysis/classic.ModmContainment": classic.ModmContainment,
	"analysis/classic.ModmModulus": classic.ModmModulus, "analysis/classic.ModmOf": classic.ModmOf,
	"analysis/signature/winnow.Containment": winnow.Containment, "analysis/signature/winnow.New": winnow.New, "analysis/signature/winnow.NewTable": nil,
	"analysis/signature/winnow.Of": winnow.Of, "analysis/signature/winnow.Print": winnow.Print, "analysis/signature/winnow.Window": winnow.Window,
	"analysis/signature/repetition.NewCounter": repetition.NewCounter,
	"analysis/signature/repetition.Of":         repetition.Of, "analysis/signature/repetition.Stuffing": repetition.Stuffing,
	"analysis/signature/sketch.Sampled": sketch.Sampled, "analysis/signature/sketch.Unanimous": sketch.Unanimous,
	"analysis/signature/shingle.NewWindows": shingle.NewWindows,
	"analysis/signature/simhash.Distance":   simhash.Distance,
	"analysis/signature/skeleton.Plain":     skeleton.Plain, "analysis/signature/skeleton.Text": skeleton.Text,
	"analysis/signature/sketch.NewBuilder": sketch.NewBuilder, "analysis/signature/sketch.Differ": sketch.Differ, "analysis/signature/sketch.Resemblance": sketch.Resemblance, "analysis/signature/sketch.Least": sketch.Least,
	"analysis/signature/sketch.Words": sketch.Words, "analysis/signature/sketch.Within": sketch.Within,
	"analysis/classic.SupershinglesOf": classic.SupershinglesOf, "analysis/classic.SupershinglesAgree": classic.SupershinglesAgree, "analysis/classic.DefaultPlan": classic.DefaultPlan,
	"analysis/signature/table.NewColumn": table.NewColumn, "analysis/signature/table.NewBlank": table.NewBlank, "analysis/signature/table.Connect": table.Connect, "analysis/signature/table.Equal": table.Equal,
	"analysis/signature/table.ByLeader": nil, // of what Leaders returns
	"analysis/signature/table.Freeze":   table.Freeze, "analysis/signature/table.Leaders": table.Leaders,
	"analysis/signature/table.Near": table.Near, "analysis/signature/table.First": table.First, "analysis/signature/table.NewSets": table.NewSets, "analysis/signature/table.New": table.New,
	"analysis/signature/token.NewKey": words.NewKey, "analysis/signature/token.Mix": words.Mix, "analysis/signature/token.Fold": words.Fold, "analysis/signature/token.NewScanner": words.NewScanner,
}

// receivers has a value of each exported type that has methods, in the packages that
// applications call.
func receivers(x bleve.Index) map[string]any {
	inner := must(x.Advanced()).(*indextype.Index)
	own := must(plugin.Sign(x, plugin.Field, foxes))
	found := must(x.Search(bleve.NewSearchRequest(bleve.NewMatchAllQuery())))
	rule := signature.Rule{}
	return map[string]any{
		"plugin/indextype.Index":     inner,
		"plugin/admission.Mark":      &admission.Mark{Name: "m", Label: admission.Spam, Signature: own},
		"plugin/admission.KnownRule": new(admission.KnownRule), "plugin/admission.Preference": new(admission.Preference),
		"plugin/templates.Options": new(templates.Options), "plugin/templates.Templates": new(templates.Templates),
		"plugin/admission.Flood": new(admission.Flood), "plugin/admission.Policy": new(admission.Policy),
		"plugin/admission.Verdict": new(admission.Verdict), "plugin/admission.Rejected": new(admission.Rejected), "plugin/near.GroupsOptions": new(near.GroupsOptions),
		"collapse.Cursor": new(collapse.Cursor), "collapse.Member": new(collapse.Member),
		"plugin/near.SimilarQuery":  &near.SimilarQuery{Signature: own},
		"plugin/near.PassagesQuery": &near.PassagesQuery{ID: "a"},
		"collapse.Result":           &collapse.Result{SearchResult: found},
		"collapse.InnerHits":        new(collapse.InnerHits), "collapse.Query": collapse.NewQuery(bleve.NewMatchAllQuery(), collapse.Options{}),
		"collapse.Options": new(collapse.Options), "collapse/explain.Options": new(explain.Options),
		"collapse/serve.Handler": &serve.Handler{Index: x, Guard: serve.Guard{Timeout: time.Second}}, "collapse/serve.Guard": &serve.Guard{Timeout: time.Second},
		"collapse/serve.Request": &serve.Request{SearchRequest: bleve.NewSearchRequest(bleve.NewMatchAllQuery())},
		"collapse/serve.Limits":  new(serve.Limits), "collapse/serve.Exceeded": new(serve.Exceeded),
		"analysis/signature.Signature": own, "analysis/signature.Params": new(signature.Params), "analysis/signature.Rule": &rule,
		"analysis/signature.Verify": &signature.Verify{Resemblance: .8},
		"analysis/signature.Field":  new(signature.Field), "analysis/signature.Numbers": new(signature.NumbersEqual),
		"analysis/signature.Reason": new(signature.Reason), "analysis/signature.Weight": new(signature.Weight), "analysis/signature.Maker": must(signature.NewMaker(signature.DefaultParams())),
	}
}

// apart are methods that end what others need, or that bleve alone calls, once.
var apart = []string{"plugin/indextype.Index.Open", "plugin/indextype.Index.Close"}

// required are types of which nil is an error.
var required = []reflect.Type{
	reflect.TypeFor[context.Context](), reflect.TypeFor[bleve.Index](), reflect.TypeFor[mapping.IndexMapping](), reflect.TypeFor[*bleve.Batch](),
	reflect.TypeFor[*bleve.SearchRequest](), reflect.TypeFor[*mapping.IndexMappingImpl](), reflect.TypeFor[*index.Batch](), reflect.TypeFor[index.Document](),
}

// allowed are functions in which nil says something.
var allowed = map[string]bool{
	"analysis/analyzer/neardup.Fingerprinted": true, // a mapping that cannot be read
	"analysis/analyzer/neardup.RuleOf":        true, // likewise
	"plugin/near.SimilarQuery.Searcher":       true, // the same
	"plugin/near.PassagesQuery.Searcher":      true, // the same
	"collapse.Query.Searcher":                 true, // the same
}

// exported is what sources declare: functions by name with their comments, and types with
// methods.
func exported(t *testing.T) (comments map[string]string, types map[string]bool) {
	t.Helper()
	comments, types = map[string]string{}, map[string]bool{}
	fset := token.NewFileSet()
	for _, top := range []string{"plugin", "collapse", "analysis"} {
		err := filepath.WalkDir(filepath.Join("..", top), func(path string, d fs.DirEntry, err error) error {
			dir := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../")
			switch {
			case err != nil:
				return err
			case d.IsDir():
				name := d.Name()
				mod, _ := filepath.Glob(filepath.Join(path, "go.mod"))
				if len(mod) > 0 || name == "internal" || name == "testdata" || name == "neartest" {
					return fs.SkipDir
				}
				return nil
			case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			file, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
			if err != nil {
				return err
			}
			for _, decl := range file.Decls {
				f, ok := decl.(*ast.FuncDecl)
				if !ok || !f.Name.IsExported() {
					continue
				}
				name := f.Name.Name
				if f.Recv != nil {
					of := f.Recv.List[0].Type
					if star, ok := of.(*ast.StarExpr); ok {
						of = star.X
					}
					id, ok := of.(*ast.Ident)
					if !ok || !id.IsExported() {
						continue
					}
					name = id.Name + "." + name
					types[dir+"."+id.Name] = true
				}
				comments[dir+"."+name] = f.Doc.Text()
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return comments, types
}

func TestWrongInputs(t *testing.T) {
	t.Parallel()
	x := closable(t, "")
	defer x.Close()
	reader := must(must(x.Advanced()).Reader())
	defer reader.Close()
	w := wrongs{t: t, x: x, reader: reader, dir: t.TempDir()}
	var types map[string]bool
	w.comments, types = exported(t)
	for name := range w.comments {
		if _, row := functions[name]; !row && !isMethod(name) {
			t.Errorf("%s has no row", name)
		}
	}
	for name, f := range functions {
		if _, there := w.comments[name]; !there {
			t.Errorf("%s is no function", name)
		}
		if f != nil {
			w.call(name, reflect.ValueOf(f))
		}
	}
	all := receivers(x)
	for name := range types {
		if _, row := all[name]; !row && called(name) {
			t.Errorf("%s has no receiver", name)
		}
	}
	for name, of := range all {
		if !types[name] {
			t.Errorf("%s has no methods", name)
		}
		if of == nil {
			continue
		}
		v := reflect.ValueOf(of)
		for i := range v.NumMethod() {
			method := name + "." + v.Type().Method(i).Name
			if _, own := w.comments[method]; own && !slices.Contains(apart, method) {
				w.call(method, v.Method(i))
			}
		}
	}
	if w.calls < 2000 {
		t.Errorf("only %d calls: this test shows nothing", w.calls)
	}
}

func isMethod(name string) bool {
	return strings.Count(name[strings.LastIndex(name, "/")+1:], ".") == 2
}

// called reports whether a type is of a package that applications call.
func called(name string) bool {
	return strings.HasPrefix(name, "plugin") || strings.HasPrefix(name, "collapse") || strings.HasPrefix(name, "analysis/signature.")
}

type wrongs struct {
	t        *testing.T
	x        bleve.Index
	reader   index.IndexReader
	dir      string
	comments map[string]string
	calls    int
}

// call calls f with right arguments, and then with each of them wrong in each way.
func (w *wrongs) call(name string, f reflect.Value) {
	right := func() []reflect.Value {
		var args []reflect.Value
		for i := range f.Type().NumIn() {
			args = append(args, w.right(f.Type().In(i)))
		}
		return args
	}
	w.try(name, "", f, right(), false)
	for i := range f.Type().NumIn() {
		for _, wrong := range w.wrong(f.Type().In(i), 2) {
			args := right()
			args[i] = wrong
			none := isNil(wrong) && slices.Contains(required, wrong.Type())
			w.try(name, fmt.Sprintf("argument %d %.200s", i, describe(wrong)), f, args, none && !allowed[name])
		}
	}
}

// where is the first place in the module of a panic.
func where(stack []byte) string {
	_, after, _ := strings.Cut(string(stack), "panic(")
	for line := range strings.Lines(after) {
		if strings.Contains(line, ".go:") && !strings.Contains(line, "/src/runtime/") {
			return " at " + strings.TrimSpace(line)
		}
	}
	return ""
}

func describe(v reflect.Value) string {
	if isNil(v) {
		return fmt.Sprintf("nil %v", v.Type())
	}
	return fmt.Sprintf("%v %+v", v.Type(), v)
}

func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map, reflect.Func:
		return v.IsNil()
	}
	return false
}

// try calls f, which must not panic or hang, and must return an error if fails is set.
func (w *wrongs) try(name, what string, f reflect.Value, args []reflect.Value, fails bool) {
	w.calls++
	done := make(chan string, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil && !strings.Contains(w.comments[name], "panics") {
				done <- fmt.Sprintf("panics: %v%s", p, where(debug.Stack()))
				return
			}
			done <- ""
		}()
		var out []reflect.Value
		if f.Type().IsVariadic() {
			out = f.CallSlice(args)
		} else {
			out = f.Call(args)
		}
		if complaint := w.look(out, fails); complaint != "" {
			done <- complaint
		}
	}()
	select {
	case complaint := <-done:
		if complaint != "" {
			w.t.Errorf("%s with %s: %s", name, what, complaint)
		}
	case <-time.After(time.Minute):
		w.t.Errorf("%s with %s: hangs", name, what)
	}
}

// look looks at what came out, iterators and handlers included.
func (w *wrongs) look(out []reflect.Value, fails bool) string {
	if len(out) == 0 {
		return ""
	}
	for _, o := range out { // what others wait for is ended
		if end, ok := o.Interface().(func()); ok && end != nil {
			end()
		}
		if x, made := o.Interface().(bleve.Index); made && !o.Elem().IsNil() && x != w.x {
			w.t.Cleanup(func() { x.Close() })
		}
	}
	last := out[len(out)-1]
	var err error
	switch v := last.Interface().(type) {
	case error:
		err = v
	case func(func(near.Group, error) bool):
		v(func(_ near.Group, e error) bool { err = e; return e == nil })
	case http.Handler:
		r := httptest.NewRecorder()
		v.ServeHTTP(r, httptest.NewRequest("POST", "/search", strings.NewReader(`{"query":{"match_all":{}},"size":1}`)))
		if r.Code >= 400 {
			err = fmt.Errorf("status %d", r.Code)
		}
	default:
		if last.Type() != reflect.TypeFor[error]() {
			return ""
		}
	}
	if err != nil && err.Error() == "" {
		return "the error is empty"
	}
	if fails && err == nil {
		return "wanted an error, got none"
	}
	return ""
}

// right returns an argument that is right, where that is not the zero value.
func (w *wrongs) right(t reflect.Type) reflect.Value {
	var v any
	switch t {
	case reflect.TypeFor[context.Context]():
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		w.t.Cleanup(cancel)
		v = ctx
	case reflect.TypeFor[bleve.Index]():
		v = w.x
	case reflect.TypeFor[[]bleve.Index]():
		v = []bleve.Index{w.x}
	case reflect.TypeFor[mapping.IndexMapping](), reflect.TypeFor[*mapping.IndexMappingImpl]():
		v = bodies()
	case reflect.TypeFor[*mapping.DocumentMapping]():
		v = bleve.NewDocumentMapping()
	case reflect.TypeFor[*bleve.Batch]():
		v = w.x.NewBatch()
	case reflect.TypeFor[*index.Batch]():
		v = index.NewBatch()
	case reflect.TypeFor[index.Document]():
		v = document.NewDocument("d")
	case reflect.TypeFor[*bleve.SearchRequest]():
		v = bleve.NewSearchRequest(bleve.NewMatchAllQuery())
	case reflect.TypeFor[query.Query]():
		v = bleve.NewMatchAllQuery()
	case reflect.TypeFor[index.IndexReader]():
		v = w.reader
	case reflect.TypeFor[*index.AnalysisQueue]():
		v = index.NewAnalysisQueue(1)
	case reflect.TypeFor[func() (index.IndexReader, error)]():
		v = func() (index.IndexReader, error) { return w.reader, nil }
	case reflect.TypeFor[*registry.Cache]():
		v = registry.NewCache()
	case reflect.TypeFor[analysis.TokenStream]():
		v = analysis.TokenStream{}
	case reflect.TypeFor[io.Writer]():
		v = new(bytes.Buffer)
	case reflect.TypeFor[io.Reader]():
		v = new(bytes.Buffer)
	case reflect.TypeFor[http.ResponseWriter]():
		v = httptest.NewRecorder()
	case reflect.TypeFor[*http.Request]():
		v = httptest.NewRequest("POST", "/", strings.NewReader(`{"query":{"match_all":{}}}`))
	case reflect.TypeFor[http.Handler]():
		v = http.NotFoundHandler()
	case reflect.TypeFor[near.PassagesRequest]():
		v = near.PassagesRequest{Query: near.PassagesQuery{ID: "a"}}
	case reflect.TypeFor[near.SimilarRequest]():
		v = near.SimilarRequest{Query: near.SimilarQuery{ID: "a"}}
	case reflect.TypeFor[[]near.SimilarQuery]():
		v = []near.SimilarQuery{{Signature: must(plugin.Sign(w.x, plugin.Field, foxes))}}
	case reflect.TypeFor[signature.Params]():
		v = signature.DefaultParams()
	case reflect.TypeFor[signature.Rule]():
		v = signature.Rule{}
	case reflect.TypeFor[*signature.Signature]():
		v = must(plugin.Sign(w.x, plugin.Field, foxes))
	case reflect.TypeFor[admission.Mark]():
		v = admission.Mark{Name: "m", Label: admission.Wanted}
	case reflect.TypeFor[*admission.Policy]():
		v = new(admission.Policy)
	case reflect.TypeFor[*bleve.SearchResult]():
		v = must(w.x.Search(bleve.NewSearchRequest(bleve.NewMatchAllQuery())))
	case reflect.TypeFor[*bleve.SearchStatus]():
		v = new(bleve.SearchStatus)
	case reflect.TypeFor[*error]():
		v = new(error)
	case reflect.TypeFor[string]():
		return reflect.ValueOf(filepath.Join(w.dir, fmt.Sprint(w.calls)))
	default:
		return reflect.Zero(t)
	}
	return reflect.ValueOf(v).Convert(t)
}

// wrong returns arguments that are wrong, those of structs down to some depth.
func (w *wrongs) wrong(t reflect.Type, depth int) (all []reflect.Value) {
	add := func(values ...any) {
		for _, v := range values {
			all = append(all, reflect.ValueOf(v).Convert(t))
		}
	}
	switch t {
	case reflect.TypeFor[bleve.Index]():
		add(bleve.NewIndexAlias(), bleve.NewIndexAlias(nil), bleve.NewIndexAlias(w.x, nil), bleve.NewIndexAlias(w.x, w.x))
	case reflect.TypeFor[mapping.IndexMapping]():
		add((*mapping.IndexMappingImpl)(nil), wrapped{bodies()}, bleve.NewIndexMapping())
	case reflect.TypeFor[query.Query]():
		add((*query.MatchQuery)(nil), (*collapse.Query)(nil), new(collapse.Query))
	case reflect.TypeFor[*bleve.SearchRequest]():
		for _, n := range []int{-1, math.MinInt, math.MaxInt, math.MaxInt - 5} {
			for _, r := range []bleve.SearchRequest{{Size: n}, {From: n}, {Size: n, From: n}, {Size: 10, From: n}} {
				r.Query = bleve.NewMatchAllQuery()
				add(&r)
			}
		}
		add(new(bleve.SearchRequest), bleve.NewSearchRequest((*query.MatchQuery)(nil)))
	case reflect.TypeFor[http.ResponseWriter](), reflect.TypeFor[*http.Request](), reflect.TypeFor[http.Handler](),
		reflect.TypeFor[io.Writer](), reflect.TypeFor[io.Reader](), reflect.TypeFor[*testing.T](),
		reflect.TypeFor[index.IndexReader](), reflect.TypeFor[*index.AnalysisQueue](), reflect.TypeFor[*registry.Cache](),
		reflect.TypeFor[func() (index.IndexReader, error)](), reflect.TypeFor[search.SearcherOptions](), reflect.TypeFor[*error]():
		return nil // bleve, or net/http, gives these
	case reflect.TypeFor[time.Time]():
		return nil
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		most := int64(math.MaxInt64) >> (64 - t.Bits())
		add(int64(-1), -most-1, most, most-5)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		add(uint64(math.MaxUint64))
	case reflect.Float32, reflect.Float64:
		add(math.NaN(), math.Inf(1), math.Inf(-1), -1.0, math.MaxFloat64)
	case reflect.String:
		add("", "\xff\x00", strings.Repeat("x", 1000))
	case reflect.Bool:
		add(true)
	case reflect.Interface, reflect.Map, reflect.Func:
		all = append(all, reflect.Zero(t))
	case reflect.Slice:
		all = append(all, reflect.Zero(t), reflect.MakeSlice(t, 2, 2))
		if t.Elem().Kind() == reflect.Uint8 {
			add([]byte("\xff\x00 nothing of that kind {"))
		} else if depth > 0 {
			for _, v := range w.wrong(t.Elem(), depth-1) {
				s := reflect.MakeSlice(t, 1, 1)
				s.Index(0).Set(v)
				all = append(all, s)
			}
		}
	case reflect.Pointer:
		all = append(all, reflect.Zero(t))
		if depth > 0 && t.Elem().Kind() == reflect.Struct && t != reflect.TypeFor[*bleve.Batch]() { // zero, it is no batch of bleve's either
			for _, v := range w.wrong(t.Elem(), depth-1) {
				p := reflect.New(t.Elem())
				p.Elem().Set(v)
				all = append(all, p)
			}
		}
	case reflect.Struct:
		all = append(all, reflect.Zero(t))
		if depth == 0 {
			break
		}
		for i := range t.NumField() {
			if !t.Field(i).IsExported() {
				continue
			}
			for _, v := range w.wrong(t.Field(i).Type, depth-1) {
				s := reflect.New(t).Elem()
				s.Set(w.right(t))
				s.Field(i).Set(v)
				all = append(all, s)
			}
		}
	}
	return all
}
