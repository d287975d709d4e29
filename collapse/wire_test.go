package collapse_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/parts"
)

// answers are answers to a Want as they cross from process to process.
func answers(tb testing.TB) (all [][]byte) {
	tb.Helper()
	match := bleve.NewMatchQuery("common")
	match.SetField("body")
	x := newIndex(tb, copies(rand.New(rand.NewPCG(71, 1)), 20))
	for _, change := range []func(r *bleve.SearchRequest){
		func(*bleve.SearchRequest) {},
		func(r *bleve.SearchRequest) { r.SortBy([]string{"version", "project"}) },
		func(r *bleve.SearchRequest) { r.Fields, r.Explain = []string{"project"}, true },
		func(r *bleve.SearchRequest) { r.AddFacet("projects", bleve.NewFacetRequest("project", 2)) },
		func(r *bleve.SearchRequest) { r.Query = bleve.NewMatchNoneQuery() },
	} {
		r := bleve.NewSearchRequestOptions(match, 3, 0, false)
		change(r)
		w := parts.Want{Visible: 2, PerGroup: 1, Hits: 4}
		ranked, err := w.Ask(context.Background(), collapse.Part(x), r)
		if err != nil {
			tb.Fatal(err)
		}
		answer, err := ranked.MarshalBinary()
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, answer)
	}
	return all
}

// checkAnswer reads bytes, and if they are an answer writes it and reads it again.
func checkAnswer(tb testing.TB, data []byte) error {
	tb.Helper()
	var r parts.Answer
	if err := r.UnmarshalBinary(data); err != nil {
		if !errors.Is(err, parts.ErrAnswer) {
			tb.Errorf("wanted an error that wraps ErrAnswer, got %v", err)
		}
		return err
	}
	first, err := r.MarshalBinary()
	if err != nil {
		return nil // such as a score that is no number, of a field in JSON
	}
	var again parts.Answer
	if err := again.UnmarshalBinary(first); err != nil {
		tb.Fatalf("what was written cannot be read: %v", err)
	}
	if second, err := again.MarshalBinary(); err != nil || !bytes.Equal(first, second) {
		tb.Fatalf("written twice, it is %q and %q (%v)", first, second, err)
	}
	return nil
}

func TestMalformedAnswers(t *testing.T) {
	t.Parallel()
	for _, good := range answers(t) {
		if err := checkAnswer(t, good); err != nil {
			t.Fatal(err)
		}
		for n := 0; n < len(good); n += size(1, 7) {
			if checkAnswer(t, good[:n]) == nil {
				t.Errorf("%d of %d bytes are read as an answer", n, len(good))
			}
			flipped := bytes.Clone(good)
			flipped[n] ^= 0x55
			checkAnswer(t, flipped)
		}
		newer := bytes.Clone(good)
		newer[0]++
		for name, bad := range map[string][]byte{
			"nothing":         {},
			"longer":          append(bytes.Clone(good), 0),
			"another version": newer,
			"no end of hits":  binary.AppendUvarint(append(bytes.Clone(good[:1]), 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), 1<<62),
		} {
			if checkAnswer(t, bad) == nil {
				t.Errorf("%s: read as an answer", name)
			}
		}
	}
}

func FuzzAnswer(f *testing.F) {
	for _, good := range answers(f) {
		f.Add(good)
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkAnswer(t, data) })
}
