package format

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os/exec"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/examples/docsearch/corpus"
)

// python runs the implementation in Python with arguments and an input, and returns its output. It
// skips the test where there is no Python.
func python(t *testing.T, input []byte, args ...string) []byte {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 is installed")
	}
	cmd := exec.Command(path, append([]string{"-B"}, args...)...)
	cmd.Stdin = bytes.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(args, " "), err, out, stderr.Bytes())
	}
	return out
}

// The implementation in Python makes of all vectors what they have.
func TestVectors(t *testing.T) {
	t.Parallel()
	t.Logf("%s", python(t, nil, "check.py", "../../analysis/signature/testdata/vectors.json"))
}

// document is a text, as neardup.py sign takes it.
type document struct {
	Values []any          `json:"values"` // strings, or objects with a member base64
	Params map[string]any `json:"params,omitempty"`

	params signature.Params
	values [][]byte
}

func newDocument(p signature.Params, values ...[]byte) document {
	d := document{params: p, values: values}
	for _, v := range values {
		if utf8.Valid(v) {
			d.Values = append(d.Values, string(v))
		} else {
			d.Values = append(d.Values, map[string]string{"base64": base64.StdEncoding.EncodeToString(v)})
		}
	}
	if p != signature.DefaultParams() {
		d.Params = map[string]any{
			"width": p.Width, "lanes": p.Lanes, "simhash_width": p.SimhashWidth, "simhash_weight": p.SimhashWeight,
			"fingerprint": p.Fingerprint, "bag": p.Bag, "seed": p.Seed,
		}
	}
	return d
}

// signed is what neardup.py makes of a document.
type signed struct {
	Tokens   []string `json:"tokens"`
	Shingles string   `json:"shingles"`
	Stored   string   `json:"stored"`
}

// signed is what the library makes of it.
func (d document) signed(t *testing.T) (want signed) {
	m, err := signature.NewMaker(d.params)
	if err != nil {
		t.Fatal(err)
	}
	want.Tokens = []string{}
	for _, v := range d.values {
		m.Text(v)
		var terms []string
		for _, token := range token.Split(v) {
			terms = append(terms, string(token.Term))
		}
		want.Tokens = append(want.Tokens, listed(len(terms), strings.Join(terms, " "), nil))
	}
	var prints []byte
	for _, f := range m.Shingles() {
		prints = binary.LittleEndian.AppendUint64(prints, f)
		want.Shingles += fmt.Sprintf("%016x", f)
	}
	want.Shingles = listed(len(prints)/8, want.Shingles, prints)
	s := m.Signature()
	stored, err := s.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	want.Stored = string(stored)
	return want
}

// listed is text, or its hash if it has more than 20 parts. The hash is of text if hashed is nil.
func listed(n int, text string, hashed []byte) string {
	if n <= 20 {
		return text
	}
	if hashed == nil {
		hashed = []byte(text)
	}
	return fmt.Sprintf("xxh64 %016x", xxhash.Sum64(hashed))
}

// same compares what both implementations make of documents.
func same(t *testing.T, all []document) {
	t.Helper()
	var input bytes.Buffer
	enc := json.NewEncoder(&input)
	for _, d := range all {
		if err := enc.Encode(d); err != nil {
			t.Fatal(err)
		}
	}
	out := bufio.NewScanner(bytes.NewReader(python(t, input.Bytes(), "neardup.py", "sign")))
	out.Buffer(nil, 1<<24)
	n, failed := 0, 0
	for ; out.Scan(); n++ {
		var got signed
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if want := all[n].signed(t); !reflect.DeepEqual(got, want) {
			if failed++; failed < 5 {
				t.Errorf("document %d, %+v: %.300q: wanted\n%+v\ngot\n%+v", n, all[n].params, all[n].values, want, got)
			}
		}
	}
	if n != len(all) || failed > 0 {
		t.Errorf("of %d documents, %d were signed, and %d in another way", len(all), n, failed)
	}
}

// Both implementations make the same signatures of 1,000 pages of the corpus, byte for byte: of the
// first 1 to 200 words of each, so that Python does not take minutes.
func TestCorpus(t *testing.T) {
	t.Parallel()
	unpacked, err := gzip.NewReader(bytes.NewReader(corpus.Lines))
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(unpacked)
	const number = 200
	var all []document
	for len(all) < number {
		var page struct {
			Text string `json:"text"`
		}
		if err := dec.Decode(&page); err != nil {
			t.Fatal(err)
		}
		words := strings.SplitAfter(page.Text, " ")
		p := signature.DefaultParams()
		all = append(all, newDocument(p, []byte(strings.Join(words[:min(len(words), 1+len(all)%200)], ""))))
	}
	same(t, all)
}

// Both take a code point for the same, between letters, between digits and before an accent: each
// third of those assigned, and some of the large blocks of ideographs, syllables and private use,
// and of what is not assigned. With -every it is each.
func TestCodePoints(t *testing.T) {
	t.Parallel()
	step := rune(16)
	if *every {
		step = 1
	}
	p := signature.DefaultParams()
	p.Lanes = 16
	var all []document
	var text strings.Builder
	n := 0
	for r := rune(0); r <= unicode.MaxRune; r += step {
		bulk := unicode.In(r, unicode.Unified_Ideograph, unicode.Co, unicode.Tangut) || hangul <= r && r < hangulEnd ||
			!unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cc, unicode.Cf)
		if !utf8.ValidRune(r) || bulk && !*every && r%97 > 0 {
			continue
		}
		fmt.Fprintf(&text, "a%cb1%c1 %c\u0301", r, r, r)
		if n++; n%200 == 0 {
			all = append(all, newDocument(p, []byte(text.String())))
			text.Reset()
		}
	}
	t.Logf("%d code points", n)
	same(t, append(all, newDocument(p, []byte(text.String()))))
}
