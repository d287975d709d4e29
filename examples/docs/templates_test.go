package docs

import (
	"context"
	"fmt"
	"log"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/templates"
)

// mails are mails of one list, with the same footer.
func mails(n int) (texts []string) {
	for i := range n {
		texts = append(texts, fmt.Sprintf("Rose number %d flowers in June and smells of apples.\n%s", i, footer))
	}
	return texts
}

const footer = "You get this mail because you subscribed to the list of roses. To leave the list, answer with the word stop."

// What the page templates.md shows.
func Example_templates() {
	params := signature.DefaultParams()
	learner, err := template.NewLearner(params.ID(), template.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, mail := range mails(100) {
		learner.Add(params.Hashes(nil, []byte(mail)))
	}
	found := learner.Learn()
	fmt.Println(found.Documents, "mails, shingles that many of them share:", found.Set.Len())

	// Look at what will be left out, in one of the mails.
	mail := []byte(mails(8)[7])
	words := token.Split(mail)
	for _, run := range found.Set.Runs(params.Hashes(nil, mail)) {
		fmt.Printf("left out: %.60s...\n", mail[words[run.From].Start:words[run.To-1].End])
	}

	maker, err := signature.NewMaker(params)
	if err != nil {
		log.Fatal(err)
	}
	if err := maker.Without(found.Set); err != nil {
		log.Fatal(err)
	}
	maker.Text([]byte("A text.\n" + footer))
	with := maker.Signature()
	without := signature.Of(params, []byte("A text."))
	fmt.Println("equal with the footer and without:", with.Exact == without.Exact)
	// Output:
	// 100 mails, shingles that many of them share: 25
	// left out: flowers in June and smells of apples.
	// You get this mail beca...
	// equal with the footer and without: true
}

// What the page templates.md shows of an index.
func Example_templatesOfIndex() {
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
	// roses: 90 % of the words of 30 mails, such as "flowers in June and smells of apples.\nYou get this mail because you subscribed to the list of roses. To leave the list, answer with the word stop"
}
