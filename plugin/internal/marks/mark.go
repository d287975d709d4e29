package marks

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// keptMark is a mark that the index keeps.
type keptMark struct {
	*admission.Mark
	key uint64 // of its uses
}

// useKey is the key of the uses of a mark, from its name and its stored form: names of marks
// that were removed are not to be found in the index.
func useKey(name string, text []byte) uint64 {
	h := xxhash.New()
	h.WriteString(name)
	h.Write([]byte{0})
	h.Write(text)
	return h.Sum64()
}

// The stored form of a mark is its key, eight bytes, and then a text: the mark as JSON without its signature, and the
// signature as MarshalBinary makes it, each after its length (uvarint). So what is damaged is found out by the key.
const keyBytes = 8

// parseMark reads the stored form of a mark.
func parseMark(name string, value []byte) (*keptMark, error) {
	if len(value) < keyBytes {
		return nil, fmt.Errorf("admission: mark %q: wanted %d bytes or more, got %d: %w", name, keyBytes, len(value), signature.ErrMalformed)
	}
	key, text := binary.BigEndian.Uint64(value), value[keyBytes:]
	if own := useKey(name, text); own != key {
		return nil, fmt.Errorf("admission: mark %q: wanted bytes of the checksum %016x, got %016x: %w", name, key, own, signature.ErrMalformed)
	}
	head, rest, ok := cutPart(text)
	sig, rest, ok2 := cutPart(rest)
	if !ok || !ok2 || len(rest) > 0 {
		return nil, fmt.Errorf("admission: mark %q: wanted JSON and a signature, got %d bytes: %w", name, len(text), signature.ErrMalformed)
	}
	mark := &admission.Mark{}
	if err := json.Unmarshal(head, mark); err != nil {
		return nil, fmt.Errorf("admission: mark %q: %w", name, err)
	}
	mark.Signature = new(signature.Signature)
	if err := mark.Signature.UnmarshalBinary(sig); err != nil {
		return nil, fmt.Errorf("admission: mark %q: %w", name, err)
	}
	if err := mark.Validate(); err != nil {
		return nil, err
	}
	if mark.Name != name {
		return nil, fmt.Errorf("admission: mark: wanted %q, as its key says, got %q", name, mark.Name)
	}
	return &keptMark{mark, key}, nil
}

// cutPart cuts what follows its own length off data.
func cutPart(data []byte) (part, rest []byte, ok bool) {
	size, n := binary.Uvarint(data)
	if n <= 0 || size > uint64(len(data)-n) {
		return nil, nil, false
	}
	return data[n : n+int(size)], data[n+int(size):], true
}

// encode returns the stored form of a mark.
func encode(mark admission.Mark) ([]byte, error) {
	if err := mark.Validate(); err != nil {
		return nil, err
	}
	sig, err := mark.Signature.MarshalBinary()
	if err != nil {
		return nil, err
	}
	mark.Signature = nil
	head, err := json.Marshal(mark)
	if err != nil {
		return nil, err
	}
	stored := make([]byte, keyBytes)
	for _, part := range [][]byte{head, sig} {
		stored = append(binary.AppendUvarint(stored, uint64(len(part))), part...)
	}
	binary.BigEndian.PutUint64(stored, useKey(mark.Name, stored[keyBytes:]))
	return stored, nil
}
