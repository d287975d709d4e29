package main

import (
	"cmp"
	"crypto/md5"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// view is a text as the methods see it that are compared.
type view struct {
	whole, profile [md5.Size]byte
	words          uint64 // simhash
	sig            signature.Signature
}

func look(text string) view {
	return view{md5.Sum([]byte(text)), textProfile(text), wordSimhash(text), signature.Of(signature.DefaultParams(), []byte(text))}
}

// method is a way to tell whether a mail is a copy of one that is marked.
type method struct {
	name string
	copy func(mark, mail *view) bool
}

// compared are the methods of the table.
func compared(known admission.KnownRule) []method {
	rule := signature.Rule{}
	return []method{
		{"MD5", func(a, b *view) bool { return a.whole == b.whole }},
		{"TextProfile", func(a, b *view) bool { return a.profile == b.profile }},
		{"word simhash", func(a, b *view) bool { return simhash.Distance(a.words, b.words) <= 3 }},
		{"near-duplicate", func(a, b *view) bool { return rule.Duplicates(&a.sig, &b.sig) }},
		{"known", func(a, b *view) bool {
			_, ok := known.Like(rule, admission.Spam, &a.sig, &b.sig)
			return ok
		}},
	}
}

// wordSimhash is the simhash of the distinct words of a text.
func wordSimhash(text string) uint64 {
	p := signature.DefaultParams()
	p.SimhashWidth = 1
	sig := signature.Of(p, []byte(text))
	return sig.Simhash
}

// textProfile is Solr's (and Nutch's) TextProfileSignature with its defaults, a quantum of .01
// and words of more than 2 letters: the hash of the words that come at least a quantum often,
// with how often they come, rounded down to quanta. Equally frequent words are in the order of a
// Java hash table there, and in alphabetical order here, so that equal profiles have equal
// hashes.
func textProfile(text string) [md5.Size]byte {
	count, most := map[string]int{}, 0
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if word = strings.Map(unicode.ToLower, word); len([]rune(word)) > 2 {
			count[word]++
			most = max(most, count[word])
		}
	}
	quantum := int(math.Floor(float64(most)*.01 + .5))
	if quantum < 2 {
		quantum = min(2, max(1, most))
	}
	type line struct {
		word string
		n    int
	}
	var profile []line
	for word, n := range count {
		if n = n / quantum * quantum; n > 0 {
			profile = append(profile, line{word, n})
		}
	}
	slices.SortFunc(profile, func(a, b line) int { return cmp.Or(b.n-a.n, strings.Compare(a.word, b.word)) })
	h := md5.New()
	for _, l := range profile {
		h.Write([]byte(l.word + " " + strconv.Itoa(l.n) + "\n"))
	}
	return [md5.Size]byte(h.Sum(nil))
}
