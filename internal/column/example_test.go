package column_test

import (
	"fmt"
	"log"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/plugin"
)

// The signatures of an index of type neardup, by document number.
func Example() {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	index, err := plugin.New("", m)
	if err != nil {
		log.Fatal(err)
	}
	defer index.Close()
	if err := index.Index("a", map[string]any{"body": "The quick brown fox jumps over the lazy dog."}); err != nil {
		log.Fatal(err)
	}

	inner, err := index.Advanced()
	if err != nil {
		log.Fatal(err)
	}
	snapshot, err := inner.Reader()
	if err != nil {
		log.Fatal(err)
	}
	defer snapshot.Close()
	sig, err := column.Of(snapshot, signature.DefaultField).Signature(0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sig.Tokens, "tokens,", sig.Shingles, "shingles")
	// Output:
	// 9 tokens, 6 shingles
}
