package near

import (
	"context"
	"slices"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin"
)

// Progress is told at the start, at the end, and at each further three-hundredth between.
func TestTell(t *testing.T) {
	t.Parallel()
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	x, err := plugin.New("", m)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	batch := x.NewBatch()
	for i := range 400 {
		if err := batch.Index(string(rune('A'+i)), map[string]any{"body": "a text"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Batch(batch); err != nil {
		t.Fatal(err)
	}
	var told []int
	var ended error
	for _, err := range Groups(context.Background(), x, GroupsOptions{Progress: func(done, total int) {
		if told = append(told, done); total != 1200 {
			t.Errorf("%d of %d: wanted three times the documents", done, total)
		}
	}}) {
		ended = err
	}
	if ended != nil {
		t.Fatal(ended)
	}
	for i := 1; i < len(told); i++ {
		if step := told[i] - told[i-1]; step < 4 && told[i] != 1200 {
			t.Errorf("%d is told after %d: wanted steps of 4 or more", told[i], told[i-1])
		}
	}
	// What is read, what is connected and what is listed are a third each. The middle one comes
	// in steps as well.
	middle := slices.DeleteFunc(slices.Clone(told), func(done int) bool { return done <= 400 || done >= 800 })
	if len(middle) < 3 || told[0] != 0 || told[len(told)-1] != 1200 {
		t.Errorf("told are %v, of which %v between the first and the last third", told, middle)
	}
	// The same from inside, where each step is known.
	told = nil
	v, err := open(x, signature.DefaultField)
	if err != nil {
		t.Fatal(err)
	}
	defer v.close()
	l := &lister{pairs: pairs{view: v}, progress: func(done, _ int) { told = append(told, done) }}
	var want []int
	for done := 0; done <= 1200; done++ {
		if l.advance(min(done, 1)); done%4 == 0 {
			want = append(want, done)
		}
	}
	if !slices.Equal(told, want) {
		t.Errorf("one by one, told are %v, want %v", told, want)
	}
}
