package indextype_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/document"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

// A signature of another format is noticed when the index is opened, also where it is one among
// documents without a signature, and an index that has only these opens.
func TestFormatAmongUnsigned(t *testing.T) {
	t.Parallel()
	sig := signature.Of(signature.DefaultParams(), []byte(text))
	data, err := sig.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	older := neartest.Seal([]byte{1}, data[1:len(data)-4])
	for name, tt := range map[string]struct {
		sketch []byte // of one of 16 documents
		want   error
	}{"none": {nil, nil}, "this format, without doc values": {data, nil}, "an older one": {older, signature.ErrVersion}} {
		m := bleve.NewIndexMapping()
		plugin.AddSignature(m.DefaultMapping, "body")
		path := filepath.Join(t.TempDir(), "x")
		x := open(t, path, m)
		inner, err := x.Advanced()
		if err != nil {
			t.Fatal(err)
		}
		b := index.NewBatch()
		for i := range 16 {
			d := document.NewDocument(fmt.Sprint(i))
			if i == 8 && tt.sketch != nil {
				stored := base64.RawStdEncoding.EncodeToString(tt.sketch)
				d.AddField(document.NewTextFieldWithIndexingOptions(signature.Field(plugin.Field).Sketch(), nil, []byte(stored), index.StoreField))
			}
			b.Update(d)
		}
		// Past the index type, which would not let a document bring a signature.
		if err := inner.(*indextype.Index).Engine.Batch(b); err != nil {
			t.Fatal(err)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		x, err = bleve.Open(path)
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: got error %v, want %v", name, err, tt.want)
		}
		if err == nil {
			x.Close()
		}
	}
}
