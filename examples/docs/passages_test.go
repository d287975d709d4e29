package docs

import (
	"context"
	"fmt"
	"log"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/near"
)

const (
	licence = "Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files, to deal in the software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and sell copies of the software, and to permit persons to whom the software is furnished to do so."
	essay   = "As is well known, permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files, to deal in the software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and sell copies of it."
)

// The code of passages.md.
func Example_passages() {
	ctx := context.Background()
	m := bleve.NewIndexMapping()
	if err := m.AddCustomAnalyzer("quoted", map[string]any{"type": neardup.Name, "passages": 40}); err != nil {
		log.Fatal(err)
	}
	m.DefaultMapping.AddFieldMappingsAt("body", bleve.NewTextFieldMapping(), plugin.FieldMapping("quoted"))
	index, err := plugin.New("", m)
	if err != nil {
		log.Fatal(err)
	}
	defer index.Close()
	if err := index.Index("mit", map[string]any{"body": licence}); err != nil {
		log.Fatal(err)
	}
	result, err := near.Passages(ctx, index, near.PassagesRequest{Query: near.PassagesQuery{Text: []string{essay}}})
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range result.Hits {
		fmt.Printf("%s: %.0f %% of the essay, %.0f %% of it\n", hit.ID, 100*hit.InHit.Value, 100*hit.OfHit.Value)
		for _, p := range hit.Passages {
			fmt.Printf("  words %d to %d: %q\n", p.Given.From+1, p.Given.To, p.Text)
		}
	}
	// Output:
	// mit: 90 % of the essay, 75 % of it
	//   words 5 to 48: "Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files, to deal in the software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and sell copies of"
}
