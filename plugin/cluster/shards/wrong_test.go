package shards_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/cluster/shards"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// The functions and methods of this package are called with right arguments, of which one after
// the other is nothing or extreme. None may panic, unless its comment says so, or hang; and nil
// where there must be a context, an index, a mapping or a request is an error.
func TestWrongInputs(t *testing.T) {
	x := locals(t, 1)[0]
	set := newTest(t, shards.FailClosed, x)
	away := shards.NewRemote("away", "http://127.0.0.1:1", shards.RemoteOptions{Timeout: time.Second})
	calls := 0
	for name, f := range map[string]any{
		"New": shards.New, "Parser": shards.Parser, "Handler": shards.Handler, "GuardedHandler": shards.GuardedHandler,
		"Missing": shards.Missing, "NewRemote": shards.NewRemote, "Judge": shards.Partial.Judge,
		"Set.Owner": set.Owner, "Set.Search": set.Search, "Set.Similar": set.Similar, "Set.Passages": set.Passages,
		"Set.Submit": set.Submit, "Set.Write": set.Write,
		"Remote.SearchInContext": away.SearchInContext, "Remote.Search": away.Search,
		"Remote.GetInternal": away.GetInternal,
		"Remote.FieldRule":   away.FieldRule, "Remote.Index": away.Index, "Remote.Delete": away.Delete,
	} {
		of := reflect.ValueOf(f)
		for at := range of.Type().NumIn() {
			for _, wrong := range wrongs(x, of.Type().In(at)) {
				args := make([]reflect.Value, of.Type().NumIn())
				for i := range args {
					args[i] = right(x, of.Type().In(i))
				}
				args[at] = wrong
				calls++
				what := fmt.Sprintf("%s with argument %d %v %.200v", name, at, wrong.Type(), wrong)
				if err := called(of, args); err == nil && required(wrong) && name != "Missing" {
					t.Errorf("%s: wanted an error, got none", what)
				} else if errors.Is(err, errBroken) {
					t.Errorf("%s: %v", what, err)
				}
			}
		}
	}
	if calls < 150 {
		t.Errorf("only %d calls: this test shows nothing", calls)
	}
}

// required reports whether a value is nil where something must be.
func required(v reflect.Value) bool {
	types := []reflect.Type{
		reflect.TypeFor[context.Context](), reflect.TypeFor[bleve.Index](), reflect.TypeFor[mapping.IndexMapping](),
		reflect.TypeFor[*bleve.SearchRequest](), reflect.TypeFor[*bleve.SearchStatus](),
	}
	return slices.Contains(types, v.Type()) && v.IsNil()
}

var errBroken = errors.New("broken")

// called calls f, and returns its error, or that of the handler that it makes.
func called(f reflect.Value, args []reflect.Value) error {
	done := make(chan error, 2)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- fmt.Errorf("%w: panics: %v", errBroken, p)
			}
		}()
		call := f.Call
		if f.Type().IsVariadic() {
			call = f.CallSlice
		}
		out := call(args)
		switch v := out[len(out)-1].Interface().(type) {
		case error:
			if v.Error() == "" {
				v = fmt.Errorf("%w: the error is empty", errBroken)
			}
			done <- v
		case http.Handler:
			var err error
			for path, body := range map[string]string{"/search": `{"query":{"match_all":{}},"size":1}`, "/docs": `{"a":{}}`} {
				w := httptest.NewRecorder()
				v.ServeHTTP(w, httptest.NewRequest("POST", path, strings.NewReader(body)))
				if w.Code >= 400 {
					err = errors.New(w.Body.String())
				}
			}
			done <- err
		default:
			done <- nil
		}
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(time.Minute):
		return fmt.Errorf("%w: hangs", errBroken)
	}
}

// right returns an argument that is right.
func right(x bleve.Index, t reflect.Type) reflect.Value {
	var v any
	switch t {
	case reflect.TypeFor[context.Context]():
		v = context.Background()
	case reflect.TypeFor[bleve.Index]():
		v = x
	case reflect.TypeFor[[]bleve.Index]():
		v = []bleve.Index{x}
	case reflect.TypeFor[mapping.IndexMapping]():
		v = newMapping()
	case reflect.TypeFor[*bleve.SearchRequest]():
		v = bleve.NewSearchRequest(bleve.NewMatchAllQuery())
	case reflect.TypeFor[near.PassagesRequest]():
		v = near.PassagesRequest{Query: near.PassagesQuery{ID: "a"}}
	case reflect.TypeFor[near.SimilarRequest]():
		v = near.SimilarRequest{Query: near.SimilarQuery{ID: "a"}}
	case reflect.TypeFor[[]shards.Document]():
		v = []shards.Document{{ID: "a", Data: map[string]any{"text": letter}}}
	default:
		return reflect.Zero(t)
	}
	return reflect.ValueOf(v).Convert(t)
}

// wrongs returns arguments that are wrong, in the fields of structs, too.
func wrongs(x bleve.Index, t reflect.Type) (all []reflect.Value) {
	add := func(values ...any) {
		for _, v := range values {
			all = append(all, reflect.ValueOf(v).Convert(t))
		}
	}
	all = append(all, reflect.Zero(t))
	switch t {
	case reflect.TypeFor[bleve.Index]():
		add(bleve.NewIndexAlias(), bleve.NewIndexAlias(nil), bleve.NewIndexAlias(x, nil), bleve.NewIndexAlias(x, x))
	case reflect.TypeFor[mapping.IndexMapping]():
		add((*mapping.IndexMappingImpl)(nil), bleve.NewIndexMapping())
	case reflect.TypeFor[*bleve.SearchRequest]():
		for _, n := range []int{-1, math.MinInt, math.MaxInt, math.MaxInt - 5} {
			q := bleve.NewMatchAllQuery()
			add(&bleve.SearchRequest{Query: q, Size: n}, &bleve.SearchRequest{Query: q, From: n}, &bleve.SearchRequest{Query: q, Size: 10, From: n})
		}
		add(new(bleve.SearchRequest), bleve.NewSearchRequest((*query.MatchQuery)(nil)))
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		add(-1, math.MinInt, math.MaxInt)
	case reflect.Float64:
		add(math.NaN(), math.Inf(1), -1.0)
	case reflect.String:
		add("\xff\x00", strings.Repeat("x", 1000))
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			add([]byte("\xff\x00 nothing of that kind {"))
			break
		}
		for _, v := range append(wrongs(x, t.Elem()), reflect.Zero(t.Elem())) {
			all = append(all, reflect.Append(reflect.Zero(t), v))
		}
	case reflect.Struct:
		for i := range t.NumField() {
			if !t.Field(i).IsExported() {
				continue
			}
			for _, v := range wrongs(x, t.Field(i).Type) {
				s := reflect.New(t).Elem()
				s.Set(right(x, t))
				s.Field(i).Set(v)
				all = append(all, s)
			}
		}
	}
	return all
}

// An index that was closed is an error that says so.
func TestClosed(t *testing.T) {
	t.Parallel()
	x, err := plugin.New("", newMapping())
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	code, answer := posted(shards.Handler(x), "/search", `{"query":{"match_all":{}},"size":1}`)
	if code == 200 || !strings.Contains(answer, bleve.ErrorIndexClosed.Error()) {
		t.Errorf("got %d %s", code, answer)
	}
}
