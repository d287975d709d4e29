package docs

import (
	"context"
	"fmt"
	"log"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/templates"
)

// mails are mails of one list, with the same footer.
func mails(n int) (texts []string) {
	for i := range n {
		texts = append(texts, fmt.Sprintf("Rose number %d flowers until day %d and costs %d cents when bought in week %d.\n%s", i, 3*i, 5*i, 7*i, footer))
	}
	return texts
}

const footer = "You get this mail because you subscribed to the list of roses. To leave the list, answer with the word stop."

// What the page templates.md shows.
func Example_templates() {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	index, err := plugin.New("", m)
	if err != nil {
		log.Fatal(err)
	}
	defer index.Close()
	for i, mail := range mails(30) {
		if err := index.Index(fmt.Sprint(i), map[string]any{"list": "roses", "body": mail}); err != nil {
			log.Fatal(err)
		}
	}
	ctx := context.Background()
	found, err := templates.Learn(ctx, index, templates.Options{Scope: "list"})
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range found.Scopes { // look at what will be left out
		fmt.Printf("%s: %.0f %% of the words of %d mails, such as %q\n", s.Name, 100*s.LeftOut, s.Documents, s.Passages[0].Text)
	}
	marked, err := templates.Use(ctx, index, found)
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range marked { // none: they have been marked as spam since Learn
		fmt.Printf("%s: of the mark %s: %q\n", m.Scope, m.Mark, m.Text)
	}
	// Output:
	// roses: 57 % of the words of 30 mails, such as "You get this mail because you subscribed to the list of roses. To leave the list, answer with the word stop"
}
