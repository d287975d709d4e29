package repetition_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/repetition"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// naive counts with maps of strings, one definition after another, as in DataTrove's
// filter.
func naive(values ...string) (f repetition.Figures) {
	var all [][]string
	bytes, top := 0, 0
	times := map[string]int{}
	for _, v := range values {
		bytes += len(v)
		words := words(v)
		all = append(all, words)
		for _, w := range words {
			f.Tokens++
			times[w]++
			top = max(top, times[w])
		}
	}
	if f.Tokens == 0 {
		return f
	}
	f.TopToken = float64(top) / float64(f.Tokens)
	f.Top2 = float64(findTop(nGrams(all, 2))) / float64(bytes)
	f.Top3 = float64(findTop(nGrams(all, 3))) / float64(bytes)
	f.Duplicate5 = float64(findAllDuplicate(all, 5)) / float64(bytes)
	f.Duplicate10 = float64(findAllDuplicate(all, 10)) / float64(bytes)
	return f
}

func words(text string) (all []string) {
	for _, t := range token.Split([]byte(text)) {
		all = append(all, string(t.Term))
	}
	return all
}

func nGrams(values [][]string, n int) (all []string) {
	for _, words := range values {
		for i := 0; i+n <= len(words); i++ {
			all = append(all, strings.Join(words[i:i+n], " "))
		}
	}
	return all
}

// findTop returns the size of the most frequent element times its frequency, for the first
// of several, and 0 if no element occurs twice.
func findTop(elements []string) uint64 {
	times := map[string]int{}
	most := 1
	for _, e := range elements {
		times[e]++
		most = max(most, times[e])
	}
	if most == 1 {
		return 0
	}
	for _, e := range elements {
		if times[e] == most {
			return uint64(len(e) * most)
		}
	}
	return 0
}

func findAllDuplicate(values [][]string, n int) (bytes uint64) {
	unique := map[string]bool{}
	for _, words := range values {
		for i := 0; i+n <= len(words); {
			gram := strings.Join(words[i:i+n], " ")
			if unique[gram] {
				bytes += uint64(len(gram) - (n - 1))
				i += n
			} else {
				unique[gram] = true
				i++
			}
		}
	}
	return bytes
}

// check compares a document's figures with the oracle. It uses the Counter twice, so that
// anything left over from a document is noticed.
func check(t *testing.T, c *repetition.Counter, values ...string) {
	t.Helper()
	want := naive(values...)
	for range 2 {
		for _, v := range values {
			c.Text([]byte(v))
		}
		if got := c.Figures(); got != want {
			t.Fatalf("%.200q:\ngot  %+v\nwant %+v", values, got, want)
		}
	}
}

func TestRealText(t *testing.T) {
	t.Parallel()
	c := repetition.NewCounter()
	var some []string
	for i, d := range neartest.Shipped(t) {
		if i%100 == 0 {
			check(t, c, d.Text)
		}
		if some = append(some, d.Text); i%300 == 299 {
			check(t, c, some[:9]...)
			check(t, c, strings.Join(some[:20], "\n\n"), some[7])
			some = nil
		}
	}
}

// The data sets that are present: mail, messages, and text of letters without spaces.
func TestDataSets(t *testing.T) {
	for _, set := range []struct {
		name  string
		every int
	}{
		{"enron-spam/docs.jsonl.gz", 20},
		{"sms-spam/docs.jsonl.gz", 5},
		{"manpages-cjk/docs_ja.jsonl.gz", 40},
		{"manpages-cjk/docs_zh_CN.jsonl.gz", 40},
	} {
		t.Run(set.name, func(t *testing.T) {
			t.Parallel()
			c := repetition.NewCounter()
			for i, d := range neartest.FirstDocs(t, set.name, 1000) {
				if i%set.every == 0 && len(d.Text) < 200_000 {
					check(t, c, d.Text)
				}
			}
		})
	}
}

// stuffed returns text of few words and phrases, in lines and paragraphs.
func stuffed(rnd *rand.Rand, vocabulary []string, size int) string {
	var b strings.Builder
	var phrases []string
	for range 1 + rnd.IntN(6) {
		var p []string
		for range 1 + rnd.IntN(14) {
			p = append(p, vocabulary[rnd.IntN(len(vocabulary))])
		}
		phrases = append(phrases, strings.Join(p, " "))
	}
	ends := []string{" ", " ", ", ", ". ", "\n", "\n\n", "\r\n", "\r\n\r\n", "\n\n\n", "\n \n"}
	for b.Len() < size {
		if rnd.IntN(3) > 0 {
			b.WriteString(phrases[rnd.IntN(len(phrases))])
		} else {
			b.WriteString(vocabulary[rnd.IntN(len(vocabulary))])
		}
		b.WriteString(ends[rnd.IntN(len(ends))])
	}
	return b.String()
}

func TestStuffing(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	var many []string
	for i := range 5000 {
		many = append(many, fmt.Sprintf("w%d", i*i))
	}
	for _, vocabulary := range [][]string{
		{"cheap"},
		{"cheap", "watches", "Buy", "now!!"},
		many[:40], many,
		strings.Split("格安 時計 今 すぐ 買う ブランド 한국어 ก ข", " "),
	} {
		for range 16 {
			c := repetition.NewCounter()
			for _, size := range []int{0, 10, 60, 2000} {
				check(t, c, stuffed(rnd, vocabulary, size))
				check(t, c, stuffed(rnd, vocabulary, size), "", "\n", stuffed(rnd, vocabulary, size/2))
			}
		}
		check(t, repetition.NewCounter(), stuffed(rnd, vocabulary, 100_000))
	}
}

func FuzzFigures(f *testing.F) {
	rnd := rand.New(rand.NewPCG(5, 6))
	f.Add("", "")
	f.Add("a a a a a\n\na a a a a\r\na", "\n\n\r\r\n\n")
	f.Add(stuffed(rnd, []string{"buy", "now", "買"}, 500), stuffed(rnd, []string{"buy", "it"}, 100))
	f.Fuzz(func(t *testing.T, a, b string) { check(t, repetition.NewCounter(), a, b) })
}
