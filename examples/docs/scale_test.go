package docs

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
)

// says reports an error unless a page has a row of a table.
func says(t *testing.T, text, row string) {
	t.Helper()
	t.Log(row)
	if !strings.Contains(text, row) {
		t.Errorf("the page does not say:\n%s", row)
	}
}

// What is kept of a document, counted, and times a billion.
func TestScaleBytes(t *testing.T) {
	t.Parallel()
	text := page(t, "figures.md")
	const n = 1e9
	a, _ := words(rand.New(rand.NewPCG(1, 2)), 450, 0)
	s := signature.Of(signature.DefaultParams(), []byte(a))
	binary, err := s.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	asText, err := s.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	keys := len(table.Plan{}.Keys(signature.Rule{}, s.Lanes).Append(nil, &s))
	many := len(table.Plan{Tables: 10}.Keys(signature.Rule{}, s.Lanes).Append(nil, &s))
	record := 8 * (4 + len(s.Sketch)) // of package ondisk
	for _, f := range []struct {
		what  string
		bytes int
	}{
		{"signature, stored", len(binary)},
		{"the same as base64, the stored field", len(asText)},
		{"in memory, to fold results", 128},
		{"in memory, for lookups: tables besides", 128 + 71}, // of a million: BenchmarkFrozen of package table
		{"batch: the file of signatures", record},
		{fmt.Sprintf("batch: rows of %d keys", keys), 12 * keys},
		{fmt.Sprintf("Beam: rows of %d keys, 30 bytes each", many-1), 30 * (many - 1)},
	} {
		says(t, text, fmt.Sprintf("| %s | %d | %.0f GB |", f.what, f.bytes, float64(f.bytes)*n/1e9))
	}
}

// A billion documents in batch, on one machine.
func TestScaleBatch(t *testing.T) {
	t.Parallel()
	text := page(t, "figures.md")
	const billion = 1e9
	const rate = 415e6  // bytes a second, the README's
	const each = 6.5e-6 // seconds, as the page measures it
	says(t, text, fmt.Sprintf("need %.3g GB of memory, %d GB of disk for signatures and %d GB for rows", (billion*4.25+16*1024*1024)/1e9, 232, 192))
	says(t, text, fmt.Sprintf("Signing 5 KB each takes %.1f h", billion*5000/rate/3600))
	says(t, text, fmt.Sprintf("grouping %.1f h", billion*each/3600))
}
