package admission_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// What ParsePolicy takes is valid, and is the same when it was written and read again.
func FuzzPolicy(f *testing.F) {
	for _, p := range policies {
		data, err := json.Marshal(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"rule":{"lanes":-1}}`))
	f.Add([]byte(`{"hidden":{"share":0.5,"min_words":20,"action":"reject"}}`))
	f.Add([]byte(`{"floods":[{"copies":1,"window":"1h"}],"repetition":{"limits":{"min_tokens":50,"top_token":0.2}}}`))
	f.Add([]byte(`{"near":"tag"}{"near":"reject"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := admission.ParsePolicy(data)
		if err != nil {
			return
		}
		out, err := json.Marshal(p)
		if err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		again, err := admission.ParsePolicy(out)
		if err != nil {
			t.Fatalf("%s became %s: %v", data, out, err)
		}
		if twice, _ := json.Marshal(again); !bytes.Equal(out, twice) {
			t.Errorf("%s became %s", out, twice)
		}
		sig := signature.Of(signature.DefaultParams(), data)
		mark := admission.Mark{Name: "m", Label: admission.Spam, Signature: &sig}
		if err := mark.Validate(); (err != nil) != (sig.Tokens == 0) {
			t.Error(err)
		}
	})
}
