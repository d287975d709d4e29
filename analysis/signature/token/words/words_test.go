package words_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/token/words"
)

func TestNoAllocations(t *testing.T) {
	var w words.Scanner
	text := []byte(strings.Repeat("Some plain words, a few naïve ones and 日本語; ", 100))
	if n := testing.AllocsPerRun(10, func() {
		w.Reset(text)
		for w.Next() != nil {
		}
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func ExampleScanner() {
	var w words.Scanner
	w.Reset([]byte("A rose is a ROSE; isn’t it? 日本"))
	for word := w.Next(); word != nil; word = w.Next() {
		fmt.Print(string(word), "|")
	}
	// Output: a|rose|is|a|rose|isn't|it|日|本|
}

func BenchmarkScan(b *testing.B) {
	for _, bb := range []struct{ name, text string }{
		{"english", strings.Repeat("The quick brown fox jumps over the lazy dog; it isn't amused, and neither is v1.2 of LLVM's documentation. ", 30)},
		{"japanese", strings.Repeat("素早い茶色の狐がのろまな犬を飛び越えるコーヒー。", 40)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			var w words.Scanner
			text := []byte(bb.text)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				w.Reset(text)
				for w.Next() != nil {
				}
			}
		})
	}
}
