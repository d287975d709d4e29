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

// keyBytes is the length of the key with which the stored form of a mark begins. JSON follows. So what is damaged is
// found out by the key.
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
	mark := &admission.Mark{}
	if err := json.Unmarshal(text, mark); err != nil {
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

// encode returns the stored form of a mark.
func encode(mark admission.Mark) ([]byte, error) {
	if err := mark.Validate(); err != nil {
		return nil, err
	}
	text, err := json.Marshal(mark)
	if err != nil {
		return nil, err
	}
	return append(binary.BigEndian.AppendUint64(nil, useKey(mark.Name, text)), text...), nil
}
