package collapse_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
)

// bleve gives the doc values of IP addresses in pieces. Addresses of the same pieces in another order differ.
func TestByAddress(t *testing.T) {
	t.Parallel()
	m := newMapping("")
	m.DefaultMapping.AddFieldMappingsAt("address", bleve.NewIPFieldMapping())
	for _, open := range []func() (bleve.Index, error){
		func() (bleve.Index, error) { return plugin.New("", m) },
		func() (bleve.Index, error) { return bleve.New("", m) },
	} {
		x, err := open()
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		for i, address := range []string{"10.255.11.1", "11.1.255.10", "10.255.11.1", "10.11.1.255", "1.255.1.2", "1.2.255.1", "1.2.255.1"} {
			if err := x.Index(fmt.Sprint(i), map[string]any{"body": fmt.Sprint("text ", i), "address": address}); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 { // the second time, some might be in memory
			for _, whole := range []bool{false, true} {
				res, err := collapse.Search(t.Context(), x, byID(bleve.NewMatchAllQuery()), collapse.Options{By: &collapse.By{Field: "address"}, Whole: whole})
				if err != nil {
					t.Fatal(err)
				}
				var heads []string
				for _, hit := range res.Hits {
					heads = append(heads, hit.ID)
				}
				if want := []string{"0", "1", "3", "4", "5"}; !slices.Equal(heads, want) {
					t.Errorf("whole %v: got heads %v, want %v", whole, heads, want)
				}
			}
		}
	}
}
