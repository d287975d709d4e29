package explain_test

import (
	"context"
	"fmt"
	"log"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse/explain"
	"github.com/neardup/bleve-neardup/plugin"
)

// Which words a copy has that its head lacks.
func Example() {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	index, err := plugin.New("", m)
	if err != nil {
		log.Fatal(err)
	}
	defer index.Close()
	const text = "The tools are on the shelf in the hall, next to the ladder; bring them back before dark, clean and dry, or tell us."
	for id, body := range map[string]string{"a": text, "b": text + " Thanks!"} {
		if err := index.Index(id, map[string]any{"body": body}); err != nil {
			log.Fatal(err)
		}
	}
	pairs := []explain.Pair{{Head: explain.Document{ID: "a"}, Member: explain.Document{ID: "b"}}}
	if err := explain.Pairs(context.Background(), index, plugin.Field, explain.Options{}, pairs); err != nil {
		log.Fatal(err)
	}
	e := pairs[0].Explanation
	fmt.Println(e.Shared, "shingles shared; only in the copy:", e.Member.Own, e.Member.OwnText[0].Text)
	// Output: 21 shingles shared; only in the copy: 1 or tell us. Thanks
}
