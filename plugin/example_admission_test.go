package plugin_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

const notice = "The office is closed on Friday for repairs of the roof; please take what you need home with you on Thursday."

// exampleIndex is an index in memory with a policy.
func exampleIndex(p *admission.Policy) bleve.Index {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	index, err := plugin.New("", m)
	if err != nil {
		log.Fatal(err)
	}
	if err := plugin.SetPolicy(context.Background(), index, p); err != nil {
		log.Fatal(err)
	}
	return index
}

// exampleBatch is a batch of two documents that are copies of each other.
func exampleBatch(index bleve.Index) *bleve.Batch {
	batch := index.NewBatch()
	for _, id := range []string{"a", "b"} {
		if err := batch.Index(id, map[string]any{"body": notice}); err != nil {
			log.Fatal(err)
		}
	}
	return batch
}

// What would become of a batch; nothing is written.
func ExampleDryRun() {
	index := exampleIndex(&admission.Policy{Near: admission.Reject})
	defer index.Close()
	verdicts, err := plugin.DryRun(context.Background(), index, exampleBatch(index))
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range verdicts {
		fmt.Println(v.ID, v.Action)
	}
	n, err := index.DocCount()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(n, "documents")
	// Output:
	// a accept
	// b reject
	// 0 documents
}

// A tag is a stored and indexed field: searches can leave out what has one, or ask for it.
func ExampleSubmitBatch() {
	index := exampleIndex(&admission.Policy{Near: admission.Tag})
	defer index.Close()
	if _, err := plugin.SubmitBatch(context.Background(), index, exampleBatch(index)); err != nil {
		log.Fatal(err)
	}
	tagged := bleve.NewTermQuery("near")
	tagged.SetField(admission.TagField)
	request := bleve.NewSearchRequest(tagged)
	request.Fields = []string{admission.OfField}
	result, err := index.Search(request)
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range result.Hits {
		fmt.Println(hit.ID, "is a copy of", hit.Fields[admission.OfField])
	}
	// Output: b is a copy of a
}

// What is wanted passes, however often it comes.
func ExampleOf() {
	index := exampleIndex(&admission.Policy{Near: admission.Reject})
	defer index.Close()
	inner, err := plugin.Of(index)
	if err != nil {
		log.Fatal(err)
	}
	if err := inner.MarkText(context.Background(), "office news", admission.Wanted, notice); err != nil {
		log.Fatal(err)
	}
	verdicts, err := plugin.SubmitBatch(context.Background(), index, exampleBatch(index))
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range verdicts {
		fmt.Println(v.ID, v.Action)
	}
	marks, err := inner.Marks()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(marks), "mark:", marks[0].Name)
	// Output:
	// a accept
	// b accept
	// 1 mark: office news
}

// An index on disk, closed and opened again. The policy is not kept with it.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "neardup")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "pages.bleve")

	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	index, err := plugin.New(path, m)
	if err != nil {
		log.Fatal(err)
	}
	if err := index.Index("a", map[string]any{"body": notice}); err != nil {
		log.Fatal(err)
	}
	if err := index.Close(); err != nil {
		log.Fatal(err)
	}

	if index, err = plugin.Open(path); err != nil {
		log.Fatal(err)
	}
	defer index.Close()
	sig, err := plugin.Sign(index, plugin.Field, notice)
	if err != nil {
		log.Fatal(err)
	}
	n, err := index.DocCount()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(n, "document;", sig.Tokens, "tokens,", sig.Lanes, "lanes")
	// Output: 1 document; 21 tokens, 100 lanes
}
