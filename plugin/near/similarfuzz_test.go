package near_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/neardup/bleve-neardup/plugin/near"
)

// Queries that are read are written the same, and get an answer or an error.
func FuzzQuery(f *testing.F) {
	for _, q := range []string{
		`{"text":"the quick brown fox"}`,
		`{"text":["the quick","brown fox"],"rule":{"hamming":2},"max_share":0.5}`,
		`{"id":"a","self":true,"scope":{"field":"scope","values":["x",""]}}`,
		`{"id":"a","backend":"terms","boost":-1e308}`,
		`{"signature":"AQ==","field":"nothing"}`,
		`{"text":"x","rule":{"mode":"simhash","lanes":0,"hamming":64}}`,
		`{"text":[],"id":""}`,
		`{"text":null}`,
		`{"text":{}}`,
	} {
		f.Add([]byte(`{"custom_filter":{"neardup":` + q + `}}`))
	}
	f.Add([]byte(`null`))
	f.Add([]byte(`{"custom_filter":{"neardup":null}}`))
	x := texts(f, nil)
	for id, body := range map[string]string{"a": "the quick brown fox jumps", "b": "THE QUICK brown fox jumps", "c": ""} {
		if err := x.Index(id, map[string]any{"body": body, "scope": "x"}); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		q := new(near.SimilarQuery)
		if json.Unmarshal(data, q) != nil {
			return
		}
		out, err := json.Marshal(q)
		if err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		again := new(near.SimilarQuery)
		if err := json.Unmarshal(out, again); err != nil {
			t.Fatalf("%s became %s: %v", data, out, err)
		}
		if twice, _ := json.Marshal(again); !bytes.Equal(out, twice) {
			t.Errorf("%s became %s", out, twice)
		}
		res, err := near.Similar(context.Background(), x, near.SimilarRequest{Query: *q})
		if err == nil && int(res.Total) > 3 {
			t.Errorf("%s: %d of 3 documents", data, res.Total)
		}
	})
}
