package fields

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/numeric"
)

// Values are the values of a document in some fields: for each field the number of its values
// and then these, in order, each after its length. Equal values are equal bytes.
type Values []byte

// appendSet appends the values of one field, which it sorts.
func (v Values) appendSet(set [][]byte) Values {
	slices.SortFunc(set, slices.Compare[[]byte])
	return v.append(slices.CompactFunc(set, slices.Equal[[]byte]))
}

// append appends the values of one field as they are.
func (v Values) append(set [][]byte) Values {
	v = binary.AppendUvarint(v, uint64(len(set)))
	for _, value := range set {
		v = append(binary.AppendUvarint(v, uint64(len(value))), value...)
	}
	return v
}

// Lacks returns a bit for each of the first n fields that has no value, the lowest for the first.
func (v Values) Lacks(n int) (bits uint64) {
	for i := range n {
		rest, has, err := v.skip(nil)
		if err != nil {
			break
		}
		if v = rest; has == 0 {
			bits |= 1 << i
		}
	}
	return bits
}

var errCut = errors.New("wanted the values of more fields, got an end")

// skip calls f, which may be nil, with the values of the first field, and returns what comes after them, and how many
// they are.
func (v Values) skip(f func(value []byte)) (rest Values, n uint64, err error) {
	n, size := binary.Uvarint(v)
	if size <= 0 {
		return nil, 0, errCut
	}
	v = v[size:]
	for range n {
		length, size := binary.Uvarint(v)
		if size <= 0 || length > uint64(len(v)-size) {
			return nil, 0, errCut
		}
		end := size + int(length)
		if f != nil {
			f(v[size:end])
		}
		v = v[end:]
	}
	return v, n, nil
}

// Each calls f with each value of the fields of these names.
func (v Values) Each(names []string, f func(name string, value []byte)) (err error) {
	for _, name := range names {
		if v, _, err = v.skip(func(value []byte) { f(name, value) }); err != nil {
			return err
		}
	}
	return nil
}

// OfHit returns the values in the loaded fields of a hit, as far as these tell: a date is the
// text that bleve makes of it.
func OfHit(loaded map[string]any, names []string) Values {
	var v Values
	for _, name := range names {
		var set [][]byte
		switch value := loaded[name].(type) {
		case nil:
		case []any:
			for _, one := range value {
				set = append(set, terms(one)...)
			}
		default:
			set = terms(value)
		}
		v = v.appendSet(set)
	}
	return v
}

// terms are the terms that bleve makes of a value.
func terms(value any) [][]byte {
	switch value := value.(type) {
	case string:
		return [][]byte{[]byte(value)}
	case float64:
		return codes(numeric.Float64ToInt64(value))
	case bool:
		if value {
			return [][]byte{[]byte("T")}
		}
		return [][]byte{[]byte("F")}
	}
	return [][]byte{fmt.Append(nil, value)}
}

// codes are the terms of a number or date: bleve has it at several precisions.
func codes(n int64) (all [][]byte) {
	for shift := uint(0); shift < 64; shift += document.DefaultPrecisionStep {
		code, err := numeric.NewPrefixCodedInt64(n, shift)
		if err != nil {
			break
		}
		all = append(all, code)
	}
	return all
}

// Numbers gives values numbers. The zero Numbers has given none.
type Numbers struct {
	Options
	of   map[string]uint32
	last uint32
}

// What Numbers.Of gives in place of numbers.
const (
	None  = 0              // no value of By
	Apart = math.MaxUint32 // a scope that is equal to no other
)

// Of returns the numbers of the scope, which are the values of Within, and of the key, which
// is the values of By in that scope. The error is of Values that are none.
func (n *Numbers) Of(v Values) (scope, key uint32, err error) {
	rest, missing := v, false
	for range n.Within {
		var has uint64
		if rest, has, err = rest.skip(nil); err != nil {
			return 0, 0, err
		}
		missing = missing || has == 0
	}
	if len(n.Within) > 0 {
		scope = n.number(v[:len(v)-len(rest)])
	}
	if missing {
		scope = Apart
	}
	if n.By != "" {
		var has uint64
		if rest, has, err = rest.skip(nil); err != nil {
			return 0, 0, err
		}
		switch {
		case has > 0 && scope == Apart:
			key = n.next()
		case has > 0:
			key = n.number(v[:len(v)-len(rest)])
		}
	}
	return scope, key, nil
}

// Values returns one value of By of each of these keys.
func (n *Numbers) Values(keys map[uint32]bool) (all []string) {
	for of, key := range n.of {
		if !keys[key] {
			continue
		}
		rest, first := Values(of), true
		for range n.Within {
			rest, _, _ = rest.skip(nil)
		}
		rest.skip(func(value []byte) {
			if first {
				all, first = append(all, string(value)), false
			}
		})
	}
	return all
}

func (n *Numbers) number(v []byte) uint32 {
	if at, ok := n.of[string(v)]; ok {
		return at
	}
	if n.of == nil {
		n.of = make(map[string]uint32)
	}
	at := n.next()
	n.of[string(v)] = at
	return at
}

// next returns a number that nothing has.
func (n *Numbers) next() uint32 {
	n.last++
	return n.last
}
