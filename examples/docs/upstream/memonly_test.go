package upstream

import (
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/index/upsidedown"
)

func TestNewMemOnly(t *testing.T) {
	t.Parallel()
	if bleve.Config.DefaultIndexType != scorch.Name {
		t.Fatalf("the configured type is %q", bleve.Config.DefaultIndexType)
	}
	memory, err := bleve.NewMemOnly(bleve.NewIndexMapping())
	memory = closing(t, memory, err)
	inner, err := memory.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := inner.(*upsidedown.UpsideDownCouch); !ok {
		t.Errorf("bleve has changed: NewMemOnly makes a %T, made an upsidedown", inner)
	}

	empty, err := bleve.New("", bleve.NewIndexMapping()) // in memory, too
	empty = closing(t, empty, err)
	if inner, err = empty.Advanced(); err != nil {
		t.Fatal(err)
	}
	if _, ok := inner.(*scorch.Scorch); !ok {
		t.Errorf("New with an empty path makes a %T, not the configured type", inner)
	}
}
