package column

import (
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/signaturetest"
)

func TestPaired(t *testing.T) {
	x, err := bleve.NewUsing("", bleve.NewIndexMapping(), scorch.Name, scorch.Name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	signatures := map[string]*signature.Signature{} // nil for none that is readable
	batch := x.NewBatch()
	for i, d := range signaturetest.Shipped(t)[:300] {
		doc := map[string]any{}
		switch i % 50 {
		case 0:
			signatures[d.ID] = nil
		case 1:
			signatures[d.ID], doc[signature.SketchField("f")] = nil, "damaged"
		default:
			sig := signature.Of(signature.DefaultParams(), []byte(d.Text))
			text, err := sig.MarshalText()
			if err != nil {
				t.Fatal(err)
			}
			signatures[d.ID], doc[signature.SketchField("f")] = &sig, string(text)
		}
		if err := batch.Index(d.ID, doc); err != nil {
			t.Fatal(err)
		}
		if batch.Size() == 100 {
			if err := x.Batch(batch); err != nil {
				t.Fatal(err)
			}
			batch.Reset()
		}
	}
	inner, err := x.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	reader, err := inner.Reader()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	s := new(Store)
	s.Adopt(reader)
	r := Of(reader, "f")
	for _, rule := range []signature.Rule{signature.DefaultRule(), {Lanes: 100, Mode: signature.SketchOnly}} {
		if r.Paired(rule, 1_000_000) != nil {
			t.Error("known before anything was spent")
		}
		paired := r.Paired(rule, 1)
		if paired == nil {
			t.Fatal("not known when enough was spent")
		}
		pairs := 0
		for id, sig := range signatures {
			want := sig == nil
			for other, that := range signatures {
				if id != other && sig != nil && that != nil && signaturetest.Duplicates(rule, sig, that) {
					want = true
					pairs++
				}
			}
			number, err := reader.InternalID(id)
			if err != nil {
				t.Fatal(err)
			}
			if paired[number.Value()] != want {
				t.Errorf("%+v: %s: got %v, want %v", rule, id, !want, want)
			}
		}
		if pairs == 0 {
			t.Errorf("%+v: no pair: this test shows nothing", rule)
		}
	}
	for i := range 2 * maxPairings { // of the earlier ones some are forgotten
		r.Paired(signature.Rule{Hamming: i}, 1)
	}
	if n := len(s.pairings); n != maxPairings {
		t.Errorf("%d rules are kept track of, want %d", n, maxPairings)
	}
}
