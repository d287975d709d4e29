package signature_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/internal/class"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// zeros are the digits 0 of 22 scripts; the other digits follow each of them. Those of full
// width and of mathematics are read as ASCII, the others as they are.
const zeros = "0٠۰߀०০੦૦୦௦౦೦൦෦๐໐༠၀០᠐０𝟎"

// asDigits are the decimal digits of all scripts, each with its ASCII digit: Unicode has those of a script in order.
var asDigits = sync.OnceValue(func() map[rune]rune {
	all := map[rune]rune{}
	for r := range rune(unicode.MaxRune) {
		if unicode.Is(unicode.Nd, r) && unicode.Is(class.Assigned, r) {
			all[r] = '0'
			if before, ok := all[r-1]; ok && before < '9' {
				all[r] = before + 1
			}
		}
	}
	return all
})

// numeral is what separators of thousands are looked for in, and grouped is a numeral that has some.
var (
	numeral = regexp.MustCompile(`\d+([,.']\d+)*`)
	grouped = regexp.MustCompile(`^([1-9]\d{0,2}(?:(?:,\d{3})+|(?:'\d{3})+|(?:\.\d{3}){2,}))($|[,.'].*)|^([1-9]\d{0,2}\.\d{3})([,'].*)`)
	digits  = regexp.MustCompile(`\d+`)
)

// numbersOf are the numbers of values, each given as its tokens, with digits as ASCII.
func numbersOf(values ...[]string) (all [][]string) {
	for _, words := range values {
		var numbers []string
		for _, word := range words {
			word = strings.Map(func(r rune) rune {
				return cmp.Or(asDigits()[r], r)
			}, strings.NewReplacer("٫", ".", "٬", ",").Replace(word))
			for _, n := range numeral.FindAllString(word, -1) {
				if m := grouped.FindStringSubmatch(n); m != nil {
					head, rest := m[1]+m[3], m[2]+m[4]
					separator := head[strings.IndexAny(head, ",.'")]
					if rest == "" || rest[0] != separator {
						n = strings.ReplaceAll(head, string(separator), "") + rest
					}
				}
				numbers = append(numbers, digits.FindAllString(n, -1)...)
			}
		}
		if numbers != nil {
			all = append(all, numbers)
		}
	}
	return all
}

// mixNumbers changes a signature that was made without regard to numbers.
func mixNumbers(s *signature.Signature, seed uint64, values ...[]string) {
	var sum uint64
	for _, numbers := range numbersOf(values...) {
		digest := xxhash.NewWithSeed(seed)
		digest.WriteString(strings.Join(numbers, " ") + " ")
		sum += digest.Sum64() | 1
	}
	if sum == 0 {
		return
	}
	hash := token.Fold(sum, token.Mix(seed, 9)|1)
	if s.Simhash != 0 {
		s.Simhash ^= token.Mix(hash, 0)
	}
	mixed := make(sketch.Sketch, len(s.Sketch))
	for i := range s.Lanes {
		mixed.Set(i, s.Sketch.Lane(i)^uint8(token.Mix(hash, uint64(1+i/8))>>(i%8*8)))
	}
	if s.Sketch != nil {
		s.Sketch = mixed
	}
}

// numbered returns n words, a quarter of which have digits.
func numbered(rnd *rand.Rand, n int) []string {
	all := words(rnd, n, 200)
	for i := range all {
		switch rnd.IntN(12) {
		case 0:
			all[i] = digitsOf(rnd, 1+rnd.IntN(30))
		case 1:
			all[i] = digitsOf(rnd, 1+rnd.IntN(4))
			separator := string([]rune(",.'٬٫’;")[rnd.IntN(7)])
			for range rnd.IntN(4) {
				all[i] += separator + digitsOf(rnd, 3+rnd.IntN(8)/7)
			}
			if rnd.IntN(2) == 0 {
				all[i] += string([]rune(",.'٬٫’;")[rnd.IntN(7)]) + digitsOf(rnd, 1+rnd.IntN(3))
			}
		case 2:
			all[i] = all[i] + digitsOf(rnd, 3) + "é" + digitsOf(rnd, 1)
		}
	}
	return all
}

// digitsOf returns a number of digits of a few scripts.
func digitsOf(rnd *rand.Rand, n int) string {
	var b strings.Builder
	scripts := []rune(zeros)
	for range n {
		zero := '0'
		if rnd.IntN(8) == 0 {
			zero = scripts[rnd.IntN(len(scripts))]
		}
		b.WriteRune(zero + rune(rnd.IntN(10)))
	}
	return b.String()
}

// withNumbers are parameters of all kinds whose numbers must be equal.
func withNumbers() (all []signature.Params) {
	for _, p := range several() {
		p.Numbers = signature.NumbersEqual
		all = append(all, p)
	}
	return all
}

// What is a number, and which numbers are equal. The texts are otherwise the same words.
func TestWhatNumbers(t *testing.T) {
	t.Parallel()
	p := signature.DefaultParams()
	p.Numbers = signature.NumbersEqual
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"12 34", "12 34", true},
		{"12 34", "34 12", false},
		{"12 34", "123 4", false},
		{"12 34", "1234", false},
		{"7", "007", false},
		{"7", "7 7", false},
		{"7", "", false},
		{"1,000.00", "1000.00", true},
		{"1,000.00", "1.000,00", true},
		{"1'000.00", "1000.00", true},
		{"1’234’567", "1234567", true},
		{"1.234.567", "1,234,567", true},
		{"١٬٠٠٠٫٠٠", "1000.00", true},
		{"１，０００", "1000", true},
		{"1,000a", "1000", true},
		{"1,000", "1000.00", false},
		{"1,000", "1.000", false}, // the point alone is of decimals
		{"1.000", "1 000", true},
		{"1,000", "1 000", false},
		{"1,000", "1001", false},
		{"0,125", "0125", false},
		{"1000,000", "1000000", false},
		{"1,0000", "10000", false},
		{"1,000,20", "1000 20", false}, // a list
		{"12345,678,901", "12345 678901", false},
		{"1,000;5", "1000 5", true},
		{"12\u00ad34", "1234", true}, // a soft hyphen is in no token
		{"$12", "EUR 12 net", true},
		{"a1b2", "1 x 2", true},
		{"m²", "m2", true}, // by NFKC
		{"½", "1/2", true},
		{"①", "1", true},
		{"三", "", true},
		{"Ⅷ", "", true},
		{"१२٣४", "1234", true},
		{"1\n2\n", "1\r\n2", true},
		{"né 1\n2", "1 2", true},
	} {
		const text = "the sum that is due by the end of the month is %s and it is to be paid at the desk in the hall"
		a, b := signature.Of(p, fmt.Appendf(nil, text, tt.a)), signature.Of(p, fmt.Appendf(nil, text, tt.b))
		agree := a.Lanes - sketch.Differ(a.Sketch, b.Sketch)
		if (agree > 40) != tt.same || (agree > 3) != tt.same {
			t.Errorf("%q and %q: %d lanes agree, the same numbers: %v", tt.a, tt.b, agree, tt.same)
		}
	}
	for _, zero := range zeros {
		var digits string
		for d := range rune(10) {
			digits += string(zero + d)
		}
		texts := [2][]byte{[]byte("the number of the parcel is " + digits), []byte("the number of the parcel is 0123456789")}
		a, b := signature.Of(p, texts[0]), signature.Of(p, texts[1])
		a.Exact, a.Sketch, a.Simhash = b.Exact, nil, 0
		if values := numbersOf(read(texts[0])); fmt.Sprint(values) != "[[0123456789]]" {
			t.Errorf("%s: got %s", digits, values)
		}
		c, d := signature.Of(p, append(texts[0], texts[0]...)), signature.Of(p, append(texts[1], texts[1]...))
		if r, ok := c.Resemblance(&d); !ok || r.Value == 0 {
			t.Errorf("%s: the numbers differ from 0123456789", digits)
		}
	}
}

// A rule matches just those pairs that it matches without the veto and whose numbers are equal.
func TestNumbersRule(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(23, 24))
	for _, p := range withNumbers()[:5] {
		loose := p
		loose.Numbers = signature.NumbersAny
		var values [][]string
		for range 8 {
			base := numbered(rnd, 20+rnd.IntN(300))
			for range 6 {
				edited := slices.Clone(base)
				for range rnd.IntN(3) {
					edited[rnd.IntN(len(edited))] = []string{"word", digitsOf(rnd, 2)}[rnd.IntN(2)]
				}
				values = append(values, read([]byte(strings.Join(edited, " "))))
			}
		}
		var signed, before []signature.Signature
		var numbers []string
		for _, v := range values {
			numbers = append(numbers, fmt.Sprint(numbersOf(v)))
			signed, before = append(signed, signature.Of(p, plain(v))), append(before, signature.Of(loose, plain(v)))
		}
		matches, vetoes := 0, 0
		for i := range signed {
			for j := range i {
				same := numbers[i] == numbers[j]
				x, y, u, v := signed[i], signed[j], before[i], before[j]
				for _, rule := range []signature.Rule{
					{}, {Lanes: 8, Hamming: 10}, {Mode: signature.Both}, {Mode: signature.SimhashOnly, Hamming: 9}, {Mode: signature.ExactOnly},
				} {
					want, duplicates := rule.Match(&u, &v)
					got, ok := rule.Match(&x, &y)
					if ok != (duplicates && same) || rule.Duplicates(&x, &y) != ok || same && got != want {
						t.Fatalf("%+v, %+v: got %+v, %v, want %+v, %v, the same numbers: %v", p, rule, got, ok, want, duplicates, same)
					}
					if ok {
						matches++
					} else if duplicates {
						vetoes++
					}
				}
			}
		}
		if matches == 0 || vetoes == 0 {
			t.Errorf("%+v: %d matches and %d vetoes, want some", p, matches, vetoes)
		}
	}
}

// The numbers of what is left out do not count, those of what remains do.
func TestNumbersWithout(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(29, 30))
	for _, p := range []signature.Params{
		{Width: 4, Lanes: 100, SimhashWidth: 4, Numbers: signature.NumbersEqual},
		{Width: 2, Lanes: 50, SimhashWidth: 3, SimhashWeight: signature.WeightCount, Seed: 7, Numbers: signature.NumbersEqual},
		{Width: 5, Lanes: 99, SimhashWidth: 2, Fingerprint: signature.Rabin64, Bag: true, Numbers: signature.NumbersEqual},
	} {
		var menu []string
		for i := range 300 {
			menu = append(menu, fmt.Sprintf("menu%d", 1000+i))
		}
		set := learn(t, p, template.Options{Width: 6, Documents: 2}, strings.Join(menu, " ")+" x", "y "+strings.Join(menu, " "))
		any := p
		any.Numbers = signature.NumbersAny
		anySet := learn(t, any, template.Options{Width: 6, Documents: 2}, strings.Join(menu, " ")+" x", "y "+strings.Join(menu, " "))
		m, plainMaker := makerWithout(t, p, set), makerWithout(t, any, anySet)
		for range 8 {
			var values, rest [][]string
			for range 1 + rnd.IntN(3) {
				var value, stays []string
				for range rnd.IntN(5) {
					own := read([]byte(strings.Join(numbered(rnd, rnd.IntN(700)), " ")))
					if len(value) == 0 || len(own) >= 10 { // else it is a gap between two runs
						stays = append(stays, own...)
					}
					from := rnd.IntN(len(menu) - 10)
					value = append(append(value, own...), menu[from:from+10+rnd.IntN(len(menu)-from-9)]...)
				}
				values, rest = append(values, value), append(rest, stays)
			}
			for _, value := range values {
				m.Text(plain(value))
				plainMaker.Text(plain(value))
			}
			want := plainMaker.Signature()
			want.Params = p.ID()
			mixNumbers(&want, p.Seed, rest...)
			got := m.Signature()
			checkEqual(t, fmt.Sprint(p, values), got, want)
			for _, value := range values {
				for _, word := range value {
					m.Term([]byte(word))
				}
				m.EndValue()
			}
			checkEqual(t, fmt.Sprint(p, values), m.Signature(), want)
		}
		// Nothing is left out: the signature is that of the whole.
		text := plain(numbered(rnd, 2000))
		m.Text(text)
		checkEqual(t, "nothing left out", m.Signature(), signature.Of(p, text))
	}
}

// Bytes of any kind have the numbers that their tokens have.
func FuzzNumbers(f *testing.F) {
	f.Add(uint8(0), []byte("12 34,5 ٣٤ x\n²½ 1\u00ad2 \xff3"))
	f.Add(uint8(9), []byte("1\u0301 2\n①\r\n3\u20dd4 ５六7"))
	f.Add(uint8(3), []byte("1,000.00 1.000,00 1’000 12,345,67 1.000 ١٬٠٠٠٫٥٠ 1234,567,890 0,125;1.234.567.8"))
	f.Add(uint8(2), []byte("꧔ ᥆᧐ ꩙7"))
	f.Add(uint8(40), bytes.Repeat([]byte("1 é2 3\n"), 300))
	f.Fuzz(func(t *testing.T, cut uint8, text []byte) {
		at := min(int(cut), len(text))
		p := signature.DefaultParams()
		p.Numbers = signature.NumbersEqual
		checkEqual(t, fmt.Sprintf("%q, %q", text[:at], text[at:]), signature.Of(p, text[:at], text[at:]), naive(p, read(text[:at]), read(text[at:])))
	})
}

// Digits that a later Unicode has are none, though a tokenizer of bleve's takes them.
func TestLaterDigits(t *testing.T) {
	t.Parallel()
	p := signature.DefaultParams()
	p.Numbers = signature.NumbersEqual
	m, words := newMaker(t, p), []string{"in", "\U00010d42", "7\U00010d43", "\U0001ccf4,٣"}
	for _, word := range words {
		m.Term([]byte(word))
	}
	m.EndValue()
	checkEqual(t, fmt.Sprint(words), m.Signature(), naive(p, words))
}

// SameNumbers says what the numbers of each value say, written one after the other.
func TestSameNumbers(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(71, 72))
	document := func() (values [][]token.Token, numbers []string) {
		for range rnd.IntN(3) {
			var text strings.Builder
			for range rnd.IntN(4) {
				text.WriteString([]string{"a ", "1 ", "12 ", "2.1 ", "x1y2 ", "一二 "}[rnd.IntN(6)])
			}
			values = append(values, token.Split([]byte(text.String())))
			if found := regexp.MustCompile("[0-9]+").FindAllString(text.String(), -1); len(found) > 0 {
				numbers = append(numbers, strings.Join(found, " "))
			}
		}
		slices.Sort(numbers)
		return values, numbers
	}
	same := 0
	for range 20_000 {
		a, inA := document()
		b, inB := document()
		want := slices.Equal(inA, inB)
		if want && len(inA) > 0 {
			same++
		}
		if got := signature.NumbersEqual.Agree(a, b); got != want {
			t.Fatalf("%q and %q: got %t", inA, inB, got)
		}
	}
	if same < 100 {
		t.Errorf("only %d pairs have the same numbers", same)
	}
}
