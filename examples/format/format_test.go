package format

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/unicode/rangetable"
)

var (
	update = flag.Bool("update", false, "write unicode.json anew")
	every  = flag.Bool("every", false, "TestCodePoints takes all code points: a minute of CPU")
)

const (
	unicodeFile = "unicode.json"
	last        = unicode.MaxRune
	hangul      = 0xac00
	hangulEnd   = 0xd7a4
)

// tables is unicode.json. Sets are text such as "41-5a aa": hexadecimal numbers, in order.
type tables struct {
	Unicode          string            `json:"unicode"`
	Properties       map[string]string `json:"properties"`
	CombiningClasses map[string]string `json:"combining_classes"`
	Zeros            string            `json:"zeros"` // of the decimal digits: nine others follow each
	FoldFrom         string            `json:"fold_from"`
	FoldTo           string            `json:"fold_to"`
	Decompositions   map[string]string `json:"decompositions"` // NFKD, but for Hangul
	Compositions     map[string]string `json:"compositions"`   // two code points to one, but for Hangul
}

// The tables of the implementation in Python are those of Go, which might have a later Unicode: what 15.0.0 assigns is
// the same there. To write them anew:
// go -C examples test -run Unicode ./format -args -update
func TestUnicode(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "")
	if err := enc.Encode(makeTables()); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(unicodeFile, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if data, err := os.ReadFile(unicodeFile); err != nil || !bytes.Equal(data, b.Bytes()) {
		t.Errorf("%s is not what Go's tables make: %v", unicodeFile, err)
	}
}

func makeTables() tables {
	var assigned []rune
	rangetable.Visit(rangetable.Assigned("15.0.0"), func(r rune) { assigned = append(assigned, r) })
	in := func(all ...*unicode.RangeTable) (found []rune) {
		for _, r := range assigned {
			if unicode.In(r, all...) {
				found = append(found, r)
			}
		}
		return found
	}
	v := tables{
		Unicode: "15.0.0",
		Properties: map[string]string{
			"digit":  ranges(in(unicode.Nd, unicode.No)),
			"mark":   ranges(in(unicode.M)),
			"letter": ranges(slices.DeleteFunc(in(unicode.L, unicode.Nl, unicode.Other_Alphabetic), func(r rune) bool { return unicode.Is(unicode.M, r) })),
			"hebrew": ranges(in(unicode.Hebrew)),
			"single": ranges(in(unicode.Han, unicode.Ideographic, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer,
				unicode.Myanmar, unicode.Tai_Le, unicode.New_Tai_Lue, unicode.Tai_Tham, unicode.Tai_Viet, unicode.Ahom)),
			"connector": ranges(in(unicode.Pc)),
			"invisible": ranges(in(unicode.Cf)),
		},
		CombiningClasses: map[string]string{}, Decompositions: map[string]string{}, Compositions: map[string]string{},
	}
	digits := in(unicode.Nd)
	for i := 0; i < len(digits); i += 10 { // Unicode has the ten digits of a script in order
		v.Zeros += string(digits[i])
	}
	classes := map[uint8][]rune{}
	for _, r := range assigned {
		if fold := unicode.ToLower(unicode.ToUpper(r)); fold != r {
			v.FoldFrom, v.FoldTo = v.FoldFrom+string(r), v.FoldTo+string(fold)
		}
		if c := class(r); c > 0 {
			classes[c] = append(classes[c], r)
		}
		if !utf8.ValidRune(r) || hangul <= r && r < hangulEnd {
			continue
		}
		if all := norm.NFKD.String(string(r)); all != string(r) {
			v.Decompositions[string(r)] = all
		}
		if all := []rune(norm.NFD.String(string(r))); len(all) > 1 && norm.NFC.IsNormalString(string(r)) {
			end := len(all) - 1
			v.Compositions[norm.NFC.String(string(all[:end]))+string(all[end])] = string(r)
		}
	}
	for c, members := range classes {
		v.CombiningClasses[fmt.Sprint(c)] = ranges(members)
	}
	return v
}

// class is the canonical combining class of a code point.
func class(r rune) uint8 {
	if !utf8.ValidRune(r) {
		return 0
	}
	return norm.NFD.PropertiesString(string(r)).CCC()
}

// ranges writes a set of code points.
func ranges(sorted []rune) string {
	var all []string
	for i := 0; i < len(sorted); i++ {
		first := sorted[i]
		for i+1 < len(sorted) && sorted[i+1] == sorted[i]+1 {
			i++
		}
		if sorted[i] == first {
			all = append(all, fmt.Sprintf("%x", first))
		} else {
			all = append(all, fmt.Sprintf("%x-%x", first, sorted[i]))
		}
	}
	return strings.Join(all, " ")
}
