package signature_test

import (
	"testing"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/token/lowercase"
	"github.com/blevesearch/bleve/v2/analysis/token/shingle"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
)

// BenchmarkBleveShingle is bleve's own shingle filter over the documents of
// BenchmarkOf/3KB, so that one run gives the ratio. It stops at terms, where Of goes on to
// the sketch and the simhash.
func BenchmarkBleveShingle(b *testing.B) {
	const size = 3000
	docs := english(b, size)
	analyzer := analysis.DefaultAnalyzer{
		Tokenizer: unicode.NewUnicodeTokenizer(),
		TokenFilters: []analysis.TokenFilter{
			lowercase.NewLowerCaseFilter(),
			shingle.NewShingleFilter(4, 4, false, " ", "_"),
		},
	}
	var buf []byte
	b.SetBytes(size)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		// The filter lower-cases in place. Without a copy, which takes a thousandth of the
		// time, only the first round would have work to do.
		buf = append(buf[:0], docs[i%len(docs)]...)
		analyzer.Analyze(buf)
	}
}

// BenchmarkBleveTokenizer is bleve's own tokenizer alone, over the same documents.
func BenchmarkBleveTokenizer(b *testing.B) {
	const size = 3000
	docs := english(b, size)
	tokenizer := unicode.NewUnicodeTokenizer()
	b.SetBytes(size)
	for i := 0; b.Loop(); i++ {
		tokenizer.Tokenize(docs[i%len(docs)])
	}
}
