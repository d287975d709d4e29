package parts

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/internal/strict"
)

// An answer to a Want crosses from process to process as
//
//	1 byte   version, 2
//	string   bleve's result without hits, in JSON; nothing if it is no more than
//	1 byte   whether the number of matches is exact, at least, or nothing is said
//	varints  the parts that were asked, failed and answered, matches, cost and nanoseconds
//	8 bytes  the best score
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

const answerVersion = 2

// States of a signature.
const (
	stateUnsigned byte = iota
	stateSigned
	stateMalformed
	stateVersion
	stateUnreadable

	stateBare byte = 1 << 7
)

// relations are what bleve says of the number of matches.
var relations = [...]string{bleve.TotalRelationEq, bleve.TotalRelationGte, ""}

// ErrAnswer is wrapped by errors of Answer.UnmarshalBinary.
var ErrAnswer = errors.New("malformed answer")

// MarshalBinary implements encoding.BinaryMarshaler.
func (a *Answer) MarshalBinary() ([]byte, error) {
	out := make([]byte, 0, 400*(1+len(a.Ranked)))
	out, err := a.head(append(out, answerVersion))
	if err != nil {
		return nil, err
	}
	if a.More {
		out = append(out, 1)
	} else {
		out = append(out, 0)
	}
	out = binary.AppendUvarint(out, uint64(len(a.Ranked)))
	var told []byte
	for i := range a.Ranked {
		h := &a.Ranked[i]
		var state byte
		if state, told, err = stateOf(told[:0], &h.Hit); err != nil {
			return nil, err
		}
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(h.Score))
		if h.Bare {
			state |= stateBare
		}
		out = appendString(append(out, state), told)
		if out, err = h.append(out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// head appends all but the hits.
func (a *Answer) head(out []byte) ([]byte, error) {
	s := a.SearchResult
	if len(s.Facets) > 0 || len(s.Status.Errors) > 0 || s.Request != nil || s.SynonymResult != nil || s.BM25Stats != nil {
		text, err := json.Marshal(s)
		return appendString(out, text), err
	}
	out = append(out, 0, byte(slices.Index(relations[:], s.TotalRelation)))
	for _, n := range [...]uint64{
		uint64(s.Status.Total), uint64(s.Status.Failed), uint64(s.Status.Successful), s.Total, s.Cost, uint64(s.Took),
	} {
		out = binary.AppendUvarint(out, n)
	}
	return binary.LittleEndian.AppendUint64(out, math.Float64bits(s.MaxScore)), nil
}

// stateOf appends to out the signature, or why there is none.
func stateOf(out []byte, h *stored.Hit) (state byte, told []byte, err error) {
	switch {
	case h.Err == nil && h.Signature == nil, errors.Is(h.Err, stored.ErrNone): // none was read, or is there
		return state, out, nil // stateUnsigned
	case h.Err == nil:
		out, err = h.Signature.AppendBinary(out)
		return stateSigned, out, err
	case errors.Is(h.Err, signature.ErrMalformed):
		state = stateMalformed
	case errors.Is(h.Err, signature.ErrVersion):
		state = stateVersion
	default:
		state = stateUnreadable
	}
	return state, append(out, h.Err.Error()...), nil
}

// append appends all but score and signature.
func (h *Hit) append(out []byte) ([]byte, error) {
	out = appendString(appendString(out, h.ID), h.Index)
	for _, key := range [...][]string{h.Sort, h.DecodedSort} {
		out = binary.AppendUvarint(out, uint64(len(key)))
		for _, part := range key {
			out = appendString(out, part)
		}
	}
	out = appendString(out, h.Values)
	if h.Expl == nil && h.Locations == nil && h.Fragments == nil && h.Fields == nil && h.ScoreBreakdown == nil && h.IndexNames == nil {
		return append(out, 0), nil
	}
	rest := *h.DocumentMatch
	rest.ID, rest.Index, rest.Score, rest.Sort, rest.DecodedSort = "", "", 0, nil, nil
	text, err := json.Marshal(indexes.Hit{Fields: strict.Fields(rest.Fields), DocumentMatch: &rest})
	return appendString(out, text), err
}

func appendString[T string | ~[]byte](out []byte, s T) []byte {
	return append(binary.AppendUvarint(out, uint64(len(s))), s...)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. Its error wraps ErrAnswer.
func (a *Answer) UnmarshalBinary(data []byte) error {
	in := reader{rest: data}
	if version := in.take(1); len(version) == 1 && version[0] != answerVersion {
		return fmt.Errorf("collapse: %w: wanted version %d, got %d", ErrAnswer, answerVersion, version[0])
	}
	v := Answer{SearchResult: new(bleve.SearchResult)}
	in.head(v.SearchResult)
	v.More = slices.Equal(in.take(1), []byte{1})
	const least = 17 // bytes of a hit
	n := in.uvarint(len(data) / least)
	v.Ranked = make([]Hit, n)
	matches, signatures := make([]search.DocumentMatch, n), make([]signature.Signature, n)
	for i := range v.Ranked {
		v.Ranked[i].DocumentMatch, v.Ranked[i].Signature = &matches[i], &signatures[i]
		if in.hit(&v.Ranked[i]); in.err != nil {
			break
		}
	}
	if in.err == nil && len(in.rest) > 0 {
		in.err = fmt.Errorf("wanted an end, got %d bytes", len(in.rest))
	}
	if in.err != nil {
		return fmt.Errorf("collapse: %w: %w", ErrAnswer, in.err)
	}
	*a = v
	return nil
}

// reader reads an answer; rest is what it has not read.
type reader struct {
	rest []byte
	err  error
}

var errCut = errors.New("wanted more bytes, got an end")

// take returns the next n bytes, or none and sets err.
func (in *reader) take(n int) []byte {
	if in.err != nil || n > len(in.rest) {
		if in.err == nil {
			in.err = errCut
		}
		return nil
	}
	taken := in.rest[:n]
	in.rest = in.rest[n:]
	return taken
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

func (in *reader) head(s *bleve.SearchResult) {
	if text := in.string(); len(text) > 0 {
		if in.err = json.Unmarshal(text, s); in.err == nil && s.Status == nil {
			in.err = errors.New("wanted a status, got none")
		}
		s.Hits = nil
		return
	}
	if relation := in.take(1); in.err == nil && int(relation[0]) < len(relations) {
		s.TotalRelation = relations[relation[0]]
	}
	s.Status = new(bleve.SearchStatus)
	for _, n := range [...]*int{&s.Status.Total, &s.Status.Failed, &s.Status.Successful} {
		*n = in.uvarint(math.MaxInt32)
	}
	s.Total, s.Cost = uint64(in.uvarint(math.MaxInt)), uint64(in.uvarint(math.MaxInt))
	s.Took = time.Duration(in.uvarint(math.MaxInt))
	if score := in.take(8); in.err == nil {
		s.MaxScore = math.Float64frombits(binary.LittleEndian.Uint64(score))
	}
}

// byScore is the sort key of all hits sorted by score, as bleve has it.
var byScore = []string{"_score"}

// remoteError is why a signature cannot be read, in the words of another process.
type remoteError struct {
	text string
	kind error
}

func (e remoteError) Error() string { return e.text }
func (e remoteError) Unwrap() error { return e.kind }

func (in *reader) hit(h *Hit) {
	score, state := in.take(8), in.take(1)
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
	h.Bare = state[0]&stateBare != 0
	h.Err = in.signature(h.Signature, state[0]&^stateBare, told)
	if in.err == nil && len(rest) > 0 {
		id, index, sort, decoded := h.ID, h.Index, h.Sort, h.DecodedSort
		v := indexes.Hit{DocumentMatch: h.DocumentMatch}
		in.err = json.Unmarshal(rest, &v)
		h.ID, h.Index, h.Sort, h.DecodedSort = id, index, sort, decoded
		h.Fields = strict.Unfields(v.Fields)
	}
	h.Score = math.Float64frombits(binary.LittleEndian.Uint64(score))
}

// signature reads a signature, or returns why there is none.
func (in *reader) signature(sig *signature.Signature, state byte, told []byte) error {
	switch state {
	case stateSigned:
		in.err = sig.UnmarshalBinary(told)
	case stateUnsigned:
		return stored.ErrNone
	case stateMalformed:
		return remoteError{string(told), signature.ErrMalformed}
	case stateVersion:
		return remoteError{string(told), signature.ErrVersion}
	case stateUnreadable:
		return remoteError{text: string(told)}
	default:
		in.err = fmt.Errorf("wanted a state up to %d, got %d", stateUnreadable, state)
	}
	return nil
}

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
