package shards_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin/cluster/shards"
	"github.com/neardup/bleve-neardup/plugin/near"
	"github.com/neardup/bleve-neardup/plugin/templates"
)

// A Set signs documents and texts without what its shards leave out, also if they begin to do
// so after it was made; and does neither while they leave out different templates.
func TestTemplates(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	var footer strings.Builder
	for i := range 450 {
		fmt.Fprintf(&footer, " f%d", i*i)
	}
	mail := func(n int) string {
		return fmt.Sprintf("mail %[1]d says %[2]d and %[3]d to %[1]d of %[2]d in %[3]d %[4]s", n, n*n, n*n*n, footer.String())
	}
	data := func(n int) any { return map[string]any{"project": "roses", "text": mail(n)} }
	source := locals(t, 1)[0]
	for i := range 20 {
		if err := source.Index(fmt.Sprint(i), data(i)); err != nil {
			t.Fatal(err)
		}
	}
	found, err := templates.Learn(ctx, source, templates.Options{Scope: "project"})
	if err != nil || len(found.Scopes) != 1 {
		t.Fatal(found, err)
	}
	for _, tt := range []struct {
		name string
		away bool
	}{{"local", false}, {"remote", true}} {
		own := locals(t, 3)
		all := append([]bleve.Index(nil), own...)
		if tt.away {
			all = overHTTP(t, own)
		}
		set := newTest(t, shards.FailClosed, all...)
		submit := func(n int) (shards.Outcome, error) {
			v, err := set.Submit(ctx, shards.Document{ID: fmt.Sprint("mail ", n), Data: data(n)})
			if err != nil {
				return shards.Outcome{}, err
			}
			return v[0], nil
		}
		if v, err := submit(100); err != nil || !v.Written {
			t.Fatal(tt.name, v, err)
		}
		if v, err := submit(101); err != nil || v.Written {
			t.Errorf("%s: as it is: got %+v, %v, want a near-duplicate", tt.name, v, err)
		}
		for i, x := range own {
			if _, err := templates.Use(ctx, x, found); err != nil {
				t.Fatal(err)
			}
			if i == 1 {
				if _, err := submit(102); err == nil || !strings.Contains(err.Error(), "wanted shards that leave the same templates out") {
					t.Errorf("%s: shards that differ: got %v", tt.name, err)
				}
				if _, err := set.Similar(ctx, near.SimilarRequest{Query: near.SimilarQuery{Text: []string{mail(1)}}}); err == nil || !strings.Contains(err.Error(), "got 2 that differ") {
					t.Errorf("%s: a text for shards that differ: got %v", tt.name, err)
				}
			}
		}
		for n := 103; n < 110; n++ {
			if v, err := submit(n); err != nil || !v.Written {
				t.Errorf("%s: mail %d: got %+v, %v, want it written", tt.name, n, v, err)
			}
		}
		again := shards.Document{ID: "again", Data: map[string]any{"text": "Mail 105 says 11025 and 1157625 to 105 of 11025 in 1157625", "project": "lilies"}}
		if v, err := set.Submit(ctx, again); err != nil || v[0].Written || v[0].Of == nil || v[0].Of.ID != "mail 105" {
			t.Errorf("%s: the text without the template: got %+v, %v", tt.name, v, err)
		}
		res, err := set.Similar(ctx, near.SimilarRequest{Query: near.SimilarQuery{Text: []string{mail(105)}, TextScope: "roses"}})
		if err != nil || len(res.Hits) != 1 || res.Hits[0].ID != "mail 105" {
			t.Errorf("%s: a text: got %+v, %v", tt.name, res, err)
		}
	}
}
