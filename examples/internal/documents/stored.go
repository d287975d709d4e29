package documents

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2"
	_ "github.com/blevesearch/bleve/v2/config" // what bleve ships for a mapping to name: Open says if one names anything else
	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"
	bolt "go.etcd.io/bbolt/errors"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
)

// patience is how long an index that another process writes to is waited for.
const patience = "3s"

// Open opens an index. If readOnly, other processes can read it at the same time.
func Open(path string, readOnly bool) (bleve.Index, error) {
	x, err := bleve.OpenUsing(path, map[string]any{"read_only": readOnly, "bolt_timeout": patience})
	switch {
	case errors.Is(err, bleve.ErrorIndexPathDoesNotExist):
		err = fmt.Errorf("%s: wanted an index, got no such directory", path)
	case errors.Is(err, bleve.ErrorIndexMetaMissing):
		err = fmt.Errorf("%s: wanted an index, got another directory or file, or one that may not be read", path)
	case errors.Is(err, bolt.ErrTimeout):
		err = fmt.Errorf("%s: wanted an index that no other process writes to, got one that is locked after %s", path, patience)
	case err != nil && strings.HasPrefix(err.Error(), ofMapping):
		what, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), ofMapping), "\n")
		err = fmt.Errorf("%s: wanted a mapping of what bleve ships, got one with parts of the application's own (%s): call the library in a program that imports them, such as plugin/backfill", path, what)
	case err != nil:
		err = fmt.Errorf("%s: %w", path, err)
	}
	return x, err
}

// ofMapping begins bleve's errors of mappings that it cannot read. What follows the first
// line is the mapping.
const ofMapping = "error parsing mapping JSON: "

// Stored is a document as an index stores it.
type Stored struct {
	ID string

	// Fields are the stored values of its text fields.
	Fields map[string][]string

	// Signature is the stored signature, nil if there is none or Damage says why it
	// cannot be read. Simhash is the value of the field beside it.
	Signature *signature.Signature
	Damage    error
	Simhash   string
}

// Of yields the documents of one snapshot of an index, in the order of their ids,
// until the first error. field is the fingerprinted field.
func Of(ctx context.Context, x bleve.Index, field string) iter.Seq2[Stored, error] {
	return func(yield func(Stored, error) bool) {
		if err := each(ctx, x, field, func(d Stored) bool { return yield(d, nil) }); err != nil {
			yield(Stored{}, err)
		}
	}
}

func each(ctx context.Context, x bleve.Index, field string, yield func(Stored) bool) (err error) {
	inner, err := x.Advanced()
	if err != nil {
		return err
	}
	reader, err := inner.Reader()
	if err != nil {
		return err
	}
	defer reader.Close()
	ids, err := reader.FieldDict("_id")
	if err != nil {
		return err
	}
	defer ids.Close()
	for {
		id, err := ids.Next()
		if err != nil || id == nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		doc, err := reader.Document(id.Term)
		if err != nil {
			return fmt.Errorf("document %q: %w", id.Term, err)
		}
		if doc != nil && !yield(stored(doc, field)) {
			return nil
		}
	}
}

func stored(doc index.Document, field string) Stored {
	d := Stored{ID: doc.ID(), Fields: make(map[string][]string)}
	doc.VisitFields(func(f index.Field) {
		switch name := f.Name(); name {
		case signature.Field(field).Sketch():
			sig := new(signature.Signature)
			if d.Damage = sig.UnmarshalText(f.Value()); d.Damage == nil {
				d.Signature = sig
			}
		case signature.Field(field).Simhash():
			d.Simhash = string(f.Value())
		default:
			if _, ok := f.(index.TextField); ok {
				d.Fields[name] = append(d.Fields[name], string(f.Value()))
			}
		}
	})
	return d
}

// Origin is how documents of one type come by their signature: from these stored
// fields, by this analyzer.
type Origin struct {
	Fields   []string
	Analyzer *neardup.Analyzer
}

// Values returns the texts that the signature of d was made from.
func (o Origin) Values(d Stored) (values [][]byte) {
	for _, name := range o.Fields {
		for _, v := range d.Fields[name] {
			values = append(values, []byte(v))
		}
	}
	return values
}

// Origins returns an Origin for each document mapping of m that fingerprints
// properties into the field. It returns an error if there is none with stored fields.
func Origins(m mapping.IndexMapping, field string) (all []Origin, err error) {
	impl, ok := m.(*mapping.IndexMappingImpl)
	if !ok {
		return nil, fmt.Errorf("wanted a mapping of an index, got a %T", m)
	}
	if _, err := neardup.Of(m, field); err != nil {
		return nil, err
	}
	documents := []*mapping.DocumentMapping{impl.DefaultMapping}
	for _, dm := range impl.TypeMapping {
		documents = append(documents, dm)
	}
	for _, dm := range documents {
		var o Origin
		o.visit(impl, dm, nil, field)
		slices.Sort(o.Fields)
		if len(o.Fields) > 0 {
			all = append(all, o)
		}
	}
	if all == nil {
		return nil, fmt.Errorf("field %q: wanted a property with a stored text field besides, got none", field)
	}
	return all, nil
}

// visit adds the stored fields of the properties that have the fingerprinted field.
func (o *Origin) visit(m *mapping.IndexMappingImpl, dm *mapping.DocumentMapping, path []string, field string) {
	if dm == nil || !dm.Enabled {
		return
	}
	name := func(f *mapping.FieldMapping) string {
		if f.Name == "" || len(path) == 0 {
			return strings.Join(path, ".")
		}
		return strings.Join(append(path[:len(path)-1:len(path)-1], f.Name), ".")
	}
	for _, f := range dm.Fields {
		if name(f) != field || f.Analyzer == "" {
			continue
		}
		a, ok := m.AnalyzerNamed(f.Analyzer).(*neardup.Analyzer)
		if !ok {
			continue
		}
		o.Analyzer = a
		if i := slices.IndexFunc(dm.Fields, func(f *mapping.FieldMapping) bool { return f.Store && f.Type == "text" }); i >= 0 {
			o.Fields = append(o.Fields, name(dm.Fields[i]))
		}
	}
	for property, sub := range dm.Properties {
		o.visit(m, sub, append(path[:len(path):len(path)], property), field)
	}
}
