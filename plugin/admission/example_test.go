package admission_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

func Example() {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	index, err := plugin.New("", m)
	if err != nil {
		log.Fatal(err)
	}
	defer index.Close()
	err = plugin.SetPolicy(context.Background(), index, &admission.Policy{
		Near:   admission.Tag,
		Floods: []admission.Flood{{Copies: 2, Window: time.Hour}},
	})
	if err != nil {
		log.Fatal(err)
	}
	for i := range 3 {
		body := fmt.Sprint("Dear friend, you have won a great prize, write to us today and claim what is yours! ref ", i%2)
		verdict, err := plugin.Submit(context.Background(), index, fmt.Sprint("mail ", i), map[string]any{"body": body})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(verdict)
	}
	// Output:
	// document "mail 0": accept
	// document "mail 1": tag (near), a near-duplicate of "mail 0" (90 lanes agree, Hamming 5, by sketch)
	// document "mail 2": reject (flood), a near-duplicate of "mail 0", after 2 copies (100 lanes agree, Hamming 0, by exact+sketch+simhash)
}
