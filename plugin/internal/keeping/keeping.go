// Package keeping writes the internal values by which an index of type neardup signs and judges what is
// written to it.
package keeping

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/internal/templates"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
	"github.com/neardup/bleve-neardup/plugin/internal/markstore"
)

// ruling are the kinds of internal values by which an index signs or judges what is written to it. Such a
// value is in force as soon as it is kept, and again when the index is opened. A batch must not write one: it
// would not be in force before the index is opened again.
var ruling = []struct {
	key string // its key, or what its keys begin with if that ends in a slash
	by  string // the function that writes it, for people
}{{gate.PolicyKey, "SetPolicy"}, {templates.Prefix, "SetTemplates"}, {markstore.Key, "SetMark"}, {markstore.Key + "/", "SetMark"}}

// Owned returns an error if a batch must not write the internal value of that key.
func Owned(key string) error {
	for _, k := range ruling {
		if key == k.key || strings.HasSuffix(k.key, "/") && strings.HasPrefix(key, k.key) {
			return fmt.Errorf("neardup: internal value %s: wanted %s to write it, got a batch that does", key, k.by)
		}
	}
	return nil
}

// Keeper writes the ruling internal values of one index.
type Keeper struct {
	Gate  *gate.Gate
	Open  func() (index.IndexReader, error)
	Write func(*index.Batch) error
}

// Value returns the internal value of a key, nil if there is none.
func (k Keeper) Value(key string) ([]byte, error) {
	reader, err := k.Open()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	value, err := reader.GetInternal([]byte(key))
	return bytes.Clone(value), err
}

// Keep keeps an internal value, or none if encode returns nil, and then calls use, which puts
// what it says in force. Writes that have begun end before that, and others wait until use has
// returned, so each of them is signed and judged by what was in force before, or by what is in
// force afterwards. An error of ctx, of encode or of writing leaves everything as it was. A value
// that is kept already is not written again, so that it can be put in force where the index is
// read-only.
func (k Keeper) Keep(ctx context.Context, key string, encode func() ([]byte, error), use func() error) error {
	if ctx == nil {
		return errors.New("neardup: wanted a context, got nil")
	}
	leave, err := k.Gate.Enter(ctx, true)
	if err != nil {
		return err
	}
	defer leave()
	value, err := encode()
	if err != nil {
		return err
	}
	old, err := k.Value(key)
	if err != nil {
		return err
	}
	if !bytes.Equal(value, old) {
		b := index.NewBatch()
		if b.SetInternal([]byte(key), value); value == nil {
			b.DeleteInternal([]byte(key))
		}
		if err := k.Write(b); err != nil {
			return err
		}
	}
	return use()
}
