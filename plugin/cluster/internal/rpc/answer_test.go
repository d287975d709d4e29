package rpc_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/hits"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/cluster/internal/rpc"
)

// newIndex has copies of some texts, some without a word, of ids that are not all UTF-8.
func newIndex(tb testing.TB) bleve.Index {
	tb.Helper()
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	m.DefaultMapping.AddFieldMappingsAt("project", bleve.NewKeywordFieldMapping())
	x, err := plugin.New("", m)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { x.Close() })
	r := rand.New(rand.NewPCG(71, 1))
	for i := range 20 {
		text := "common"
		for range 40 {
			text += fmt.Sprint(" word", r.IntN(3000))
		}
		for n := range 1 + r.IntN(4) {
			doc := map[string]any{"body": fmt.Sprint(text, " copy", n), "project": fmt.Sprint("p", r.IntN(5)), "version": r.IntN(4)}
			if i%7 == 6 {
				doc["title"] = doc["body"]
				delete(doc, "body")
			}
			id := fmt.Sprint("d", i, "-", n)
			if i%3 == 0 {
				id += "\xff"
			}
			if err := x.Index(id, doc); err != nil {
				tb.Fatal(err)
			}
		}
	}
	return x
}

// answers are answers of an index to a Want that has crossed from process to process, too.
func answers(tb testing.TB) (all []*hits.Answer) {
	tb.Helper()
	x := newIndex(tb)
	for _, change := range []func(r *bleve.SearchRequest, w *rpc.Want){
		func(*bleve.SearchRequest, *rpc.Want) {},
		func(r *bleve.SearchRequest, _ *rpc.Want) { r.SortBy([]string{"version", "project", "-_id"}) },
		func(r *bleve.SearchRequest, _ *rpc.Want) { r.Fields, r.Explain = []string{"project"}, true },
		func(r *bleve.SearchRequest, _ *rpc.Want) { r.Fields = []string{"*"} },
		func(r *bleve.SearchRequest, _ *rpc.Want) {
			r.Highlight, r.IncludeLocations = bleve.NewHighlight(), true
		},
		func(r *bleve.SearchRequest, _ *rpc.Want) {
			r.AddFacet("projects", bleve.NewFacetRequest("project", 2))
		},
		func(r *bleve.SearchRequest, _ *rpc.Want) { r.Query = bleve.NewMatchNoneQuery() },
		func(_ *bleve.SearchRequest, w *rpc.Want) {
			w.Rule = signature.Rule{Lanes: 1, Hamming: 64}.Explicit(100)
		},
		func(_ *bleve.SearchRequest, w *rpc.Want) {
			w.Fields = fields.Options{Within: []string{"project", "version"}}
		},
		func(r *bleve.SearchRequest, w *rpc.Want) { w.Visible, w.PerGroup, r.Size = 1000, 2, 1000 },
	} {
		r := bleve.NewSearchRequestOptions(bleve.NewMatchQuery("common"), 100, 0, false)
		w := &rpc.Want{Field: signature.DefaultField, Visible: 20, PerGroup: 1}
		change(r, w)
		text, err := json.Marshal(w)
		if err != nil {
			tb.Fatal(err)
		}
		crossed := new(rpc.Want)
		if err := json.Unmarshal(text, crossed); err != nil || !reflect.DeepEqual(w, crossed) {
			tb.Fatalf("%s: got %+v, %v", text, crossed, err)
		}
		a, err := crossed.Walk(context.Background(), x, r)
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, a)
	}
	return all
}

func encoded(tb testing.TB, a *hits.Answer) []byte {
	tb.Helper()
	data, err := rpc.EncodeAnswer(a)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// All of an answer crosses.
func TestAnswer(t *testing.T) {
	t.Parallel()
	wrong := []error{
		stored.ErrNone, fmt.Errorf("cut: %w", signature.ErrMalformed), fmt.Errorf("7: %w", signature.ErrVersion), errors.New("the disk is gone"),
	}
	looked := 0
	for _, a := range answers(t) {
		for i := range a.Ranked {
			switch h := &a.Ranked[i]; i % 9 {
			case 4:
				h.Signature, h.Err = nil, wrong[i/9%len(wrong)]
			case 5:
				h.Score = math.NaN()
			}
			looked++
		}
		a.MaxScore = math.Inf(1)
		got, err := rpc.DecodeAnswer(encoded(t, a))
		if err != nil {
			t.Fatal(err)
		}
		if got.More != a.More || len(got.Ranked) != len(a.Ranked) || got.MaxScore != a.MaxScore {
			t.Fatalf("got %+v, want %+v", got, a)
		}
		got.MaxScore, a.MaxScore = 0, 0
		if g, w := jsonOf(t, got.SearchResult), jsonOf(t, a.SearchResult); g != w {
			t.Errorf("got %s\nwant %s", g, w)
		}
		for i := range a.Ranked {
			checkHit(t, &got.Ranked[i], &a.Ranked[i])
		}
	}
	if looked < 200 {
		t.Errorf("only %d hits: this test shows nothing", looked)
	}
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func checkHit(t *testing.T, got, want *hits.Hit) {
	t.Helper()
	if got.ID != want.ID || math.Float64bits(got.Score) != math.Float64bits(want.Score) || got.Bare != want.Bare || !bytes.Equal(got.Values, want.Values) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	switch {
	case want.Err == nil:
		if got.Err != nil || !reflect.DeepEqual(got.Signature, want.Signature) {
			t.Errorf("got signature %+v, %v, want %+v", got.Signature, got.Err, want.Signature)
		}
	case got.Err == nil || got.Err.Error() != want.Err.Error():
		t.Errorf("got error %v, want %v", got.Err, want.Err)
	}
	for _, kind := range []error{stored.ErrNone, signature.ErrMalformed, signature.ErrVersion} {
		if errors.Is(got.Err, kind) != errors.Is(want.Err, kind) {
			t.Errorf("got error %v, want %v", got.Err, want.Err)
		}
	}
	whole := func(h *hits.Hit) string {
		own := *h.DocumentMatch
		own.Score = 0
		return jsonOf(t, &own)
	}
	if g, w := whole(got), whole(want); g != w {
		t.Errorf("got %s\nwant %s", g, w)
	}
}

// What shards answer to a query, as examples/docs/figures.md has it: their hits with signatures, as the bytes that cross.
func TestScale(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../../examples/docs/figures.md")
	if err != nil {
		t.Fatal(err)
	}
	sig := signature.Of(signature.DefaultParams(), []byte(strings.Repeat("these are some words of a long text ", 60)))
	var bytes [2]float64
	for n := range bytes {
		a := &hits.Answer{SearchResult: &bleve.SearchResult{Status: new(bleve.SearchStatus)}}
		for range n {
			match := &search.DocumentMatch{ID: "document-0123456789", Index: "shard-0123", Score: 1.5, Sort: []string{"_score"}}
			a.Ranked = append(a.Ranked, hits.Hit{Hit: stored.Hit{DocumentMatch: match, Signature: &sig}})
		}
		bytes[n] = float64(len(encoded(t, a)))
	}
	hit := 10 * math.Round((bytes[1]-bytes[0])/10)
	rows := []string{fmt.Sprintf("some %.0f bytes", hit), fmt.Sprintf("15 hits from each of 64 shards are %.0f KB", 64*15*hit/1000)}
	for _, row := range rows {
		if !strings.Contains(string(page), row) {
			t.Errorf("the page does not say: %s", row)
		}
	}
}

// checkAnswer reads bytes, and if they are an answer writes it and reads it again.
func checkAnswer(tb testing.TB, data []byte) error {
	tb.Helper()
	r, err := rpc.DecodeAnswer(data)
	if err != nil {
		if !errors.Is(err, rpc.ErrAnswer) {
			tb.Errorf("wanted an error that wraps ErrAnswer, got %v", err)
		}
		return err
	}
	first, err := rpc.EncodeAnswer(r)
	if err != nil {
		return nil // such as a score that is no number, of a field in JSON
	}
	again, err := rpc.DecodeAnswer(first)
	if err != nil {
		tb.Fatalf("what was written cannot be read: %v", err)
	}
	if second := encoded(tb, again); !bytes.Equal(first, second) {
		tb.Fatalf("written twice, it is %q and %q", first, second)
	}
	return nil
}

func TestMalformedAnswers(t *testing.T) {
	t.Parallel()
	none := encoded(t, &hits.Answer{SearchResult: &bleve.SearchResult{Status: &bleve.SearchStatus{Total: 1, Successful: 1}}})
	for _, a := range answers(t) {
		good := encoded(t, a)
		if err := checkAnswer(t, good); err != nil {
			t.Fatal(err)
		}
		for n := 0; n < len(good); n += 1 + len(good)/100 {
			if checkAnswer(t, good[:n]) == nil {
				t.Errorf("%d of %d bytes are read as an answer", n, len(good))
			}
			flipped := bytes.Clone(good)
			flipped[n] ^= 0x55
			checkAnswer(t, flipped)
		}
		newer := bytes.Clone(good)
		newer[0]++
		for name, bad := range map[string][]byte{
			"nothing":         {},
			"longer":          append(bytes.Clone(good), 0),
			"another version": newer,
			"no end of hits":  binary.AppendUvarint(bytes.Clone(none[:len(none)-1]), 1<<62),
		} {
			if checkAnswer(t, bad) == nil {
				t.Errorf("%s: read as an answer", name)
			}
		}
	}
}

func FuzzAnswer(f *testing.F) {
	for _, a := range answers(f) {
		f.Add(encoded(f, a))
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkAnswer(t, data) })
}

// A shard that does not sort as it is asked to has not answered.
func TestOtherKeys(t *testing.T) {
	t.Parallel()
	x := newIndex(t)
	w := &rpc.Want{Field: signature.DefaultField, Visible: 5, PerGroup: 1}
	a, err := w.Walk(context.Background(), x, bleve.NewSearchRequest(bleve.NewMatchQuery("common")))
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.Write(encoded(t, a)) }))
	defer s.Close()
	r := bleve.NewSearchRequest(bleve.NewMatchAllQuery())
	r.SortBy([]string{"version", "project"})
	_, err = (&rpc.Client{Name: "a", URL: s.URL}).Rank(context.Background(), r, w)
	if err == nil || !strings.Contains(err.Error(), "wanted a sort key of 2 parts, got 1") {
		t.Errorf("hits without the keys that were asked for: got the error %v", err)
	}
}
