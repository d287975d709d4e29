package column

import (
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

func TestFamilies(t *testing.T) {
	x, err := bleve.NewUsing("", bleve.NewIndexMapping(), scorch.Name, scorch.Name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	signatures := map[string]*signature.Signature{} // nil for none that is readable
	batch := x.NewBatch()
	for i, d := range neartest.Shipped(t)[:300] {
		doc := map[string]any{}
		switch i % 50 {
		case 0:
			signatures[d.ID] = nil
		case 1:
			signatures[d.ID], doc[signature.Field("f").Sketch()] = nil, "damaged"
		default:
			sig := signature.Of(signature.DefaultParams(), []byte(d.Text))
			text, err := sig.MarshalText()
			if err != nil {
				t.Fatal(err)
			}
			signatures[d.ID], doc[signature.Field("f").Sketch()] = &sig, string(text)
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
	cliques := map[bool]int{}
	for _, rule := range []signature.Rule{
		{},
		{Lanes: 100, Mode: signature.SketchOnly},
		{Lanes: 60, Mode: signature.SketchOnly}, // with -short, only this one has families that are no cliques
		{Lanes: 40, Mode: signature.SketchOnly},
	} {
		if (Readers{r}).Families(rule, 1_000_000) != nil {
			t.Error("known before anything was spent")
		}
		families := Readers{r}.Families(rule, 1)
		if families == nil {
			t.Fatal("not known when enough was spent")
		}
		of := map[string]uint32{}
		for id := range signatures {
			number, err := reader.InternalID(id)
			if err != nil {
				t.Fatal(err)
			}
			of[id] = families.Of[number.Value()]
		}
		rank := func(id string) uint32 {
			number, _ := reader.InternalID(id)
			return families.Rank[number.Value()]
		}
		pairs := 0
		broken := map[uint32]bool{} // families with a pair that is none of near-duplicates
		for id, sig := range signatures {
			alone := true
			for other, that := range signatures {
				if of[id] == of[other] && sig != nil && that != nil && !neartest.Duplicates(rule, sig, that) {
					broken[of[id]] = true
				}
				if id != other && sig != nil && that != nil && neartest.Duplicates(rule, sig, that) {
					alone = false
					pairs++
					if (rank(id) < rank(other)) != (id < other) {
						t.Errorf("%+v: %s and %s are ranked %d and %d", rule, id, other, rank(id), rank(other))
					}
					if of[id] != of[other] {
						t.Errorf("%+v: %s and %s are of families %d and %d", rule, id, other, of[id], of[other])
					}
				}
			}
			switch {
			case sig == nil && of[id] != Unreadable, sig != nil && alone != (of[id] == Alone), sig != nil && of[id] == Unreadable:
				t.Errorf("%+v: %s: alone %v, got family %d", rule, id, alone, of[id])
			}
		}
		for f := uint32(Unreadable + 1); f < uint32(families.Count); f++ {
			cliques[families.Cliques[f]]++
			if families.Cliques[f] == broken[f] {
				t.Errorf("%+v: family %d: got clique %v, but a pair that is none: %v", rule, f, families.Cliques[f], broken[f])
			}
		}
		if pairs == 0 {
			t.Errorf("%+v: no pair: this test shows nothing", rule)
		}
		for id, sig := range signatures { // families are no larger than they must be
			seen, queue := map[string]bool{id: true}, []string{id}
			for ; len(queue) > 0; queue = queue[1:] {
				for other, that := range signatures {
					if that != nil && signatures[queue[0]] != nil && !seen[other] && neartest.Duplicates(rule, signatures[queue[0]], that) {
						seen[other], queue = true, append(queue, other)
					}
				}
			}
			for other := range signatures {
				if sig != nil && of[id] != Alone && (of[other] == of[id]) != seen[other] {
					t.Errorf("%+v: %s and %s: of one family %v, joined %v", rule, id, other, of[other] == of[id], seen[other])
				}
			}
			if len(seen) > 2 {
				break
			}
		}
	}
	if cliques[true] == 0 || cliques[false] == 0 {
		t.Errorf("%d families are cliques, %d are not: this test shows nothing", cliques[true], cliques[false])
	}
	for i := range 2 * maxFindings { // of the earlier ones some are forgotten
		Readers{r}.Families(signature.Rule{Hamming: i}, 1)
	}
	if n := len(s.findings); n != maxFindings {
		t.Errorf("%d rules are kept track of, want %d", n, maxFindings)
	}
}

func TestManyKinds(t *testing.T) {
	rule := signature.Rule{}
	var kinds []signature.Signature
	for i := range 2 * manyKinds {
		s := signature.Signature{Exact: 1, Tokens: uint64(i/2 + 1)} // near-duplicates, each twice
		clique := true
		if kinds, clique = meet(rule, kinds, s); clique != (i/2 < manyKinds) {
			t.Fatalf("%d documents of %d kinds: got clique %v", i+1, i/2+1, clique)
		}
	}
}
