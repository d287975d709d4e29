package collapse

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
	"github.com/neardup/bleve-neardup/internal/ids"
)

// An answer to a Want crosses from process to process as
//
//	1 byte   version, 1
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
//	string   whatever else a hit has, in JSON; mostly nothing
//
// where a string comes after a varint of its bytes. In JSON, a page of 10 hits from each of
// three nodes took longer to write and to read than to find.

const rankedVersion = 1

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

// ErrAnswer is wrapped by errors of Ranked.UnmarshalBinary.
var ErrAnswer = errors.New("malformed answer")

// MarshalBinary implements encoding.BinaryMarshaler.
func (r *Ranked) MarshalBinary() ([]byte, error) {
	out := make([]byte, 0, 400*(1+len(r.hits)))
	out, err := r.head(append(out, rankedVersion))
	if err != nil {
		return nil, err
	}
	if r.more {
		out = append(out, 1)
	} else {
		out = append(out, 0)
	}
	out = binary.AppendUvarint(out, uint64(len(r.hits)))
	var told []byte
	for i := range r.hits {
		h := &r.hits[i]
		var state byte
		if state, told, err = h.state(told[:0]); err != nil {
			return nil, err
		}
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(h.Score))
		out = appendString(append(out, state), told)
		if out, err = h.append(out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// head appends all but the hits.
func (r *Ranked) head(out []byte) ([]byte, error) {
	s := r.SearchResult
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

// state appends to out the signature, or why there is none.
func (h *rankedHit) state(out []byte) (state byte, told []byte, err error) {
	if h.bare {
		state = stateBare
	}
	switch {
	case h.err == nil:
		out, err = h.sig.AppendBinary(out)
		return state | stateSigned, out, err
	case errors.Is(h.err, errUnsigned):
		return state, out, nil // stateUnsigned
	case errors.Is(h.err, signature.ErrMalformed):
		state |= stateMalformed
	case errors.Is(h.err, signature.ErrVersion):
		state |= stateVersion
	default:
		state |= stateUnreadable
	}
	return state, append(out, h.err.Error()...), nil
}

// append appends all but score and signature.
func (h *rankedHit) append(out []byte) ([]byte, error) {
	out = appendString(appendString(out, h.ID), h.Index)
	for _, key := range [...][]string{h.Sort, h.DecodedSort} {
		out = binary.AppendUvarint(out, uint64(len(key)))
		for _, part := range key {
			out = appendString(out, part)
		}
	}
	if h.Expl == nil && h.Locations == nil && h.Fragments == nil && h.Fields == nil && h.ScoreBreakdown == nil && h.IndexNames == nil {
		return append(out, 0), nil
	}
	rest := *h.DocumentMatch
	rest.ID, rest.Index, rest.Score, rest.Sort, rest.DecodedSort = "", "", 0, nil, nil
	text, err := json.Marshal(hitJSON{Fields: ids.Fields(rest.Fields), DocumentMatch: &rest})
	return appendString(out, text), err
}

func appendString[T string | []byte](out []byte, s T) []byte {
	return append(binary.AppendUvarint(out, uint64(len(s))), s...)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. Its error wraps ErrAnswer.
func (r *Ranked) UnmarshalBinary(data []byte) error {
	in := answer{rest: data}
	if version := in.take(1); len(version) == 1 && version[0] != rankedVersion {
		return fmt.Errorf("collapse: %w: wanted version %d, got %d", ErrAnswer, rankedVersion, version[0])
	}
	v := Ranked{SearchResult: new(bleve.SearchResult)}
	in.head(v.SearchResult)
	v.more = slices.Equal(in.take(1), []byte{1})
	const least = 16 // bytes of a hit
	n := in.uvarint(len(data) / least)
	v.hits = make([]rankedHit, n)
	matches, signatures := make([]search.DocumentMatch, n), make([]signature.Signature, n)
	for i := range v.hits {
		v.hits[i].DocumentMatch, v.hits[i].sig = &matches[i], &signatures[i]
		if in.hit(&v.hits[i]); in.err != nil {
			break
		}
	}
	if in.err == nil && len(in.rest) > 0 {
		in.err = fmt.Errorf("wanted an end, got %d bytes", len(in.rest))
	}
	if in.err != nil {
		return fmt.Errorf("collapse: %w: %w", ErrAnswer, in.err)
	}
	*r = v
	return nil
}

// answer is what is left of one to read.
type answer struct {
	rest []byte
	err  error
}

var errCut = errors.New("wanted more bytes, got an end")

// take returns the next n bytes, or none and sets err.
func (a *answer) take(n int) []byte {
	if a.err != nil || n > len(a.rest) {
		if a.err == nil {
			a.err = errCut
		}
		return nil
	}
	taken := a.rest[:n]
	a.rest = a.rest[n:]
	return taken
}

// uvarint returns a number up to most, or 0 and sets err.
func (a *answer) uvarint(most int) int {
	n, size := binary.Uvarint(a.rest)
	if a.err == nil && (size <= 0 || n > uint64(most)) {
		a.err = fmt.Errorf("wanted a number up to %d, got %d", most, n)
	}
	if a.err != nil {
		return 0
	}
	a.rest = a.rest[size:]
	return int(n)
}

func (a *answer) string() []byte { return a.take(a.uvarint(len(a.rest))) }

func (a *answer) head(s *bleve.SearchResult) {
	if text := a.string(); len(text) > 0 {
		if a.err = json.Unmarshal(text, s); a.err == nil && s.Status == nil {
			a.err = errors.New("wanted a status, got none")
		}
		s.Hits = nil
		return
	}
	if relation := a.take(1); a.err == nil && int(relation[0]) < len(relations) {
		s.TotalRelation = relations[relation[0]]
	}
	s.Status = new(bleve.SearchStatus)
	for _, n := range [...]*int{&s.Status.Total, &s.Status.Failed, &s.Status.Successful} {
		*n = a.uvarint(math.MaxInt32)
	}
	s.Total, s.Cost = uint64(a.uvarint(math.MaxInt)), uint64(a.uvarint(math.MaxInt))
	s.Took = time.Duration(a.uvarint(math.MaxInt))
	if score := a.take(8); a.err == nil {
		s.MaxScore = math.Float64frombits(binary.LittleEndian.Uint64(score))
	}
}

// remoteError is why a signature cannot be read, as another process tells.
type remoteError struct {
	text string
	kind error
}

func (e remoteError) Error() string { return e.text }
func (e remoteError) Unwrap() error { return e.kind }

func (a *answer) hit(h *rankedHit) {
	score, state := a.take(8), a.take(1)
	told := a.string()
	h.ID, h.Index = string(a.string()), string(a.string())
	h.Sort, h.DecodedSort = a.key(), a.key()
	rest := a.string()
	if a.err != nil {
		return
	}
	h.bare = state[0]&stateBare != 0
	switch state[0] &^ stateBare {
	case stateSigned:
		a.err = h.sig.UnmarshalBinary(told)
	case stateUnsigned:
		h.err = errUnsigned
	case stateMalformed:
		h.err = remoteError{string(told), signature.ErrMalformed}
	case stateVersion:
		h.err = remoteError{string(told), signature.ErrVersion}
	case stateUnreadable:
		h.err = remoteError{text: string(told)}
	default:
		a.err = fmt.Errorf("wanted a state up to %d, got %d", stateUnreadable, state[0])
	}
	if a.err == nil && len(rest) > 0 {
		id, index, sort, decoded := h.ID, h.Index, h.Sort, h.DecodedSort
		v := hitJSON{DocumentMatch: h.DocumentMatch}
		a.err = json.Unmarshal(rest, &v)
		h.ID, h.Index, h.Sort, h.DecodedSort = id, index, sort, decoded
		h.Fields = ids.Unfields(v.Fields)
	}
	h.Score = math.Float64frombits(binary.LittleEndian.Uint64(score))
}

func (a *answer) key() []string {
	n := a.uvarint(len(a.rest))
	if n == 0 {
		return nil
	}
	key := make([]string, 0, min(n, 8))
	for range n {
		part := a.string()
		if a.err != nil {
			return nil
		}
		key = append(key, string(part))
	}
	if len(key) == 1 && key[0] == scoreKey[0] {
		return scoreKey
	}
	return key
}
