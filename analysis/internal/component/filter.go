package component

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"sync"

	"github.com/blevesearch/bleve/v2/analysis"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// filter puts what it makes of a text in the place of its tokens. It has a pool of Makers, since several goroutines call it.
type filter struct {
	makers sync.Pool
	terms  func(m *signature.Maker, size int) analysis.TokenStream
}

// Filter returns a token filter, or the error of r, from which p was read, or of p. The filter adds the terms of its
// input, as they are, as one value to a Maker, and returns what terms makes of that. size is the bytes of the text.
func Filter(r *Reader, p signature.Params, terms func(m *signature.Maker, size int) analysis.TokenStream) (analysis.TokenFilter, error) {
	if err := cmp.Or(r.Err(), p.Validate()); err != nil {
		return nil, err
	}
	return &filter{terms: terms, makers: sync.Pool{New: func() any {
		m, _ := signature.NewMaker(p)
		return m
	}}}, nil
}

// Filter implements analysis.TokenFilter.
func (f *filter) Filter(input analysis.TokenStream) analysis.TokenStream {
	m := f.makers.Get().(*signature.Maker)
	defer f.makers.Put(m)
	defer m.Reset()
	size := 0
	for _, t := range input {
		m.Term(t.Term)
		size = max(size, t.End)
	}
	m.EndValue()
	return f.terms(m, size)
}

// Terms returns numbers as terms of 16 hexadecimal digits, each over the whole text of size
// bytes. Terms of 8 digits that begin with 0 to 5 could be mistaken for bleve's
// prefix-coded numbers.
func Terms(numbers []uint64, size int) analysis.TokenStream {
	const digits = 16
	text := make([]byte, 0, digits*len(numbers))
	tokens := make([]analysis.Token, len(numbers))
	stream := make(analysis.TokenStream, len(numbers))
	for i, n := range numbers {
		var raw [digits / 2]byte
		binary.BigEndian.PutUint64(raw[:], n)
		text = hex.AppendEncode(text, raw[:])
		tokens[i] = analysis.Token{Term: text[i*digits : (i+1)*digits : (i+1)*digits], End: size, Position: i + 1, Type: analysis.Shingle}
		stream[i] = &tokens[i]
	}
	return stream
}
