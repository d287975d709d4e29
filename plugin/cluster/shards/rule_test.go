package shards_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/cluster/shards"
	"github.com/neardup/bleve-neardup/plugin/near"
)

func ruled(t *testing.T, lanes int) *mapping.IndexMappingImpl {
	t.Helper()
	m := bleve.NewIndexMapping()
	config := map[string]any{"type": "neardup"}
	if lanes > 0 {
		config["rule"] = map[string]any{"lanes": lanes}
	}
	if err := m.AddCustomAnalyzer("own", config); err != nil {
		t.Fatal(err)
	}
	m.DefaultMapping.AddFieldMappingsAt("text", bleve.NewTextFieldMapping(), plugin.FieldMapping("own"))
	return m
}

// The rule of shards in other processes: from the mapping of the Set or the alias, or else as they
// say, and by it all of them compare. Two that differ are an error, and so are none that are sure.
func TestFieldRule(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	words := strings.Fields("a fox is a small animal of the dog family that lives in woods and fields near towns and villages of all the north")
	texts := []string{strings.Join(words, " ")}
	for i := range 3 { // a changed word each; resemblances of about .7 and .5
		changed := slices.Clone(words)
		changed[4+7*i] = fmt.Sprint("word", i)
		texts = append(texts, strings.Join(changed, " "))
	}
	open := func(lanes int) bleve.Index {
		x, err := plugin.New("", ruled(t, lanes))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		x.SetName(fmt.Sprint("shard of ", lanes))
		return x
	}
	fill := func(all ...bleve.Index) {
		for i, text := range texts {
			if err := all[i%len(all)].Index(fmt.Sprint(i), map[string]any{"text": text}); err != nil {
				t.Fatal(err)
			}
		}
	}
	request := bleve.NewSearchRequest(query.NewMatchAllQuery())
	request.SortBy([]string{"_id"})
	look := func(x bleve.Index, rule signature.Rule) (visible, alike int, err error) {
		res, err := collapse.Search(ctx, x, request, collapse.Options{Rule: rule})
		if err != nil {
			return 0, 0, err
		}
		similar, err := near.Similar(ctx, x, near.SimilarRequest{Query: near.SimilarQuery{ID: "0", Rule: rule}})
		if err != nil {
			return 0, 0, err
		}
		for _, h := range similar.Hits {
			if h.By == 0 {
				t.Errorf("hit %s by no test", h.ID)
			}
		}
		return len(res.Hits), len(similar.Hits), nil
	}
	one, other, strict := open(50), open(50), open(0)
	one.SetName("one")
	fill(one, other)
	fill(strict)
	far := overHTTP(t, []bleve.Index{one, other, strict})
	for _, tt := range []struct {
		what          string
		x             bleve.Index
		rule          signature.Rule
		visible, near int
	}{
		{"the shards say", bleve.NewIndexAlias(far[0], far[1]), signature.Rule{}, 1, 3},
		{"a shard has no rule of its own", bleve.NewIndexAlias(far[2]), signature.Rule{}, 4, 0},
		{"the caller says", bleve.NewIndexAlias(far[0], far[1]), signature.Rule{Lanes: 90}, 4, 0},
		{"a local shard says", bleve.NewIndexAlias(one, far[1]), signature.Rule{}, 1, 3},
	} {
		for range 2 {
			visible, near, err := look(tt.x, tt.rule)
			if err != nil || visible != tt.visible || near != tt.near {
				t.Errorf("%s: got %d visible, %d near, %v; want %d, %d", tt.what, visible, near, err, tt.visible, tt.near)
			}
		}
	}
	_, _, err := look(bleve.NewIndexAlias(far[0], far[2]), signature.Rule{})
	if err == nil || !strings.Contains(err.Error(), `field "neardup": wanted one rule of all indexes, got {Lanes:50`) {
		t.Errorf("shards that differ: got error %v", err)
	}

	// A Set goes by its own mapping, whatever that of a shard is.
	set, err := shards.New(ruled(t, 50), shards.Options{}, far[2])
	if err != nil {
		t.Fatal(err)
	}
	res, err := set.Search(ctx, request, collapse.Options{})
	if err != nil || len(res.Hits) != 1 {
		t.Errorf("a Set: got %v, %v, want 1 hit", res, err)
	}
	found, err := set.Similar(ctx, near.SimilarRequest{Query: near.SimilarQuery{ID: "0"}})
	if err != nil || len(found.Hits) != 3 {
		t.Errorf("a Set: got %v, %v, want 3 near-duplicates", found, err)
	}
	outcomes, err := set.Submit(ctx, shards.Document{ID: "new", Data: map[string]any{"text": strings.Replace(texts[0], "villages", "hamlets", 1)}})
	if err != nil || outcomes[0].Written {
		t.Errorf("a Set: got %+v, %v, want a near-duplicate", outcomes, err)
	}
	strictSet, err := shards.New(ruled(t, 0), shards.Options{}, far[0], far[1])
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err = strictSet.Submit(ctx, shards.Document{ID: "new", Data: map[string]any{"text": strings.Replace(texts[0], "villages", "hamlets", 1)}})
	if err != nil || !outcomes[0].Written {
		t.Errorf("a Set with the default rule: got %+v, %v, want it written, whatever the rule of the shards is", outcomes, err)
	}
}
