package near_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse/serve"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// The parsers are in bleve's place for them before any test: tests in parallel read it.
func init() { query.CustomFilterQueryParser = serve.Parser(near.Parser(nil)) }

// inner is bleve.Index under a name that can be embedded.
type inner = bleve.Index

// overHTTP is an index that is reached by HTTP alone.
type overHTTP struct {
	inner
	url string
}

func (o overHTTP) Mapping() mapping.IndexMapping { return nil }

func (o overHTTP) SearchInContext(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, o.url, strings.NewReader(string(data)))
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %s", answer.Status)
	}
	res := new(bleve.SearchResult)
	return res, json.NewDecoder(answer.Body).Decode(res)
}

// remote serves an index by HTTP.
func remote(t *testing.T, x bleve.Index) bleve.Index {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var there bleve.SearchRequest
		err := json.NewDecoder(r.Body).Decode(&there)
		var res *bleve.SearchResult
		if err == nil {
			res, err = x.SearchInContext(r.Context(), &there)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if err := json.NewEncoder(w).Encode(res); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	return overHTTP{x, s.URL}
}

// shards are family in three parts, the last of which is remote.
func shards(t *testing.T) (all map[string]string, parts []bleve.Index) {
	t.Helper()
	all = map[string]string{}
	for i := range 12 {
		all[fmt.Sprint("near ", i)] = words(0, 400) + strings.Repeat("surplus ", i)
		all[fmt.Sprint("far ", i)] = words(500*i+500, 400)
	}
	for n := range 3 {
		x, docs := texts(t, nil, bleve.NewTextFieldMapping()), map[string]any{}
		x.SetName(fmt.Sprint("part ", n))
		for id, text := range all {
			if len(id)%2 == 0 && n == int(id[len(id)-1]-'0')%3 || len(id)%2 == 1 && n == int(id[len(id)-1]-'0'+1)%3 {
				docs[id] = map[string]any{"body": text}
			}
		}
		put(t, x, docs)
		if n == 2 {
			x = remote(t, x)
		}
		parts = append(parts, x)
	}
	return all, parts
}

// The fields "*" are all that a document has stored, but the signature, which has to be named.
func TestAllFields(t *testing.T) {
	t.Parallel()
	all, parts := shards(t)
	sketch := signature.Field(signature.DefaultField).Sketch()
	for _, verify := range []signature.Verify{{}, {Resemblance: .5}} {
		for _, fields := range [][]string{{"*"}, {"body", "*"}, {"*", sketch}} {
			r := near.SimilarRequest{Query: near.SimilarQuery{ID: "near 3", Verify: verify}, Fields: fields}
			res, err := near.Similar(t.Context(), bleve.NewIndexAlias(parts...), r)
			if err != nil || len(res.Hits) == 0 {
				t.Fatalf("%q: got %v, %v", fields, res, err)
			}
			for _, h := range res.Hits {
				_, named := h.Fields[sketch]
				if h.Fields["body"] != all[h.ID] || named != slices.Contains(fields, sketch) || h.Verified != verify.On() {
					t.Errorf("%q: hit %q: got %v", fields, h.ID, h.Fields)
				}
			}
		}
	}
}

// A member that fails is told of, and never reads as "no near-duplicate".
func TestSearchFailures(t *testing.T) {
	t.Parallel()
	_, parts := shards(t)
	down := httptest.NewServer(http.NotFoundHandler())
	defer down.Close()
	broken := overHTTP{parts[0], down.URL}
	ctx := context.Background()
	res, err := near.Similar(ctx, bleve.NewIndexAlias(parts[1], parts[2], broken), near.SimilarRequest{Query: near.SimilarQuery{Text: []string{words(0, 400)}, MaxShare: 1}})
	if err != nil || res.Status.Failed != 1 || res.TotalRelation != bleve.TotalRelationGte || len(res.Hits) == 0 {
		t.Errorf("one is down: got %+v, error %v", res, err)
	}
	for _, tt := range []struct {
		index bleve.Index
		r     near.SimilarRequest
		want  string
	}{
		{bleve.NewIndexAlias(broken, overHTTP{parts[1], down.URL}), near.SimilarRequest{Query: near.SimilarQuery{Signature: &signature.Signature{}}}, "2 of 2 members failed"},
		{bleve.NewIndexAlias(parts[1], broken), near.SimilarRequest{Query: near.SimilarQuery{ID: "nobody"}}, "1 of 2 members failed"},
		{parts[1], near.SimilarRequest{Query: near.SimilarQuery{ID: "nobody"}}, near.ErrNotFound.Error()},
		{bleve.NewIndexAlias(parts[1], parts[1]), near.SimilarRequest{Query: near.SimilarQuery{ID: "near 1"}}, "wanted it in one member"},
		{bleve.NewIndexAlias(parts[2], broken), near.SimilarRequest{Query: near.SimilarQuery{Text: []string{"a"}}}, "wanted a mapping to sign it by"},
		{parts[1], near.SimilarRequest{Query: near.SimilarQuery{Text: []string{"a"}}, Size: -1}, "wanted size and from of 0 or more, got -1 and 0"},
		{parts[1], near.SimilarRequest{}, "wanted one of text, signature and id"},
	} {
		res, err := near.Similar(ctx, tt.index, tt.r)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: got %v, error %v, want one with %q", tt.r, res, err, tt.want)
		}
		if tt.want == near.ErrNotFound.Error() && !errors.Is(err, near.ErrNotFound) {
			t.Errorf("%v does not wrap ErrNotFound", err)
		}
	}
	mapped := bleve.NewIndexAlias(parts[2])
	if err := mapped.SetIndexMapping(parts[1].Mapping()); err != nil {
		t.Fatal(err)
	}
	res, err = near.Similar(ctx, mapped, near.SimilarRequest{Query: near.SimilarQuery{Text: []string{words(0, 400)}}})
	if err != nil || len(res.Hits) == 0 {
		t.Errorf("a remote index and a mapping: got %v, error %v", res, err)
	}
}
