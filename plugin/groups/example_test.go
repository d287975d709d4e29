package groups_test

import (
	"context"
	"log"
	"os"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/groups"
)

func Example() {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	index, err := plugin.New("", m)
	if err != nil {
		log.Fatal(err)
	}
	defer index.Close()
	for id, body := range map[string]string{
		"page":   "The quick brown fox jumps over the lazy dog while the cat looks on from the wall.",
		"mirror": "THE QUICK BROWN FOX jumps over the lazy dog, while the cat looks on from the wall!",
		"other":  "A fox is a small animal of the dog family that lives in woods, fields and towns.",
	} {
		if err := index.Index(id, map[string]any{"body": body}); err != nil {
			log.Fatal(err)
		}
	}

	all := groups.All(context.Background(), index, groups.Options{})
	if err := groups.WriteJSON(os.Stdout, all); err != nil {
		log.Fatal(err)
	}
	// Output:
	// {"head":{"id":"mirror","tokens":17},"members":[{"id":"page","tokens":17,"agree":100,"hamming":0,"by":"exact+sketch+simhash","resemblance":1}]}
}

// Who quotes whom: a passage has 8 words here, since a mail has few.
func ExampleContained() {
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
	all := groups.Contained(context.Background(), index, groups.ContainedOptions{Share: 1})
	if err := groups.WriteContained(os.Stdout, all); err != nil {
		log.Fatal(err)
	}
	// Output:
	// {"part":{"id":"mail","tokens":16},"whole":{"id":"reply","tokens":25},"share":{"value":1,"stderr":0},"words":16,"verified":true}
}
