package column_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

// A signature in doc values is the stored one: in the segments of each batch and once they are
// merged, among documents without a signature, updates and deletes, and with two fields. Of
// hundreds of signatures some have the byte at which bleve cuts doc values.
func TestInPlace(t *testing.T) {
	t.Parallel()
	m := bleve.NewIndexMapping()
	for property, field := range map[string]string{"body": "a", "title": "b"} {
		f := bleve.NewTextFieldMapping()
		f.Name, f.Analyzer = field, neardup.Name
		m.DefaultMapping.AddFieldMappingsAt(property, f)
	}
	x, err := plugin.New(t.TempDir()+"/x", m)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	rnd := rand.New(rand.NewPCG(71, 72))
	text := func() string {
		var words []byte
		for range rnd.IntN(12) {
			words = fmt.Appendf(words, "word%d ", rnd.IntN(1000))
		}
		return string(words)
	}
	for range 6 {
		b := x.NewBatch()
		for range 60 {
			d := map[string]any{"n": 1}
			if rnd.IntN(4) > 0 {
				d["body"] = text()
			}
			if rnd.IntN(4) > 0 {
				d["title"] = text()
			}
			if err := b.Index(fmt.Sprint(rnd.IntN(250)), d); err != nil {
				t.Fatal(err)
			}
		}
		b.Delete(fmt.Sprint(rnd.IntN(250)))
		if err := x.Batch(b); err != nil {
			t.Fatal(err)
		}
	}
	inner, err := x.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	check := func() {
		reader, err := inner.Reader()
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close()
		cut, signed := 0, 0
		for _, segment := range reader.(*scorch.IndexSnapshot).Segments() {
			for _, field := range []string{"a", "b"} {
				name := signature.Field(field).Sketch()
				if !column.HasInPlace(segment, name) {
					t.Fatalf("field %s: wanted doc values in each segment", field)
				}
				for n := range uint64(segment.FullSize()) {
					var want []byte
					if err := column.Visit(segment, n, func(field string, value []byte) bool {
						if field == name {
							var sig signature.Signature
							if err := sig.UnmarshalText(value); err != nil {
								t.Fatal(err)
							}
							want, _ = sig.MarshalBinary()
						}
						return true
					}); err != nil {
						t.Fatal(err)
					}
					sig, err := column.ReadInPlace(segment, n, name)
					if err != nil {
						t.Fatal(err)
					}
					var got []byte
					if sig != nil {
						signed++
						got, _ = sig.MarshalBinary()
					}
					if !bytes.Equal(got, want) {
						t.Fatalf("field %s, document %d: doc values %x, stored %x", field, n, got, want)
					}
					if bytes.IndexByte(got, 0xff) >= 0 {
						cut++
					}
				}
			}
		}
		if signed < 250 || cut < 20 {
			t.Errorf("%d signatures, %d with the byte 0xff: this test shows little", signed, cut)
		}
	}
	check()
	if err := inner.(*indextype.Index).ForceMerge(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	check()
}
