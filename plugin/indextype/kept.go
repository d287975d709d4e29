package indextype

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/internal/templates"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
)

// keeping is a kind of internal value by which an index signs or judges what is written to
// it. It is in force as soon as it is kept, and again when the index is opened.
type keeping struct {
	key string // its key, or what its keys begin with if that ends in a slash
	by  string // the function that writes it, for people
}

// keepings are all kinds. A batch must not write such a value: it would not be in force before
// the index is opened again.
var keepings = []keeping{{gate.PolicyKey, "SetPolicy"}, {templates.Prefix, "SetTemplates"}, {gate.UsesKey, "the index"}}

// ownKey returns an error if a batch must not write the internal value of that key.
func ownKey(key string) error {
	for _, k := range keepings {
		if key == k.key || strings.HasSuffix(k.key, "/") && strings.HasPrefix(key, k.key) {
			return fmt.Errorf("neardup: internal value %s: wanted %s to write it, got a batch that does", key, k.by)
		}
	}
	return nil
}

// keeper writes internal values of one index.
type keeper struct {
	gate  *gate.Gate
	open  func() (index.IndexReader, error)
	write func(*index.Batch) error
}

// value returns the internal value of a key, nil if there is none.
func (k keeper) value(key string) ([]byte, error) {
	reader, err := k.open()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	value, err := reader.GetInternal([]byte(key))
	return bytes.Clone(value), err
}

// keep keeps an internal value, or none if encode returns nil, and then calls use, which puts
// what it says in force. Writes that have begun end before that, and others wait until use has
// returned, so each of them is signed and judged by what was in force before, or by what is in
// force afterwards. An error of ctx, of encode or of writing leaves everything as it was. A value
// that is kept already is not written again, so that it can be put in force where the index is
// read-only.
func (k keeper) keep(ctx context.Context, key string, encode func() ([]byte, error), use func() error) error {
	if ctx == nil {
		return errors.New("neardup: wanted a context, got nil")
	}
	leave, err := k.gate.Enter(ctx, true)
	if err != nil {
		return err
	}
	defer leave()
	value, err := encode()
	if err != nil {
		return err
	}
	old, err := k.value(key)
	if err != nil {
		return err
	}
	if !bytes.Equal(value, old) {
		b := index.NewBatch()
		if b.SetInternal([]byte(key), value); value == nil {
			b.DeleteInternal([]byte(key))
		}
		if err := k.write(b); err != nil {
			return err
		}
	}
	return use()
}
