package collapse_test

import (
	"context"
	"fmt"
	"log"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
)

// Of a mail and the reply that quotes it, the reply is shown: it has all of the mail.
func ExampleOptions_contained() {
	m := bleve.NewIndexMapping()
	if err := m.AddCustomAnalyzer("quoted", map[string]any{"type": neardup.Name, "passages": 8}); err != nil {
		log.Fatal(err)
	}
	m.DefaultMapping.AddFieldMappingsAt("body", bleve.NewTextFieldMapping(), plugin.FieldMapping("quoted"))
	index, err := plugin.New("", m)
	if err != nil {
		log.Fatal(err)
	}
	defer index.Close()
	for id, body := range map[string]string{
		"mail":  "The meeting is moved to Friday at ten, in the large room on the second floor.",
		"reply": "I cannot come.\n> The meeting is moved to friday at ten, in\n> the large room on the second floor.\nCan somebody take notes for me?",
		"other": "The meeting was long, and nobody took notes.",
	} {
		if err := index.Index(id, map[string]any{"body": body}); err != nil {
			log.Fatal(err)
		}
	}
	request := bleve.NewSearchRequest(bleve.NewMatchQuery("meeting"))
	request.SortBy([]string{"_id"})
	options := collapse.Options{Contained: .9, Complete: true}
	result, err := collapse.Search(context.Background(), index, request, options)
	if err != nil {
		log.Fatal(err)
	}
	for _, g := range result.Groups {
		fmt.Println(g.Head.ID)
		for _, m := range g.Members {
			fmt.Printf("  %s: %.0f %% of it, %.0f %% of the head\n", m.ID, 100*m.Contained.InHead.Value, 100*m.Contained.OfHead.Value)
		}
	}
	// Output:
	// reply
	//   mail: 100 % of it, 64 % of the head
	// other
}
