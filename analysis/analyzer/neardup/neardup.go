// Package neardup is a bleve analyzer that fingerprints text for near-duplicate detection.
// A text field that names this [Analyzer], or a custom analyzer of this type, is a
// fingerprinted field:
//
//	"custom": {"analyzers": {"page_signature": {"type": "neardup", "width": 4}}}
//
// On an index of type neardup (package plugin) such a field gets a stored signature. On any
// bleve index it emits terms, by which candidates are found.
//
// Configuration, all optional:
//
//	"width":         tokens in a shingle, 1 to 16 (4)
//	"lanes":         lanes of the sketch, 16 to 1024 (100)
//	"simhash_width": tokens in a feature of the simhash, 1 to 16 (4)
//	"simhash_weight": "distinct", "count" or "log": how much a feature of the simhash
//	                 that occurs n times counts: 1, n, or 1+log2(n); or the name of a
//	                 function that signature.RegisterWeight got before ("distinct")
//	"fingerprint":   "polynomial", "xxhash64", "rabin64" or "rabin40": how shingles
//	                 become numbers: see signature.Fingerprint ("polynomial")
//	"preset":        "pages", "versions", "short" or "mail": see [Preset] ("pages")
//	"rule":          which documents are near-duplicates, where a caller names no rule or leaves
//	                 members of it out: signature.Rule in JSON, such as {"lanes": 80}; over
//	                 the rule of the preset
//	"bag":           true makes each copy of a shingle count (false)
//	"numbers":       "any", or "equal": no texts match whose numbers differ, for bills,
//	                 catalogues and statutes: see signature.NumbersEqual ("any")
//	"passages":      words of a passage, of a shingle or more: documents that share such a passage are found
//	                 (package plugin/near). On an index of type neardup, ~F.passages has what
//	                 that takes: 6 bytes for each 24 words with 50 (0: none are found)
//	"seed":          a number or a string like "0x5eed"; secret if texts are hostile (0)
//	"char_filters":  bleve char filters that run first: ["neardup_html"] for HTML,
//	                 ["neardup_skeleton"] where letters can be disguised
//	"tokenizer":     a bleve tokenizer instead of the built-in one, which takes words of
//	                 all scripts: bleve's "unicode" makes no token of Thai, Burmese, Lao or
//	                 Khmer, and a text of these alone then has no signature
//	"token_filters": bleve token filters after that tokenizer, such as ["to_lower"],
//	                 or ["to_lower", "stop_en"] to leave out stop words
//	"terms":         "bands", "all", "mod", "bottom" or "none"
//
// With "neardup_html" (package analysis/char) a page has the signature of its content:
// markup, white space and letter case do not count, nor does what the markup hides or calls
// a menu, a banner, a footer or an aside. A page that is only markup has the empty
// signature, which matches nothing.
//
// With "neardup_skeleton" (package analysis/char) look-alikes of letters,
// full-width letters, marks and invisible characters do not count either.
//
// "bands" emits candidate keys (options "agree", "hamming": see package
// analysis/token); "all", "mod" and "bottom" emit fingerprints of shingles (options
// "m", "s": see there). If "terms" is left out, a plain index gets
// bands and an index of type neardup none: it finds candidates by the signature itself, and
// each term would cost about 7 µs of CPU.
//
// After a change of anything except char_filters, terms and rule, new signatures do not match
// those stored before. Char filters can differ, so that pages match plain texts.
package neardup

import (
	"bytes"
	"sync"
	"unicode"

	"github.com/blevesearch/bleve/v2/analysis"
	_ "github.com/blevesearch/bleve/v2/analysis/char/html" // registers bleve's "html", so that mappings can name it too
	"github.com/blevesearch/bleve/v2/registry"

	"github.com/neardup/bleve-neardup/analysis/internal/component"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/html"
	"github.com/neardup/bleve-neardup/analysis/signature/repetition"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	filter "github.com/neardup/bleve-neardup/analysis/token"
)

// Name is the analyzer's name in a mapping.
const Name = "neardup"

// Analyzer is the analyzer. It is safe for concurrent use.
type Analyzer struct {
	params   signature.Params
	rule     signature.Rule
	chain    chain // what a text passes before it is signed
	terms    terms
	config   map[string]any // its configuration
	makers   sync.Pool
	counters sync.Pool
}

// Params returns the parameters of the signatures that a makes.
func (a *Analyzer) Params() signature.Params { return a.params }

// Rule returns the rule of the fields that a signs: members that are 0 or "" have the default of
// the zero Rule. RuleOf brings it together with the rule of a caller.
func (a *Analyzer) Rule() signature.Rule { return a.rule }

// Analyze emits the terms of one text, as bleve expects of an analyzer.
func (a *Analyzer) Analyze(input []byte) analysis.TokenStream {
	m := a.makers.Get().(*signature.Maker)
	defer a.makers.Put(m)
	size := a.write(m, nil, input)
	stream, _ := a.terms.finish(m, true, size)
	return stream
}

// Bands returns the plan of the candidate keys that a emits as terms, on a plain bleve
// index or on an index of type neardup. ok is false if it emits none.
func (a *Analyzer) Bands(plain bool) (plan filter.Plan, ok bool) {
	return a.terms.plan, a.terms.in(plain) == bandTerms
}

// Sign returns the signature of a document with the given values, and the terms of its
// field in an index of type neardup. It does not change the values.
func (a *Analyzer) Sign(values ...[]byte) (signature.Signature, analysis.TokenStream) {
	made, _ := a.SignWith(Figures{}, nil, values...) // without a template there is no error
	return made.Signature, made.Terms
}

// write adds values, which it does not change, to m, and returns how many bytes they have together. If w is not nil,
// write adds to it the words that HTML hides and shows.
func (a *Analyzer) write(m *signature.Maker, w *html.Words, values ...[]byte) (size int) {
	for _, v := range values {
		size += len(v)
		a.writeText(m, a.chain.text(v, w))
	}
	return size
}

// writeText adds a text that the char filters have made to m.
func (a *Analyzer) writeText(m *signature.Maker, text []byte) {
	if a.chain.tokenizer == "" {
		m.Text(text)
		return
	}
	for _, t := range a.chain.tokens(text) {
		m.Term(t.Term)
	}
	m.EndValue()
}

// SignText returns the signature of a text that the char filters have made, or of a part of it: see Tokens.
func (a *Analyzer) SignText(text []byte) signature.Signature {
	m := a.makers.Get().(*signature.Maker)
	defer a.makers.Put(m)
	a.writeText(m, text)
	return m.Signature()
}

// Tokens returns the tokens of one value as Sign takes them, for shingle.Compare, and the
// text to which their places refer, which is value itself if there are no char filters. It
// does not change value.
func (a *Analyzer) Tokens(value []byte) (text []byte, tokens []token.Token) {
	text = a.chain.text(value, nil)
	return text, a.tokensOf(text)
}

// tokensOf is Tokens for a text that the char filters have made.
func (a *Analyzer) tokensOf(text []byte) (tokens []token.Token) {
	if a.chain.tokenizer == "" {
		return token.Split(text)
	}
	for _, t := range a.chain.tokens(text) {
		start := max(0, min(t.Start, len(text)))
		tokens = append(tokens, token.Token{Term: t.Term, Start: start, End: max(start, min(t.End, len(text)))})
	}
	return tokens
}

// Untokenized reports whether the values have a letter or a digit after the char filters,
// and yet the tokenizer and the token filters leave no token of them. What Sign makes of them
// is the empty signature, which says that there is no text.
func (a *Analyzer) Untokenized(values ...[]byte) bool {
	if a.chain.tokenizer == "" {
		return false // it leaves none out
	}
	text := false
	for _, v := range values {
		v = a.chain.text(v, nil)
		text = text || bytes.ContainsFunc(v, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
		if len(a.chain.tokens(v)) > 0 {
			return false
		}
	}
	return text
}

// AnalyzerConstructor makes an Analyzer from its configuration.
func AnalyzerConstructor(values map[string]any, cache *registry.Cache) (analysis.Analyzer, error) {
	r := component.New(Name, values)
	preset := readPreset(r)
	a := &Analyzer{params: r.ParamsOver(preset.Params), config: values}
	a.params.Numbers = r.Numbers()
	a.params.Passages = r.Passages(a.params)
	a.rule = readRule(r, preset, a.params)
	a.terms = readTerms(r, a.params, a.rule)
	a.chain = readChain(r, cache)
	a.params.Tokens = a.chain.tokenizer
	if err := r.Err(); err != nil {
		return nil, err
	}
	a.counters.New = func() any { return repetition.NewCounter() }
	a.makers.New = func() any {
		m, _ := signature.NewMaker(a.params)
		return m
	}
	return a, nil
}

func init() {
	if err := registry.RegisterAnalyzer(Name, AnalyzerConstructor); err != nil {
		panic(err)
	}
}
