package admission_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

const prize = "Dear friend, you have won a great prize: write to us today and claim what is yours before it is too late."

// mailIndex is an empty index whose documents have a tenant.
func mailIndex(p *admission.Policy) bleve.Index {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	tenant := bleve.NewTextFieldMapping()
	tenant.Analyzer = keyword.Name
	m.DefaultMapping.AddFieldMappingsAt("tenant", tenant)
	index, err := plugin.New("", m)
	if err != nil {
		log.Fatal(err)
	}
	if err := plugin.SetPolicy(context.Background(), index, p); err != nil {
		log.Fatal(err)
	}
	return index
}

// post writes a mail and prints what became of it.
func post(index bleve.Index, id, tenant, body string) {
	verdict, err := plugin.Submit(context.Background(), index, id, map[string]any{"body": body, "tenant": tenant})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(verdict)
}

// An operator marks what is spam, and takes it back.
func ExampleMark() {
	index := mailIndex(&admission.Policy{Known: admission.Reject})
	defer index.Close()
	post(index, "mail 1", "acme", prize)
	text, err := plugin.SignatureOf(index, plugin.Field, "mail 1")
	if err != nil {
		log.Fatal(err)
	}
	mark := admission.Mark{Name: "prize", Label: admission.Spam, Expires: time.Now().Add(90 * 24 * time.Hour), Signature: text}
	inner, err := plugin.Of(index)
	if err != nil {
		log.Fatal(err)
	}
	if err := inner.SetMark(context.Background(), mark); err != nil {
		log.Fatal(err)
	}
	post(index, "mail 2", "acme", prize+" PS")
	if err := inner.Unmark(context.Background(), "prize"); err != nil {
		log.Fatal(err)
	}
	post(index, "mail 3", "acme", prize+" PS")
	// Output:
	// document "mail 1": accept
	// document "mail 2": reject (known), a near-duplicate of what is marked "prize" (94 lanes agree, Hamming 3, by sketch+simhash)
	// document "mail 3": accept
}

// With a scope, what one tenant has says nothing of another.
func ExamplePolicy_scope() {
	index := mailIndex(&admission.Policy{Near: admission.Reject, Scope: "tenant"})
	defer index.Close()
	post(index, "mail 1", "acme", prize)
	post(index, "mail 2", "other", prize)
	post(index, "mail 3", "acme", prize)
	// Output:
	// document "mail 1": accept
	// document "mail 2": accept
	// document "mail 3": reject (near), a near-duplicate of "mail 1" (100 lanes agree, Hamming 0, by exact+sketch+simhash)
}

// The newest version takes the place of the one before, by a policy from JSON.
func ExampleParsePolicy() {
	p, err := admission.ParsePolicy([]byte(`{"near": "replace"}`))
	if err != nil {
		log.Fatal(err)
	}
	index := mailIndex(p)
	defer index.Close()
	post(index, "version 1", "acme", prize)
	verdict, err := plugin.Submit(context.Background(), index, "version 2", map[string]any{"body": prize + " New!"})
	if err != nil {
		log.Fatal(err)
	}
	n, err := index.DocCount()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(verdict.Action, verdict.Replaced, "and leaves", n, "document")
	// Output:
	// document "version 1": accept
	// replace [version 1] and leaves 1 document
}

// In shadow a policy refuses nothing, and tells what it would have done.
func ExamplePolicy_shadow() {
	index := mailIndex(&admission.Policy{Near: admission.Reject, Shadow: true})
	defer index.Close()
	for _, id := range []string{"mail 1", "mail 2"} {
		verdict, err := plugin.Submit(context.Background(), index, id, map[string]any{"body": prize})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %s, would be %q\n", id, verdict.Action, verdict.Would)
	}
	// Output:
	// mail 1: accept, would be ""
	// mail 2: tag, would be "reject"
}

// bleve's own calls return an error that tells what was refused; all else is written.
func ExampleRejected() {
	index := mailIndex(&admission.Policy{Near: admission.Reject})
	defer index.Close()
	batch := index.NewBatch()
	for id, body := range map[string]string{"1": prize, "2": prize, "3": "Minutes of the meeting on Monday."} {
		if err := batch.Index(id, map[string]any{"body": body}); err != nil {
			log.Fatal(err)
		}
	}
	err := index.Batch(batch)
	var refused *admission.Rejected
	if !errors.As(err, &refused) {
		log.Fatal(err)
	}
	n, err := index.DocCount()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(n, "written, refused:", refused.Verdicts[0].ID)
	// Output: 2 written, refused: 2
}
