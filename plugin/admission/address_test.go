package admission_test

import (
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// Floods tell senders apart by what has bytes 0xff, which cut doc values: IP addresses, and keywords that are not UTF-8.
func TestFloodOfAddresses(t *testing.T) {
	t.Parallel()
	const body = "a short letter that is sent again and again from one address or from many of them at once"
	for _, pair := range []struct {
		field  string
		values [2]string
	}{
		{"ip", [2]string{"10.255.0.1", "10.0.0.2"}},
		{"ip", [2]string{"1.255.1.2", "1.2.255.1"}}, // the same pieces
		{"key", [2]string{"a\xffb\xff", "\xff"}},
	} {
		field, values := pair.field, pair.values
		m := bleve.NewIndexMapping()
		m.DefaultMapping.AddFieldMappingsAt("ip", bleve.NewIPFieldMapping())
		m.DefaultMapping.AddFieldMappingsAt("key", bleve.NewKeywordFieldMapping())
		plugin.AddSignature(m.DefaultMapping, "body")
		for name, tt := range map[string]struct {
			flood  admission.Flood
			reject [2]bool // what comes after one from the first: from the first, from the second
		}{
			"same":     {admission.Flood{Copies: 1, Window: time.Hour, Same: field}, [2]bool{true, false}},
			"distinct": {admission.Flood{Copies: 1, Window: time.Hour, Distinct: field}, [2]bool{false, true}},
		} {
			x, err := plugin.New("", m)
			if err == nil {
				err = plugin.SetPolicy(t.Context(), x, &admission.Policy{Flood: &tt.flood})
			}
			if err == nil {
				err = x.Index("a", map[string]any{"body": body, field: values[0]})
			}
			if err != nil {
				t.Fatal(err)
			}
			for i, value := range values {
				b := x.NewBatch()
				if err := b.Index("b", map[string]any{"body": body, field: value}); err != nil {
					t.Fatal(err)
				}
				v, err := plugin.DryRun(t.Context(), x, b)
				if err != nil || (v[0].Action == admission.Reject) != tt.reject[i] {
					t.Errorf("%s %s %q: got %+v, %v, want rejected %v", name, field, value, v, err, tt.reject[i])
				}
			}
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
