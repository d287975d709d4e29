package neartest

import (
	"math/bits"
	"strconv"
	"strings"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// Shingles returns the set of the shingles of w tokens, as text.
func Shingles(tokens []string, w int) map[string]struct{} {
	set := map[string]struct{}{}
	for i := 0; i+w <= len(tokens); i++ {
		set[strings.Join(tokens[i:i+w], " ")] = struct{}{}
	}
	return set
}

// Bag is Shingles with multiplicity: the i-th copy of a shingle is an element of
// its own.
func Bag(tokens []string, w int) map[string]struct{} {
	copies := map[string]int{}
	set := map[string]struct{}{}
	for i := 0; i+w <= len(tokens); i++ {
		s := strings.Join(tokens[i:i+w], " ")
		copies[s]++
		set[s+" #"+strconv.Itoa(copies[s])] = struct{}{}
	}
	return set
}

// Resemblance is |A∩B| / |A∪B|, and 0 if both are empty.
func Resemblance(a, b map[string]struct{}) float64 {
	both := common(a, b)
	return ratio(both, len(a)+len(b)-both)
}

// Containment is |A∩B| / |A|, and 0 if A is empty.
func Containment(a, b map[string]struct{}) float64 {
	return ratio(common(a, b), len(a))
}

func common(a, b map[string]struct{}) (n int) {
	for s := range a {
		if _, ok := b[s]; ok {
			n++
		}
	}
	return n
}

func ratio(part, whole int) float64 {
	return float64(part) / float64(max(whole, 1))
}

// Simhash is Charikar's simhash by 64 counters: a bit is 1 if more features have it than do
// not.
func Simhash(features []uint64) (h uint64) {
	for bit := range 64 {
		counter := 0
		for _, f := range features {
			if f>>bit&1 == 1 {
				counter++
			} else {
				counter--
			}
		}
		if counter > 0 {
			h |= 1 << bit
		}
	}
	return h
}

// Agree counts the lanes that agree among the k lanes of two sketches, one by one.
func Agree(a, b sketch.Sketch, k int) (n int) {
	for i := range k {
		if a.Lane(i) == b.Lane(i) {
			n++
		}
	}
	return n
}

// Duplicates compares two signatures as the comments of signature.Rule say.
func Duplicates(rule signature.Rule, a, b *signature.Signature) bool {
	words := uint64(1)
	if rule.MinWords > 1 {
		words = uint64(rule.MinWords)
	}
	if a.Params != b.Params || a.Tokens < words || b.Tokens < words {
		return false
	}
	if a.Exact == b.Exact {
		return true
	}
	if a.Lanes == 0 || a.Lanes != b.Lanes {
		return false
	}
	need := rule.Lanes
	if need == 0 {
		for 10*need < 9*a.Lanes {
			need++
		}
	}
	words = min(100, max(20, a.Tokens, b.Tokens))
	for least := need; need < rule.LongLanes && 80*(need-least) < (rule.LongLanes-least)*int(words-20); {
		need++
	}
	most := rule.Hamming
	switch most {
	case 0:
		most = 3
	case -1:
		most = 0
	}
	switch rule.Mode {
	case signature.ExactOnly:
		return false
	case signature.Both:
		return lanesAgree(a, b, need) && simhashClose(a, b, most)
	case signature.SketchOnly:
		return lanesAgree(a, b, need)
	case signature.SimhashOnly:
		return simhashClose(a, b, most)
	}
	return lanesAgree(a, b, need) || simhashClose(a, b, most)
}

// lanesAgree reports whether need lanes agree. It stops when too many differ: tests compare
// all pairs of thousands, of which nearly all are unlike.
func lanesAgree(a, b *signature.Signature, need int) bool {
	differ := 0
	for i := 0; i < a.Lanes && differ <= a.Lanes-need; i++ {
		if a.Sketch.Lane(i) != b.Sketch.Lane(i) {
			differ++
		}
	}
	return a.Lanes-differ >= need
}

// simhashClose reports whether at most so many bits differ. A simhash of 0 means no features,
// which are not near to anything.
func simhashClose(a, b *signature.Signature, most int) bool {
	return a.Simhash != 0 && b.Simhash != 0 && bits.OnesCount64(a.Simhash^b.Simhash) <= most
}
