package near_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin/near"
)

// Members of an alias may have documents of the same ids and texts. What is then left to tell
// them apart is the name of the index, whatever the order of the members: within a group, and
// among groups of the same size, text and ids.
func TestTies(t *testing.T) {
	t.Parallel()
	const body = "the quick brown fox jumps over the lazy dog near the wall of the old house at the end of the road"
	var parts []bleve.Index
	for _, name := range []string{"c", "a", "b"} {
		x, doc := newValued(t, name), map[string]any{"more": body, "tenant": name}
		put(t, x, map[string]any{"x": doc, "y": doc})
		parts = append(parts, x)
	}
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}} {
		alias := bleve.NewIndexAlias(parts[order[0]], parts[order[1]], parts[order[2]])
		for _, by := range []near.By{near.Leaders, near.Components} {
			for _, tt := range []struct {
				within []string
				want   []string
			}{
				{nil, []string{"[x/a x/b x/c y/a y/b y/c]"}},
				{[]string{"tenant"}, []string{"[x/a y/a]", "[x/b y/b]", "[x/c y/c]"}},
			} {
				var got []string
				for c, err := range near.Groups(context.Background(), alias, near.GroupsOptions{By: by, Within: tt.within}) {
					if err != nil {
						t.Fatal(err)
					}
					names := []string{c.Head.ID + "/" + c.Head.Index}
					for _, m := range c.Members {
						names = append(names, m.ID+"/"+m.Index)
					}
					got = append(got, fmt.Sprint(names))
				}
				if !slices.Equal(got, tt.want) {
					t.Errorf("members %v, %s, within %q: got %q, want %q", order, by, tt.within, got, tt.want)
				}
			}
		}
	}
}
