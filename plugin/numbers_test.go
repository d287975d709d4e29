package plugin_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
)

// An index of two hundred bills that differ in a sum and a number, and each of them once more
// in another layout: each bill hides its mirror, and nothing else.
func TestBills(t *testing.T) {
	t.Parallel()
	m := bleve.NewIndexMapping()
	if err := m.AddCustomAnalyzer("bills", map[string]any{"type": "neardup", "numbers": "equal"}); err != nil {
		t.Fatal(err)
	}
	m.DefaultMapping.AddFieldMappingsAt("body", bleve.NewTextFieldMapping(), plugin.FieldMapping("bills"))
	x := opened(t, "", m)
	text := strings.Repeat("Please pay the sum of this bill within a month of its date; complaints can be made in writing, or at the desk in the hall. ", 2)
	batch := x.NewBatch()
	const bills = 200
	for i := range bills {
		bill := fmt.Sprintf("%sBill %04d. %s EUR %d.%02d", text, i, "In all this makes", 20+i%80, i%100)
		for id, body := range map[string]string{"a": bill, "b": strings.ReplaceAll(strings.ToUpper(bill), ". ", ".\n")} {
			if err := batch.Index(fmt.Sprintf("%04d%s", i, id), map[string]any{"body": body}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := x.Batch(batch); err != nil {
		t.Fatal(err)
	}
	request := bleve.NewSearchRequestOptions(bleve.NewMatchQuery("bill"), bills+1, 0, false)
	request.SortBy([]string{"_id"})
	result, err := collapse.Search(context.Background(), x, request, collapse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for hit, place := range result.All() {
		if want := fmt.Sprintf("%04da", n); hit.ID != want || len(place.Copies) != 1 || place.Copies[0].ID != fmt.Sprintf("%04db", n) {
			t.Fatalf("got %s with %+v, want %s with its mirror alone", hit.ID, place.Copies, want)
		}
		n++
	}
	if n != bills {
		t.Errorf("got %d groups, want %d", n, bills)
	}
}
