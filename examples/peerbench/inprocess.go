package main

import (
	"bytes"
	"strings"
	"syscall"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/token/lowercase"
	"github.com/blevesearch/bleve/v2/analysis/token/shingle"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
	"github.com/cespare/xxhash/v2"
	"github.com/dgryski/go-minhash"
	minhashlsh "github.com/ekzhu/minhash-lsh"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// width is the number of words in a shingle, for all.
const width = 4

// inProcess are the peers in Go, this library first.
func inProcess(docs [][]byte) []peer {
	p := signature.DefaultParams()
	stored := 0
	for _, d := range docs {
		s := signature.Of(p, d)
		b, _ := s.MarshalBinary() // never fails
		stored += len(b)
	}
	in := passes{docs: docs}
	tokenizer := unicode.NewUnicodeTokenizer()
	shingler := analysis.DefaultAnalyzer{
		Tokenizer: tokenizer,
		TokenFilters: []analysis.TokenFilter{
			lowercase.NewLowerCaseFilter(), shingle.NewShingleFilter(width, width, false, " ", "_"),
		},
	}
	var sum uint64 // keeps the compiler from dropping the hash
	var buf []byte // the filter lower-cases in place
	all := []peer{
		{
			name: "this library: sketch, simhash, exact hash", bytes: float64(stored) / float64(len(docs)),
			pass: in.each(func(doc []byte) { signature.Of(p, doc) }), agree: agreeingSketches(),
		},
		{name: "xxHash64 of the bytes (the limit)", bytes: 8, pass: in.each(func(doc []byte) { sum += xxhash.Sum64(doc) })},
		{name: "bleve's unicode tokenizer alone", pass: in.each(func(doc []byte) { tokenizer.Tokenize(doc) })},
		{name: "bleve: unicode, to_lower, shingle", pass: in.each(func(doc []byte) {
			buf = append(buf[:0], doc...)
			shingler.Analyze(buf)
		})},
		{name: "ekzhu/minhash-lsh, 100 lanes", bytes: 8 * lanes, pass: in.cheap(ekzhu), agree: agreeing(ekzhu)},
		{name: "dgryski/go-minhash MinWise, 100 lanes", bytes: 8 * lanes, pass: in.cheap(minWise), agree: agreeing(minWise)},
		{name: "dgryski/go-minhash BottomK, 100", bytes: 8 * lanes, pass: in.cheap(bottomK)},
		{name: "ekzhu/minhash-lsh, joining words", bytes: 8 * lanes, pass: in.joined(ekzhu)},
		{name: "dgryski/go-minhash MinWise, joining words", bytes: 8 * lanes, pass: in.joined(minWise)},
	}
	for i := range all {
		all[i].cpu = ownCPU
	}
	return all
}

// passes goes over all documents, in several ways.
type passes struct {
	docs  [][]byte
	words words
}

func (p *passes) each(do func(doc []byte)) func() error {
	return func() error {
		for _, d := range p.docs {
			do(d)
		}
		return nil
	}
}

// cheap gives a sketcher the shingles as cheaply as can be.
func (p *passes) cheap(sketch sketcher) func() error {
	return p.each(func(doc []byte) {
		p.words.read(doc)
		sketch(p.words.shingles)
	})
}

// joined gives a sketcher the shingles as programs usually make them.
func (p *passes) joined(sketch sketcher) func() error {
	return p.each(func(doc []byte) {
		words := strings.Fields(strings.ToLower(string(doc)))
		sketch(func(push func([]byte)) {
			for i := range max(0, len(words)-width+1) {
				push([]byte(strings.Join(words[i:i+width], " ")))
			}
		})
	})
}

// sketcher sketches the set of what push gives it.
type sketcher func(push func(each func(element []byte))) []uint64

func ekzhu(push func(func([]byte))) []uint64 {
	m := minhashlsh.NewMinhash(1, lanes)
	push(m.Push)
	return m.Signature()
}

func minWise(push func(func([]byte))) []uint64 {
	m := minhash.NewMinWise(xxhash.Sum64, seeded(), lanes)
	push(m.Push)
	return m.Signature()
}

func bottomK(push func(func([]byte))) []uint64 {
	m := minhash.NewBottomK(xxhash.Sum64, lanes)
	push(m.Push)
	return m.Signature()
}

// ownCPU is the CPU time of this process.
func ownCPU() (int64, error) {
	var u syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u.Utime.Nano() + u.Stime.Nano(), err
}

// seeded is a second hash function beside xxHash64, which MinWise wants.
func seeded() minhash.Hash64 {
	d := xxhash.NewWithSeed(1)
	return func(b []byte) uint64 {
		d.ResetWithSeed(1)
		d.Write(b)
		return d.Sum64()
	}
}

func agreeingSketches() func(a, b []uint64) int {
	builder := sketch.NewBuilder(lanes, 0)
	of := func(set []uint64) sketch.Sketch {
		builder.Reset()
		builder.Add(set)
		builder.Finish(set)
		return builder.Append(nil)
	}
	return func(a, b []uint64) int { return lanes - sketch.Differ(of(a), of(b)) }
}

// words prepares shingles for peers that want them as bytes: lower case, one space
// between words, and then no byte is copied. Programs usually join words for every
// shingle instead; that is measured too.
type words struct {
	text  []byte
	start []int // of each word in text, and one past the end
}

func (w *words) read(doc []byte) {
	w.text, w.start = w.text[:0], w.start[:0]
	for word := range bytes.FieldsSeq(bytes.ToLower(doc)) {
		w.start = append(w.start, len(w.text))
		w.text = append(append(w.text, word...), ' ')
	}
	w.start = append(w.start, len(w.text))
}

func (w *words) shingles(each func([]byte)) {
	for i := 0; i+width < len(w.start); i++ {
		each(w.text[w.start[i] : w.start[i+width]-1])
	}
}
