package main

import (
	"encoding/json"
	"math/bits"
	"path/filepath"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/examples/internal/join"
)

// What --widths says is what plain loops say.
func TestWidths(t *testing.T) {
	t.Parallel()
	dir := data(t)
	stdout, _ := call(t, 0, "--widths", filepath.Dir(dir), "--json")
	var got widthsOf
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	c, err := readCorpus(filepath.Join(dir, "docs_7.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	sets, docs, err := exactSets(c.docs)
	if err != nil {
		t.Fatal(err)
	}
	if got.Documents != len(docs) || len(got.Rows) != 4 {
		t.Fatalf("got %+v", got)
	}
	for _, row := range got.Rows {
		want := widthRow{Width: row.Width, SimhashWidth: row.SimhashWidth, Of: 1}
		for j := range docs {
			for i := range j {
				a, b := signature.Of(row.params(), []byte(docs[i].Text)), signature.Of(row.params(), []byte(docs[j].Text))
				same := 0
				for lane := range lanes {
					if a.Lanes > 0 && b.Lanes > 0 && a.Sketch.Lane(lane) == b.Sketch.Lane(lane) {
						same++
					}
				}
				if same < 90 && (a.Simhash == 0 || b.Simhash == 0 || bits.OnesCount64(a.Simhash^b.Simhash) > 3) && a.Exact != b.Exact {
					continue
				}
				want.Taken++
				switch r := join.Resemblance(sets[i], sets[j]); {
				case r < .5:
					want.Unlike++
				case r < .65:
					want.Half++
				case r < .8:
					want.Near++
				}
				if docs[i].ID == "d0" && docs[j].ID == "d1" {
					want.Found++
				}
			}
		}
		if row != want || row.Taken == 0 {
			t.Errorf("got %+v, want %+v", row, want)
		}
	}
	call(t, 1, "--widths", dir)
	call(t, 2, "--widths", dir, "--short")
}
