package near_test

import (
	"context"
	"fmt"
	"log"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// A reply that quotes a mail, found by the mail. A mail has few words, so passages of 8 words count here.
func ExamplePassages() {
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
		"mail":  "Dear all, the meeting is moved to Friday at ten, in the large room on the second floor.",
		"reply": "I cannot come.\n> The meeting is moved to friday at ten, in\n> the large room on the second floor.\nCan somebody take notes for me?",
		"other": "The meeting was long, and nobody took notes.",
	} {
		if err := index.Index(id, map[string]any{"body": body}); err != nil {
			log.Fatal(err)
		}
	}
	result, err := near.Passages(context.Background(), index, near.PassagesRequest{Query: near.PassagesQuery{ID: "mail"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range result.Hits {
		fmt.Printf("%s has %d of %d words\n", hit.ID, hit.Words, result.Words)
		for _, p := range hit.Passages {
			fmt.Printf("%q\n", p.Text)
		}
	}
	// Output:
	// reply has 16 of 18 words
	// "The meeting is moved to friday at ten, in\n> the large room on the second floor"
}
