package templates_test

import (
	"context"
	"fmt"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/templates"
)

func Example() {
	ctx := context.Background()
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	index, err := plugin.New("", m)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer index.Close()
	mail := func(list string, n int) any {
		return map[string]any{"list": list, "body": fmt.Sprintf("Rose %d flowers in June of year %d, until month %d.\n-- \nYou get this mail because you subscribed to the list of %s.", n, n+30, n+60, list)}
	}
	for i := range 20 {
		if err := index.Index(fmt.Sprint("roses-", i), mail("roses", i)); err != nil {
			fmt.Println(err)
			return
		}
	}

	found, err := templates.Learn(ctx, index, templates.Options{Scope: "list"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range found.Scopes {
		fmt.Printf("%s: %d mails, %.0f %% of the words, such as %q\n", s.Name, s.Documents, 100*s.LeftOut, s.Passages[0].Text)
	}
	if _, err := templates.Use(ctx, index, found); err != nil {
		fmt.Println(err)
		return
	}
	sig, err := plugin.SignScoped(index, plugin.Field, "roses", "Short.\n-- \nYou get this mail because you subscribed to the list of roses.")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("words that are signed:", sig.Tokens)
	// Output:
	// roses: 20 mails, 52 % of the words, such as "You get this mail because you subscribed to the list of roses"
	// words that are signed: 1
}
