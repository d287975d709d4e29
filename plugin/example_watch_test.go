package plugin_test

import (
	"context"
	"fmt"
	"log"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// What became of documents since the index was opened. The variable "bleve" of package
// expvar has the same for every index.
func Example_figures() {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	index, err := plugin.New("", m)
	if err != nil {
		log.Fatal(err)
	}
	defer index.Close()
	if err := plugin.SetPolicy(context.Background(), index, &admission.Policy{Near: admission.Tag}); err != nil {
		log.Fatal(err)
	}
	for _, id := range []string{"page", "mirror"} {
		body := "The quick brown fox jumps over the lazy dog while the cat looks on from the wall."
		if err := index.Index(id, map[string]any{"body": body}); err != nil {
			log.Fatal(err)
		}
	}
	figures := index.StatsMap()["index"].(map[string]any)
	for _, name := range []string{"neardup_signed", "neardup_judged", "neardup_tagged", "neardup_rejected"} {
		fmt.Println(name, figures[name])
	}
	// Output:
	// neardup_signed 2
	// neardup_judged 2
	// neardup_tagged 1
	// neardup_rejected 0
}
