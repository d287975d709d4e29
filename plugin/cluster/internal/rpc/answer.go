package rpc

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/hits"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// An answer to a Want crosses from process to process as
//
//	1 byte   version, 3
//	string   bleve's result without hits, in JSON, and without
//	8 bytes  the best score, which might be no number
//	1 byte   1 if there are more hits
//	varint   the number of hits, and then for each
//
//	8 bytes  the score, as in IEEE 754, little-endian
//	1 byte   what is known of the signature: a state, with 1<<7 if fields are not loaded
//	string   the signature as stored, or why there is none
//	string   the id, and the name of the index
//	strings  the sort key, and the decoded one, each after a varint of its parts
//	string   the values that the hit is grouped by; mostly nothing
//	string   whatever else a hit has, in JSON; mostly nothing
//
// where a string comes after a varint of its bytes. In JSON, a page of 10 hits from each of
// three nodes took longer to write and to read than to find.

const (
	answerVersion = 3
	bare          = 1 << 7
	leastHit      = 17 // bytes
)

// States of a signature: it is there, or the error is one of these, or another.
const (
	signed = iota
	unsigned
	malformed
	unknownVersion
	unreadable
)

var kinds = [...]error{
	unsigned: stored.ErrNone, malformed: signature.ErrMalformed, unknownVersion: signature.ErrVersion,
}

// ErrAnswer is wrapped by errors of DecodeAnswer.
var ErrAnswer = errors.New("malformed answer")

// EncodeAnswer returns the bytes of an answer.
func EncodeAnswer(a *hits.Answer) ([]byte, error) {
	own := *a.SearchResult
	own.MaxScore = 0
	head, err := json.Marshal(&own)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, 400*(1+len(a.Ranked)))
	out = appendString(append(out, answerVersion), head)
	out = binary.LittleEndian.AppendUint64(out, math.Float64bits(a.MaxScore))
	more := byte(0)
	if a.More {
		more = 1
	}
	out = binary.AppendUvarint(append(out, more), uint64(len(a.Ranked)))
	for i := range a.Ranked {
		if out, err = appendHit(out, &a.Ranked[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func appendHit(out []byte, h *hits.Hit) ([]byte, error) {
	state, told, err := stateOf(h)
	if err != nil {
		return nil, err
	}
	if h.Bare {
		state |= bare
	}
	out = binary.LittleEndian.AppendUint64(out, math.Float64bits(h.Score))
	out = appendString(append(out, state), told)
	out = appendString(appendString(out, h.ID), h.Index)
	for _, key := range [...][]string{h.Sort, h.DecodedSort} {
		out = binary.AppendUvarint(out, uint64(len(key)))
		for _, part := range key {
			out = appendString(out, part)
		}
	}
	out = appendString(out, h.Values)
	if h.Expl == nil && h.Locations == nil && h.Fragments == nil && h.Fields == nil &&
		h.ScoreBreakdown == nil && h.IndexNames == nil {
		return append(out, 0), nil
	}
	rest := *h.DocumentMatch
	rest.ID, rest.Index, rest.Score, rest.Sort, rest.DecodedSort = "", "", 0, nil, nil
	text, err := json.Marshal(&rest)
	return appendString(out, text), err
}

// stateOf returns the signature, or why there is none.
func stateOf(h *hits.Hit) (state byte, told []byte, err error) {
	switch {
	case h.Err == nil && h.Signature == nil: // none was read
		return unsigned, nil, nil
	case h.Err == nil:
		told, err = h.Signature.MarshalBinary()
		return signed, told, err
	}
	for state = unsigned; state < unreadable && !errors.Is(h.Err, kinds[state]); state++ {
	}
	return state, []byte(h.Err.Error()), nil
}

func appendString[T string | ~[]byte](out []byte, s T) []byte {
	return append(binary.AppendUvarint(out, uint64(len(s))), s...)
}

// DecodeAnswer reads what EncodeAnswer returned. Its error wraps ErrAnswer.
func DecodeAnswer(data []byte) (*hits.Answer, error) {
	in := reader{rest: data}
	if version := in.byte(); in.err == nil && version != answerVersion {
		return nil, fmt.Errorf("cluster: %w: wanted version %d, got %d", ErrAnswer, answerVersion, version)
	}
	a := &hits.Answer{SearchResult: new(bleve.SearchResult)}
	if head := in.string(); in.err == nil {
		in.err = json.Unmarshal(head, a.SearchResult)
	}
	if a.Hits = nil; in.err == nil && a.Status == nil {
		in.err = errors.New("wanted a status, got none")
	}
	a.MaxScore = in.score()
	a.More = in.byte() == 1
	n := in.uvarint(len(data) / leastHit)
	a.Ranked = make([]hits.Hit, n)
	matches, signatures := make([]search.DocumentMatch, n), make([]signature.Signature, n)
	for i := range a.Ranked {
		a.Ranked[i].DocumentMatch, a.Ranked[i].Signature = &matches[i], &signatures[i]
		if in.hit(&a.Ranked[i]); in.err != nil {
			break
		}
	}
	if in.err == nil && len(in.rest) > 0 {
		in.err = fmt.Errorf("wanted an end, got %d bytes", len(in.rest))
	}
	if in.err != nil {
		return nil, fmt.Errorf("cluster: %w: %w", ErrAnswer, in.err)
	}
	return a, nil
}

// reader reads an answer; rest is what it has not read.
type reader struct {
	rest []byte
	err  error
}

// take returns the next n bytes, or zeros and sets err.
func (in *reader) take(n int) []byte {
	if in.err == nil && n > len(in.rest) {
		in.err = errors.New("wanted more bytes, got an end")
	}
	if in.err != nil {
		return make([]byte, n)
	}
	taken := in.rest[:n]
	in.rest = in.rest[n:]
	return taken
}

func (in *reader) byte() byte { return in.take(1)[0] }

func (in *reader) score() float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(in.take(8)))
}

// uvarint returns a number up to most, or 0 and sets err.
func (in *reader) uvarint(most int) int {
	n, size := binary.Uvarint(in.rest)
	if in.err == nil && (size <= 0 || n > uint64(most)) {
		in.err = fmt.Errorf("wanted a number up to %d, got %d", most, n)
	}
	if in.err != nil {
		return 0
	}
	in.rest = in.rest[size:]
	return int(n)
}

func (in *reader) string() []byte { return in.take(in.uvarint(len(in.rest))) }

// remoteError is why a signature cannot be read, in the words of another process.
type remoteError struct {
	text string
	kind error
}

func (e remoteError) Error() string { return e.text }
func (e remoteError) Unwrap() error { return e.kind }

func (in *reader) hit(h *hits.Hit) {
	score, state := in.score(), in.byte()
	told := in.string()
	h.ID, h.Index = string(in.string()), string(in.string())
	h.Sort, h.DecodedSort = in.key(), in.key()
	if values := in.string(); len(values) > 0 {
		h.Values = values
	}
	rest := in.string()
	if in.err != nil {
		return
	}
	h.Bare = state&bare != 0
	switch state &^= bare; state {
	case signed:
		in.err = h.Signature.UnmarshalBinary(told)
	case unsigned:
		h.Err = stored.ErrNone
	case malformed, unknownVersion:
		h.Err = remoteError{string(told), kinds[state]}
	case unreadable:
		h.Err = remoteError{text: string(told)}
	default:
		in.err = fmt.Errorf("wanted a state up to %d, got %d", unreadable, state)
	}
	if in.err == nil && len(rest) > 0 {
		id, index, sort, decoded := h.ID, h.Index, h.Sort, h.DecodedSort
		in.err = json.Unmarshal(rest, h.DocumentMatch)
		h.ID, h.Index, h.Sort, h.DecodedSort = id, index, sort, decoded
	}
	h.Score = score
}

// byScore is the sort key of all hits sorted by score, as bleve has it.
var byScore = []string{"_score"}

func (in *reader) key() []string {
	n := in.uvarint(len(in.rest))
	if n == 0 {
		return nil
	}
	key := make([]string, 0, min(n, 8))
	for range n {
		part := in.string()
		if in.err != nil {
			return nil
		}
		key = append(key, string(part))
	}
	if len(key) == 1 && key[0] == byScore[0] {
		return byScore
	}
	return key
}
