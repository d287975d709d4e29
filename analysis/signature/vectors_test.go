package signature_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

var update = flag.Bool("update", false, "write testdata/vectors.json anew")

// The functions of the vectors: the size of a feature's text, and that as often as the feature occurs.
const (
	vectorsBytes = "vectors_bytes"
	vectorsTimes = "vectors_times"
)

func init() {
	for name, f := range map[string]signature.WeightFunc{
		vectorsBytes: func(feature []byte, _ int) uint32 { return uint32(len(feature)) },
		vectorsTimes: func(feature []byte, n int) uint32 { return uint32(len(feature) * n) },
	} {
		if err := signature.RegisterWeight(name, f); err != nil {
			panic(err)
		}
	}
}

const vectorsFile = "testdata/vectors.json"

// vectors are the known answers of FORMAT.md, whose section 15 describes them. They are for other
// implementations; that the numbers are right is for the naive oracles to say.
type vectors struct {
	Format     int                `json:"format"`
	Unicode    string             `json:"unicode"`
	Params     []vectorParams     `json:"params"`
	Texts      []vectorText       `json:"texts"`
	Signatures []vectorSignature  `json:"signatures"`
	Terms      []vectorSignature  `json:"terms"`
	Pairs      []vectorPair       `json:"pairs"`
	Unreadable []vectorUnreadable `json:"unreadable"`
}

type vectorParams struct {
	Width        int    `json:"width,omitempty"`
	Lanes        int    `json:"lanes,omitempty"`
	SimhashWidth int    `json:"simhash_width,omitempty"`
	Weight       string `json:"simhash_weight,omitempty"`
	Fingerprint  string `json:"fingerprint,omitempty"`
	Bag          bool   `json:"bag,omitempty"`
	Numbers      string `json:"numbers,omitempty"`
	Passages     int    `json:"passages,omitempty"`
	Seed         string `json:"seed,omitempty"`
	Tokens       string `json:"tokens,omitempty"`
	ID           string `json:"id"`
}

type vectorText struct {
	Name   string   `json:"name"`
	Values []octets `json:"values"`
	Tokens []string `json:"tokens"`
}

type vectorSignature struct {
	Text     *int       `json:"text,omitempty"`
	Values   [][]octets `json:"values,omitempty"`
	Params   int        `json:"params"`
	Shingles string     `json:"shingles"`
	Simhash  string     `json:"simhash"`
	Exact    string     `json:"exact"`
	Lanes    string     `json:"lanes,omitempty"`
	Stored   string     `json:"stored"`
	Bands    *string    `json:"bands,omitempty"`
	Passages string     `json:"passages,omitempty"`
}

type vectorPair struct {
	A       int    `json:"a"`
	B       int    `json:"b"`
	Agree   int    `json:"agree"`
	Hamming int    `json:"hamming"`
	By      string `json:"by"`
}

type vectorUnreadable struct {
	Name   string `json:"name"`
	Stored string `json:"stored"`
	Error  string `json:"error"`
}

// octets are a string of bytes, which JSON has only if they are UTF-8.
type octets string

func (o octets) MarshalJSON() ([]byte, error) {
	if !utf8.ValidString(string(o)) {
		return json.Marshal(map[string]string{"base64": base64.StdEncoding.EncodeToString([]byte(o))})
	}
	return plainJSON(string(o))
}

// plainJSON is v in JSON, with <, > and & as they are.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// mostShown is the number of tokens and shingles up to which they are listed.
const mostShown = 20

// listed joins texts, or hashes what is too long to be read.
func listed(n int, text string, hashed []byte) string {
	if n <= mostShown {
		return text
	}
	return fmt.Sprintf("xxh64 %016x", xxhash.Sum64(hashed))
}

// The stored form and everything that decides its bits is FORMAT.md's, which no change of the code
// may leave behind. After an intended change of the format, which takes a new formatVersion:
// go test ./analysis/signature -run Vectors -args -update
func TestVectorsGolden(t *testing.T) {
	t.Parallel()
	v := makeVectors(t)
	if len(v.Texts) < 300 || len(v.Unreadable) < 40 || len(v.Params) < 40 {
		t.Errorf("got %d texts, %d unreadable forms, %d parameters", len(v.Texts), len(v.Unreadable), len(v.Params))
	}
	lines := vectorLines(t, v)
	text := []byte(strings.Join(lines, "\n") + "\n")
	if *update {
		was, err := os.ReadFile(vectorsFile)
		if err != nil {
			t.Fatal(err)
		}
		if err := keeps(was, text); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(vectorsFile, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	stored, err := os.ReadFile(vectorsFile)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(stored, text) {
		return
	}
	was := strings.Split(strings.TrimSuffix(string(stored), "\n"), "\n")
	for i := range max(len(was), len(lines)) {
		if i >= len(was) || i >= len(lines) {
			t.Fatalf("%s has %d lines, the library makes %d", vectorsFile, len(was), len(lines))
		}
		if was[i] != lines[i] {
			t.Fatalf("%s, line %d: wanted\n%s\ngot\n%s", vectorsFile, i+1, was[i], lines[i])
		}
	}
}

// answers returns the version of vectors, and what they say: of each text, of each text or tokens with each
// parameters, and of each form that cannot be read.
func answers(data []byte) (format int, all map[string]string, err error) {
	type signed struct {
		Text                                       *int
		Values                                     json.RawMessage
		Params                                     int
		Shingles, Simhash, Exact, Stored, Passages string
	}
	var v struct {
		Format int
		Params []struct{ ID string }
		Texts  []struct {
			Name           string
			Values, Tokens json.RawMessage
		}
		Signatures, Terms []signed
		Unreadable        []struct{ Name, Stored, Error string }
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return 0, nil, err
	}
	all = make(map[string]string)
	for _, x := range v.Texts {
		all[fmt.Sprintf("text %q", x.Name)] = fmt.Sprintf("%s %s", x.Values, x.Tokens)
	}
	for _, s := range append(v.Signatures, v.Terms...) {
		of := string(s.Values)
		if s.Text != nil {
			of = fmt.Sprintf("%q", v.Texts[*s.Text].Name)
		}
		all[fmt.Sprintf("signature of %s by %s", of, v.Params[s.Params].ID)] = fmt.Sprint(s.Shingles, " ", s.Simhash, " ", s.Exact, " ", s.Stored, " ", s.Passages)
	}
	for _, u := range v.Unreadable {
		all[fmt.Sprintf("unreadable %q", u.Name)] = u.Stored + " " + u.Error
	}
	return v.Format, all, nil
}

// keeps returns an error if vectors of one version give another answer than before, or none: a format does
// not change without a new version. Answers can be added.
func keeps(was, is []byte) error {
	before, old, err := answers(was)
	if err != nil {
		return err
	}
	now, all, err := answers(is)
	if err != nil || before != now {
		return err
	}
	for _, of := range slices.Sorted(maps.Keys(old)) {
		if all[of] != old[of] {
			return fmt.Errorf("%s: wanted %.300q as before, got %.300q: a change of the format needs a new formatVersion", of, old[of], all[of])
		}
	}
	return nil
}

// Known answers change with the version alone.
func TestVectorsKept(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(vectorsFile)
	if err != nil {
		t.Fatal(err)
	}
	_, all, err := answers(data)
	if err != nil || len(all) < 1000 {
		t.Fatalf("%d answers, error %v", len(all), err)
	}
	for _, member := range []string{`"stored":"A`, `"simhash":"1`, `"shingles":"`, `"tokens":["`, `"exact":"2`, `"passages":"`} {
		other := bytes.Replace(data, []byte(member), []byte(member+"x"), 1)
		if err := keeps(data, other); err == nil || bytes.Equal(data, other) {
			t.Errorf("another %s: wanted an error, got none", member)
		}
		other = bytes.Replace(other, []byte(`"format": 3`), []byte(`"format": 4`), 1)
		if err := keeps(data, other); err != nil {
			t.Errorf("another %s in a new version: got %v", member, err)
		}
	}
	if err := keeps(data, data); err != nil {
		t.Error(err)
	}
	// The version is the first byte of what is stored, and the one that the page specifies.
	s := signature.Of(signature.DefaultParams(), []byte("a text"))
	sig, err := s.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	version, _, _ := answers(data)
	if title := fmt.Sprintf("# The format of signatures, version %d\n", sig[0]); int(sig[0]) != version || !strings.HasPrefix(string(page), title) {
		t.Errorf("stored forms have version %d, %s has %d, and FORMAT.md begins %.60q", sig[0], vectorsFile, version, page)
	}
}

// vectorLines returns v as JSON with a line for each item.
func vectorLines(t *testing.T, v vectors) (lines []string) {
	add := func(indent, name string, value any, end string) {
		data, err := plainJSON(value)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, indent+name+string(data)+end)
	}
	lines = append(lines, "{")
	add("", `"format": `, v.Format, ",")
	add("", `"unicode": `, v.Unicode, ",")
	lists := []struct {
		name string
		n    int
		at   func(int) any
	}{
		{"params", len(v.Params), func(i int) any { return v.Params[i] }},
		{"texts", len(v.Texts), func(i int) any { return v.Texts[i] }},
		{"signatures", len(v.Signatures), func(i int) any { return v.Signatures[i] }},
		{"terms", len(v.Terms), func(i int) any { return v.Terms[i] }},
		{"pairs", len(v.Pairs), func(i int) any { return v.Pairs[i] }},
		{"unreadable", len(v.Unreadable), func(i int) any { return v.Unreadable[i] }},
	}
	for j, l := range lists {
		lines = append(lines, fmt.Sprintf("%q: [", l.name))
		for i := range l.n {
			add("", "", l.at(i), ","[:min(1, l.n-1-i)])
		}
		lines = append(lines, "]"+","[:min(1, len(lists)-1-j)])
	}
	return append(lines, "}")
}

func makeVectors(t *testing.T) vectors {
	v := vectors{Format: 3, Unicode: "15.0.0", Texts: vectorTexts()}
	all := vectorParameters()
	byName := map[string]int{}
	for i := range v.Texts {
		x := &v.Texts[i]
		if _, twice := byName[x.Name]; twice {
			t.Fatalf("two texts have the name %q", x.Name)
		}
		byName[x.Name] = i
		for _, value := range x.Values {
			var terms []string
			for _, token := range token.Split([]byte(value)) {
				terms = append(terms, string(token.Term))
			}
			joined := strings.Join(terms, " ")
			x.Tokens = append(x.Tokens, listed(len(terms), joined, []byte(joined)))
		}
	}
	for n, p := range all {
		v.Params = append(v.Params, shownParams(p))
		m := newMaker(t, p)
		for i, x := range v.Texts {
			numbers := p.Numbers == signature.NumbersEqual && strings.HasPrefix(x.Name, "numbers")
			if p.Tokens != "" || n > 0 && !numbers && !slices.Contains(forParams(n, p), x.Name) {
				continue
			}
			for _, value := range x.Values {
				m.Text([]byte(value))
			}
			passages := shownPassages(m, p)
			s := shownSignature(m, len(v.Signatures)%8 == 0)
			s.Passages = passages
			s.Text, s.Params = &i, n
			v.Signatures = append(v.Signatures, s)
		}
		if p.Tokens == "" && n%9 > 0 {
			continue
		}
		for _, values := range vectorTerms {
			for _, terms := range values {
				for _, term := range terms {
					m.Term([]byte(term))
				}
				m.EndValue()
			}
			passages := shownPassages(m, p)
			s := shownSignature(m, true)
			s.Passages = passages
			s.Values, s.Params = values, n
			v.Terms = append(v.Terms, s)
		}
	}
	v.Pairs = vectorPairs(t, v)
	v.Unreadable = vectorDamage(t)
	return v
}

func shownParams(p signature.Params) vectorParams {
	d := signature.DefaultParams()
	other := func(n, standard int) int {
		if n == standard {
			return 0
		}
		return n
	}
	v := vectorParams{
		Width: other(p.Width, d.Width), Lanes: other(p.Lanes, d.Lanes), SimhashWidth: other(p.SimhashWidth, d.SimhashWidth),
		Bag: p.Bag, Tokens: p.Tokens, Passages: p.Passages, ID: fmt.Sprintf("%08x", p.ID()),
	}
	if p.Seed != 0 {
		v.Seed = fmt.Sprintf("%016x", p.Seed)
	}
	if p.Numbers != d.Numbers {
		v.Numbers = string(p.Numbers)
	}
	if p.SimhashWeight != d.SimhashWeight {
		v.Weight = string(p.SimhashWeight)
	}
	if p.Fingerprint != d.Fingerprint {
		v.Fingerprint = string(p.Fingerprint)
	}
	return v
}

// shownSignature ends the document of m. The lanes are in the stored form, too: they and the terms
// are shown for some.
func shownSignature(m *signature.Maker, full bool) (v vectorSignature) {
	m.EndValue()
	var prints []byte
	var hex strings.Builder
	for _, f := range m.Shingles() {
		prints = binary.LittleEndian.AppendUint64(prints, f)
		fmt.Fprintf(&hex, "%016x", f)
	}
	v.Shingles = listed(len(prints)/8, hex.String(), prints)
	s := m.Signature()
	v.Simhash, v.Exact = simhash.Text(s.Simhash), fmt.Sprintf("%016x", s.Exact)
	text, _ := s.MarshalText()
	v.Stored = string(text)
	if full {
		for i := range s.Lanes {
			v.Lanes += fmt.Sprintf("%02x", s.Sketch.Lane(i))
		}
		bands := strings.Join(bandTerms(&s), " ")
		v.Bands = &bands
	}
	return v
}

// shownPassages is the stored form of what is selected of the document of m, "" without passages.
func shownPassages(m *signature.Maker, p signature.Params) string {
	if p.Passages == 0 {
		return ""
	}
	data, _ := m.Passages().MarshalBinary()
	return base64.RawStdEncoding.EncodeToString(data)
}

// bandTerms are the terms of 11 bands and 4 blocks.
func bandTerms(s *signature.Signature) (terms []string) {
	add := func(i int, key uint64) { terms = append(terms, fmt.Sprintf("%02x%08x", i, uint32(key))) }
	switch {
	case s.Tokens == 0:
	case s.Lanes == 0:
		add(0xff, s.Exact)
	default:
		for i := range 11 {
			add(i, s.Sketch.Band(s.Lanes, 11, i))
		}
		for i := range 4 {
			add(0xc0+i, simhash.Block(s.Simhash, 4, i))
		}
	}
	return terms
}

// vectorParameters returns the default and others: each parameter for itself, and all together.
func vectorParameters() []signature.Params {
	all := []signature.Params{signature.DefaultParams()}
	add := func(change func(p *signature.Params)) {
		p := signature.DefaultParams()
		change(&p)
		all = append(all, p)
	}
	for _, n := range []int{1, 2, 3, 5, 9, 16} {
		add(func(p *signature.Params) { p.Width = n })
		add(func(p *signature.Params) { p.SimhashWidth = n })
	}
	for _, n := range []int{16, 17, 63, 101, 128, 1024} {
		add(func(p *signature.Params) { p.Lanes = n })
	}
	for _, seed := range []uint64{1, 0x5eed, 1 << 63, 1<<64 - 1} {
		add(func(p *signature.Params) { p.Seed = seed })
	}
	for _, f := range signature.Fingerprints() {
		add(func(p *signature.Params) { p.Fingerprint, p.Bag = f, true })
		if f != signature.Polynomial {
			add(func(p *signature.Params) { p.Fingerprint = f })
			add(func(p *signature.Params) { p.Fingerprint, p.Seed, p.Width = f, 42, 3 })
			add(func(p *signature.Params) {
				p.Fingerprint, p.Bag, p.SimhashWeight, p.SimhashWidth = f, true, signature.WeightLog, 1
			})
		}
	}
	for _, w := range []signature.Weight{signature.WeightCount, signature.WeightLog} {
		add(func(p *signature.Params) { p.SimhashWeight = w })
		add(func(p *signature.Params) { p.SimhashWeight, p.SimhashWidth = w, 1 })
	}
	for _, f := range signature.Fingerprints() {
		add(func(p *signature.Params) { p.SimhashWeight, p.Fingerprint, p.SimhashWidth = vectorsBytes, f, 2 })
	}
	add(func(p *signature.Params) { p.SimhashWeight, p.SimhashWidth = vectorsTimes, 1 })
	add(func(p *signature.Params) { p.Numbers = signature.NumbersEqual })
	add(func(p *signature.Params) { p.Numbers, p.Lanes, p.Seed = signature.NumbersEqual, 17, 3 })
	add(func(p *signature.Params) {
		p.Numbers, p.Fingerprint, p.Bag, p.Lanes = signature.NumbersEqual, signature.Rabin40, true, 99
	})
	add(func(p *signature.Params) {
		p.Numbers, p.Tokens, p.SimhashWidth = signature.NumbersEqual, "whitespace", 1
	})
	add(func(p *signature.Params) { p.Tokens = "unicode to_lower stop_en" })
	add(func(p *signature.Params) { p.Tokens = `my "own" \ one`; p.Seed = 9 })
	add(func(p *signature.Params) { p.Passages = 4 })
	add(func(p *signature.Params) { p.Passages = 50 })
	add(func(p *signature.Params) { p.Passages, p.Width, p.Seed = 7, 3, 42 })
	add(func(p *signature.Params) {
		p.Passages, p.Fingerprint, p.Bag, p.Numbers = 12, signature.Rabin64, true, signature.NumbersEqual
	})
	add(func(p *signature.Params) { p.Passages, p.Fingerprint, p.Tokens = 5, signature.XXHash64, "whitespace" })
	return all
}

// manyParams are the texts that are signed with several parameters; forParams returns those for
// one of them.
var manyParams = []string{
	"", "a rose", "three words here", "length 7", "length 24", "length 200", "na 30", "two values", "phrases", "mixed scripts", "Thai, NFC",
	"Han, NFD", "Hangul, NFD", "broken UTF-8", "length 513", "Hebrew, NFC",
}

func forParams(n int, p signature.Params) []string {
	if p.Passages > 0 {
		return manyParams
	}
	own := []string{"length 24", "na 30", "mixed scripts"}
	for i := range 2 {
		own = append(own, manyParams[(n*2+i)%len(manyParams)])
	}
	return own
}

// vectorTerms are documents of tokens that another tokenizer found.
var vectorTerms = [][][]octets{
	{{"new york", "is", "a", "Token", "with spaces"}, {"x", "y", "z", "w"}},
	{{"", "", "", "", ""}, {}, {"\xff\xfe", "日本", "語", "か\u3099", "本a", " ", "\u0301"}},
	{{"only"}},
	{{"a1b22", "3.4", "\xff5\xff6", "٣", "", "no"}, {"7 8", "９", "²"}, {"none", "at", "all"}},
	{{"sixteen_letters_", "seventeen_letters", "thirty-two letters are in this!!", "thirty-two letters are in this!!!"}},
}

// vectorTexts returns texts of all scripts and lengths, by plain rules and generators with fixed seeds.
func vectorTexts() (all []vectorText) {
	add := func(name string, values ...string) {
		x := vectorText{Name: name, Values: []octets{}, Tokens: []string{}}
		for _, value := range values {
			x.Values = append(x.Values, octets(value))
		}
		all = append(all, x)
	}
	for _, script := range sorted(scripts) {
		text := scripts[script]
		add(script+", NFC", norm.NFC.String(text))
		add(script+", NFD", norm.NFD.String(text))
		add(script+", NFKC", norm.NFKC.String(text))
		add(script+", NFKD", norm.NFKD.String(text))
		add(script+", upper case", strings.ToUpper(text))
		runes := []rune(text)
		add(script+", without spaces", strings.ReplaceAll(string(runes[:len(runes)/2]), " ", ""))
	}
	rnd := rand.New(rand.NewPCG(15, 20))
	for _, n := range append(counting(25), 63, 64, 65, 100, 200, 299, 300, 301, 509, 511, 512, 513, 514, 515, 516, 528, 1023, 1024, 1025, 2000, 3000) {
		add(fmt.Sprintf("length %d", n), string(layout(rnd, words(rnd, n, 400))))
	}
	for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 30, 31, 32, 33, 600} {
		add(fmt.Sprintf("na %d", n), strings.Repeat("na ", n))
		add(fmt.Sprintf("a b %d", n), strings.Repeat("a b, ", n))
	}
	for n := 1; n <= 36; n++ {
		add(fmt.Sprintf("a word of %d bytes", n), "one two "+strings.Repeat("abcdefghi", 4)[:n]+" four five")
		if n%4 == 0 {
			add(fmt.Sprintf("%d letters of two bytes", n), strings.Repeat("é", n)+" "+strings.Repeat("É", n)+"x")
		}
	}
	add("a long word", "see "+strings.Repeat("0123456789abcdef", 300)+" and "+strings.Repeat("ё", 1111))
	for _, m := range ":\u00b7\u0387\u055f\u05f4\u2027\ufe13\ufe55\uff1a\",;\u037e\u0589\u060c\u060d\u066b\u066c\u07f8\u2044\ufe10\ufe14\ufe50\ufe54\uff0c\uff1b'.\u2018\u2019\u2024\ufe52\uff07\uff0e-/\u202f\u2011\u30fb" {
		r := strings.NewReplacer("*", string(m))
		add(fmt.Sprintf("between: %U", m), r.Replace("a*b 1*2 a*1 1*a ש*ש a*ש ש*a _*_ a**b 日*本 e\u0301*e *a a* 1*\u03012 a*\u200bb b\u00ad*\u00adb 一*1 ก*ก"))
	}
	for _, text := range edges {
		add(fmt.Sprintf("edge: %+.40q", text), text)
	}
	for _, mark := range []string{"\u0301", "\u0316", "\u0316\u0301", "\u3099", "\u09be", "\u0344\u0316", "\u1161", "\u11a8"} {
		for _, n := range []int{30, 31, 40} {
			add(fmt.Sprintf("marks: %d of %+q", n, mark), "x é"+strings.Repeat(mark, n)+" e\u0301"+strings.Repeat(mark, n)+"z か"+strings.Repeat(mark, n)+" 각"+strings.Repeat(mark, n))
		}
	}
	add("", "")
	add("no value")
	add("white space", " \t\r\n\v\f\u00a0\u2003\u3000")
	add("a rose", "A rose is a rose is a rose.")
	add("three words here", "Three words here")
	add("phrases", strings.Repeat("the quick brown fox jumps. ", 9)+"Over the lazy dog "+strings.Repeat("it jumps, it jumps ", 20))
	add("mixed scripts", goldenText+" 한국어 문서, ภาษาไทย; Ἀχιλλεὺς ＦＵＬＬ ｗｉｄｔｈ ½ ﬁ № ™ 👩‍👩‍👧 🇩🇪 שלום צה\"ל ٣٫١٤ हिन्दी \xff end")
	add("full width", width.Widen.String(goldenText))
	add("half width", width.Narrow.String("カタカナ、ガギグゲゴ パピプペポ コーヒー。"))
	add("broken UTF-8", "cut \xe3\x81 short\xc3 and\xff bad \xed\xa0\x80 surrogate \xc0\xaf overlong \xf5\x80\x80\x80 beyond \xf0\x9f\x98 emoji\x00nul \xe2\x82 x \xbf tail \xe3")
	add("broken UTF-8 in words", "w\xffo\xc3r\xe3\x81d", "日\xe6\x9c本", "e\xcc\x81 e\xcc")
	add("numbers", "In 2024 we sold 1,000.50 tons, 007 boxes, x86_64 v1.2.3 and ½ of 10²; ٣٫١٤ १२३ １２３ 𝟙𝟚 ①② Ⅳ 三 ๑๒ 1\u00ad2 3\u03014.")
	add("numbers with thousands", "1,000.00 1.000,00 1000.00 1'234’567 1.250 1.000.000 1,234,5 12345,678,901 0,125 1,0000 ١٬٠٠٠٫٥٠ १,२३४;५ 1,000,20 a1,000b")
	add("numbers in two values", "Paragraph 12 of section 7 applies to them", "and 5 others\n6 on the next line and\xff7 more")
	add("numbers in short texts", "7", "8 9")
	add("numbers left out", "In two thousand we sold a thousand tons, seven boxes and half of ten")
	add("NUL", "a\x00b\x00\x00c d e f g\x00h")
	add("byte order mark", "\ufeffone two three four five")
	add("two values", "first value of the document, somewhat long", "and a second value, which is other than the first")
	add("two values, in the other order", "and a second value, which is other than the first", "first value of the document, somewhat long")
	add("two equal values", "the same value twice is here", "the same value twice is here")
	add("values without tokens", "", "one two three four five", " - ", "six")
	add("many values", strings.Split("one two three. four five six seven. eight nine. ten eleven twelve thirteen fourteen. one two three", ".")...)
	near := words(rand.New(rand.NewPCG(3, 4)), 400, 100000)
	for _, edits := range []int{0, 1, 2, 5, 10, 20, 60} {
		changed := slices.Clone(near)
		for i := range edits {
			changed[(i*37+11)%len(changed)] += "ly"
		}
		add(fmt.Sprintf("near: %d edits", edits), strings.Join(changed, " "))
	}
	pieces := []string{
		"ｘ", "１", "．", "ﬁ", "½", "ﷺ", "カ", "ᄒ", "ᅡ", "ᆫ", "น", "\u0e49", "ำ", "\u05b8", "\u05bc", "™", "\U0001d400", "\u0323", "豈",
		"__", "a", "B", "z", "0", "9", "_", "'", ".", ",", ";", ":", " ", "\n", "-", "é", "Σ", "日", "ー", "\u0301", "\u00ad", "’", "\xff", "𠀀", "ก",
		"\"", "ש", "׳", "漢字かな", "\u3099", "ﾞ", "٫", "😀", "\xe6\xbc", "word ", "\u0345", "İ", "ı", "ẞ", "\u200d", "Ⓐ", "²", "ⅷ", "\u1e9b\u0323",
	}
	for i := range 40 {
		var b strings.Builder
		kinds := 2 + rnd.IntN(len(pieces)-2)
		at := rnd.IntN(len(pieces))
		for range 10 + rnd.IntN(60) {
			b.WriteString(pieces[(at+rnd.IntN(kinds))%len(pieces)])
		}
		add(fmt.Sprintf("random %d", i), b.String())
	}
	add("numbers and letters of a later Unicode", "7 \U00010d41 \U00010d417 \U0001ccf18 new\u1acfmark e\u0301\u1acf\u0327e new\U00010d40digit \U00016d67\U00016d67 \U00016d63\U00016d67 \ua7cb \ua7dc\u019b a\U000323b0b \U0001e5d0ol \u0897\u0301")
	return all
}

// edges are short texts, each for a rule of FORMAT.md.
var edges = []string{
	"don't DON’T don＇t ‘quoted’ 'a' rock'n'roll", "pi is 3.14, or 3,14; v1.2.3 1.000,50 .5 5. 3:4 3;4 a;b", "std::vector foo_bar _x a._b __ ____ ‿ __é__ _\u0301_",
	"naïve CAFÉ Straße STRASSE ẞ", "cafe\u0301 \u0301x \u0301", "soft\u00adhyphen zero\u200bwidth via\u200bgra \u200e\u202ertl", "ΣΊΣΥΦΟΣ σίσυφος ᾈ ᾳ ͅ ΰ", "\u212aelvin \u212bngstr\u00f6m \u2126hm",
	"日本語 text です ﾃｷｽﾄ か\u3099 ｶﾞ コーヒー 〆 々 〇 〱〳 ㍿ ㌀", "한국어 \u1112\u1161\u11ab\u1100\u116e\u11a8 \u1112\u1161 \u11ab ﾡￂ 가\u11a8 각\u11a8", "ภาษาไทย ำ นํา ทำ", "𠀀𠀁 x 𝐀𝐁𝐂 𝟏𝟐 𝒳’𝓎", "☺ ok ☺ 👍🏽 👩‍👩‍👧 🇩🇪 1\ufe0f\u20e3 ©2024 ™ tm №5",
	"½ 5½ x² ①② ⅷ ⅣⅤ ⁵₅ ㊀ ㉠", "ﷺ ﬁ ﬀ ĳ Ǆ ǅ ǆ ŉ ſ ẛ\u0323", "ª º ⓐⓑⓒ 🄰🅐 ʻokina ˈstress ꞉ ꞊", "İstanbul ISTANBUL ıstanbul istanbul I\u0307", "Ა ა Ꭰ ꭰ Ა᏷ ᲀ Ꞑ", "ինչո՞ւ և եւ ՙ՚ ֊", "צה\"ל ד\"ר צ׳יפס חז״ל a\"b ש'ש 'שלום'",
	"مُحَمَّد ١٢٣ ٣٫١٤ ١٬٠٠٠ العربيّة لا ﻻ \u0600١", "हिन्दी क्षत्रिय क़ क\u093c \u0958 श्री१२३", "தமிழ் கொ கௌ \u0bc6\u0bbe", "བོད་སྐད་ ཀྲ \u0f71\u0f72 \u0f73", "ᠮᠣᠩᠭᠣᠯ\u180e ᡥ", "ខ្មែរ ລາວ မြန်မာ ᥖᥭᥰ ᦎᦱ ᨲ ꪀ 𑜀𑜁",
	"a\u0300\u0301 a\u0301\u0300 a\u0323\u0301 a\u0301\u0323 \u1ea5 \u1ead", "ē\u0301 \u1e17 e\u0304\u0301 e\u0301\u0304", "\u0344 a\u0344 \u0308\u0301a", "x\u034fy x\u034f\u0301 \u034f", "a\u09be\u05b8\u0308 \u09c7\u09be \u09c7\u0301\u09be", "e\u00ad\u0301 e\u200d\u0301 é",
	"\U0001d15e \U0001d15f\U0001d165 \U000110ab \U00011131\U00011127", "\U0001e921\U0001e943 \U00010400\U00010428 \U000118a0", "\ue000\uf8ff \U000f0000 x\ue000y \ufffe \U0010ffff", "\u0378 a\u0378b \U00031350 \U000323af", "a\u2028b\u2029c\u0085d", "1\u202f000 1\u00a0000 1\u2009000 1'000 1’000", "U.S.A. e.g. a.b.c. ... a..b", "user@example.org https://example.org/a_b?c=d&e=f#g C++ C# .NET $3.50 50%", "\"quoted\" “curly” «guillemets» (brackets) [x] {y} <z>", "tab\tand\nline\r\nfeeds\vand\fpages",
}

func counting(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

func sorted(m map[string]string) (names []string) {
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// vectorPairs compares signatures next to each other, all of a few kinds, and of other parameters.
func vectorPairs(t *testing.T, v vectors) (pairs []vectorPair) {
	read := func(i int) *signature.Signature {
		s := new(signature.Signature)
		if err := s.UnmarshalText([]byte(append(v.Signatures, v.Terms...)[i].Stored)); err != nil {
			t.Fatal(err)
		}
		return s
	}
	add := func(a, b int) {
		m, _ := signature.Rule{}.Match(read(a), read(b))
		pairs = append(pairs, vectorPair{a, b, m.Agree, m.Hamming, m.By.String()})
	}
	var near []int
	for i, s := range v.Signatures {
		if name := v.Texts[*s.Text].Name; strings.HasPrefix(name, "near:") || strings.HasPrefix(name, "two ") || strings.HasPrefix(name, "Latin,") || name == "" {
			near = append(near, i)
		}
		if i%19 == 0 {
			add(i, (i+1)%len(v.Signatures))
		}
	}
	for i, a := range near {
		for _, b := range near[:i] {
			add(a, b)
		}
		if i > 18 {
			break
		}
	}
	add(0, len(v.Signatures)-1)
	add(len(v.Signatures), len(v.Signatures))
	return pairs
}

// vectorDamage returns stored forms that a reader rejects, and checks that the library does.
func vectorDamage(t *testing.T) (all []vectorUnreadable) {
	good := signature.Of(signature.DefaultParams(), []byte(goldenText))
	whole, _ := good.MarshalBinary()
	body := whole[:len(whole)-4]
	head, lanes := body[:22], body[25:]
	encode := base64.RawStdEncoding.EncodeToString
	add := func(name, stored string) {
		kind := "malformed"
		switch err := new(signature.Signature).UnmarshalText([]byte(stored)); {
		case errors.Is(err, signature.ErrVersion):
			kind = "version"
		case !errors.Is(err, signature.ErrMalformed):
			t.Errorf("%s is read: %v", name, err)
		}
		all = append(all, vectorUnreadable{name, stored, kind})
	}
	sealed := func(name string, parts ...[]byte) { add(name, encode(neartest.Seal(parts...))) }

	text := encode(whole)
	add("empty", "")
	add("one digit", "A")
	add("only a version", "Aw")
	add("base64 with padding", text+"=")
	add("padding of a form that needs none", encode(whole[:len(whole)-len(whole)%3])+"====")
	add("a line break inside", text[:76]+"\n"+text[76:])
	add("a line break at the end", text+"\r\n")
	add("a space before", " "+text)
	add("a character that is none of base64", text[:40]+"*"+text[41:])
	add("a letter beyond ASCII", text[:40]+"é"+text[41:])
	add("base64 for names of files", strings.NewReplacer("+", "-", "/", "_").Replace(text))
	add("unused bits", text[:len(text)-1]+string(text[len(text)-1]+1))
	for _, version := range []byte{0, 1, 2, 4, 127, 255} {
		sealed(fmt.Sprintf("version %d", version), []byte{version}, body[1:])
		damaged := slices.Clone(whole)
		damaged[0] = version
		add(fmt.Sprintf("version %d, and another checksum", version), encode(damaged))
	}
	add("version 1 alone", encode([]byte{1}))
	for _, i := range []int{1, 5, 6, 14, 22, 23, 24, 25, 100, len(whole) - 5, len(whole) - 4, len(whole) - 1} {
		damaged := slices.Clone(whole)
		damaged[i] ^= 0x40
		add(fmt.Sprintf("byte %d altered", i), encode(damaged))
	}
	for _, n := range []int{2, 4, 5, 6, 9, 10, 22, 25, 100, len(whole) - 1} {
		add(fmt.Sprintf("cut after %d bytes", n), encode(whole[:n]))
	}
	for _, n := range []int{1, 4, 5, 6, 13, 14, 21, 22, 23, 24, 25, 26, 100, len(body) - 1} {
		sealed(fmt.Sprintf("cut after %d bytes, with a checksum", n), body[:n])
	}
	sealed("another kind", body[:5], []byte("w"), body[6:])
	sealed("a byte more", body, []byte{0})
	sealed("twice", body, body)
	varints := neartest.Uvarints
	for _, k := range []uint64{0, 1, 15, 99, 101, 1025, 1 << 16, 1 << 31, 1<<32 + 100, 1<<63 + 100, 1<<64 - 1} {
		sealed(fmt.Sprintf("%d lanes of 100", k), head, varints(20, 17, k), lanes)
	}
	sealed("lanes without shingles", head, varints(20, 0, 100), lanes)
	sealed("shingles without lanes", head, varints(20, 17, 0))
	sealed("15 lanes", head, varints(20, 17, 15), lanes[:15])
	sealed("1025 lanes", head, varints(20, 17, 1025), bytes.Repeat(lanes, 11)[:1025])
	sealed("a varint without end", head, bytes.Repeat([]byte{0xff}, 11))
	sealed("a varint of 11 bytes", head, bytes.Repeat([]byte{0x80}, 10), varints(1, 17, 100), lanes)
	sealed("a varint above 2^64", head, bytes.Repeat([]byte{0xff}, 9), varints(2, 17, 100), lanes)
	sealed("tokens in a varint too long", head, []byte{0x94, 0x00}, varints(17, 100), lanes)
	sealed("shingles in a varint too long", head, varints(20), []byte{0x91, 0x80, 0x00}, varints(100), lanes)
	sealed("lanes in a varint too long", head, varints(20, 17), []byte{0xe4, 0x00}, lanes)
	return all
}
