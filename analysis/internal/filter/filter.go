// Package filter has the common parts of this module's token filters: a pool of [Makers],
// and [Terms].
package filter

import (
	"encoding/binary"
	"encoding/hex"
	"sync"

	"github.com/blevesearch/bleve/v2/analysis"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// Makers is a pool of signature.Makers, since several goroutines call filters. It is safe
// for concurrent use.
type Makers struct {
	pool sync.Pool
}

// NewMakers returns Makers, or an error if p is not valid.
func NewMakers(p signature.Params) (*Makers, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	m := new(Makers)
	m.pool.New = func() any {
		maker, _ := signature.NewMaker(p)
		return maker
	}
	return m, nil
}

// Filter adds the terms of input, as they are, as one value to a Maker, and returns the
// result of terms. size is the size of the whole text in bytes.
func (m *Makers) Filter(input analysis.TokenStream, terms func(maker *signature.Maker, size int) analysis.TokenStream) analysis.TokenStream {
	maker := m.pool.Get().(*signature.Maker)
	defer m.pool.Put(maker)
	defer maker.Reset()
	size := 0
	for _, t := range input {
		maker.Term(t.Term)
		size = max(size, t.End)
	}
	maker.EndValue()
	return terms(maker, size)
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
