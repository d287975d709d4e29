package plugin_test

import (
	"context"
	"fmt"
	"log"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// A feed reader marks all copies as read: it keeps the name of their group, which stays when copies come, change and
// go. The results fold by it like by any field.
func Example_group() {
	ctx, index := context.Background(), exampleIndex(&admission.Policy{Group: true})
	defer index.Close()
	read := map[string]bool{} // what the application keeps
	submit := func(id, body string) {
		v, err := plugin.Submit(ctx, index, id, map[string]any{"body": body})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: founded %v, read %v\n", id, v.Founded, read[v.Group])
	}
	submit("agency", notice)
	submit("weather", "It will rain all day on Friday, and be dry again by Saturday noon.")
	all := bleve.NewSearchRequest(bleve.NewMatchAllQuery())
	all.Fields = []string{admission.GroupField}
	all.SortBy([]string{"_id"})
	page, err := collapse.Search(ctx, index, all, collapse.Options{By: &collapse.By{Field: admission.GroupField}})
	if err != nil {
		log.Fatal(err)
	}
	read[page.Hits[0].Fields[admission.GroupField].(string)] = true // of the agency
	submit("daily", notice+" (Agency)")
	if err := index.Delete("agency"); err != nil {
		log.Fatal(err)
	}
	submit("weekly", notice)
	// Output:
	// agency: founded true, read false
	// weather: founded true, read false
	// daily: founded false, read true
	// weekly: founded false, read true
}
