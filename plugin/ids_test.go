package plugin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// Ids are bytes in verdicts and their JSON, in tags on disk, and in marks, whose names and scopes are bytes too: of a
// text and of a copy of it for each odd id, under "copy " and the id.
func TestOddIDs(t *testing.T) {
	t.Parallel()
	odd := neartest.OddIDs(rand.New(rand.NewPCG(11, 12)), 40)
	path := filepath.Join(t.TempDir(), "x")
	x := opened(t, path, bodies())
	if err := plugin.SetPolicy(context.Background(), x, &admission.Policy{Near: admission.Tag}); err != nil {
		t.Fatal(err)
	}
	var verdicts []admission.Verdict // on the copies
	for _, prefix := range []string{"", "copy "} {
		b := x.NewBatch()
		for i, id := range odd {
			text := fmt.Sprintf("text %d of many others %d %d %d that have few words in common %d %d", i, i*3, i*5, i*7, i*11, i*13)
			if err := b.Index(prefix+id, map[string]any{"body": text}); err != nil {
				t.Fatal(err)
			}
		}
		var err error
		if verdicts, err = plugin.SubmitBatch(context.Background(), x, b); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range verdicts {
		text, err := json.Marshal(v)
		var back admission.Verdict
		if err != nil || json.Unmarshal(text, &back) != nil {
			t.Fatal(string(text), err)
		}
		if v.Action != admission.Tag || v.ID != "copy "+v.Of || back.ID != v.ID || back.Of != v.Of || back.Action != v.Action || *back.Match != *v.Match {
			t.Errorf("got %.300s, of %.300s", back, v)
		}
	}
	v := admission.Verdict{ID: odd[0], Of: odd[1], Mark: odd[2], Replaced: odd[3:20], Action: admission.Accept, Policy: "near"}
	text, err := json.Marshal(v)
	var back admission.Verdict
	if err != nil || json.Unmarshal(text, &back) != nil || !slices.Equal(back.Replaced, v.Replaced) || fmt.Sprintf("%q", back) != fmt.Sprintf("%q", v) {
		t.Errorf("got %.300q, want %.300q", back, v)
	}
	var short []string // marks whose names are odd
	var all []admission.Mark
	for _, id := range odd {
		mark := admission.Mark{Name: id, Label: admission.Spam, Scope: []string{id, "\u00fftenant"}}
		if mark.Signature, err = plugin.SignatureOf(x, plugin.Field, id); err != nil {
			t.Fatal(err)
		}
		if len(id) <= 32<<10-13 {
			short, all = append(short, id), append(all, mark)
		} else if err := must(plugin.Of(x)).SetMark(t.Context(), mark); err == nil {
			t.Errorf("mark of %d bytes: no error", len(id))
		}
	}
	if err := must(plugin.Of(x)).SetMark(t.Context(), all...); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if x, err = plugin.Open(path); err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, id := range odd {
		tagged := bleve.NewTermQuery(id)
		tagged.SetField(admission.OfField)
		r := bleve.NewSearchRequest(tagged)
		r.Fields = []string{admission.OfField}
		res, err := x.Search(r)
		if err != nil || len(res.Hits) != 1 || res.Hits[0].ID != "copy "+id || res.Hits[0].Fields[admission.OfField] != id {
			t.Errorf("tagged with %.40q: got %v, %v", id, res, err)
		}
	}
	marks, err := must(plugin.Of(x)).Marks()
	if err != nil || len(marks) != len(short) {
		t.Fatalf("%d marks, want %d: %v", len(marks), len(short), err)
	}
	for i, id := range slices.Sorted(slices.Values(short)) {
		if marks[i].Name != id || !slices.Equal(marks[i].Scope, []string{id, "\u00fftenant"}) || marks[i].Label != admission.Spam || marks[i].Signature == nil {
			t.Errorf("got %+v, want %q", marks[i], id)
		}
	}
	if err := must(plugin.Of(x)).Unmark(t.Context(), short...); err != nil {
		t.Fatal(err)
	}
	if marks, err = must(plugin.Of(x)).Marks(); err != nil || len(marks) != 0 {
		t.Errorf("%d marks are left, %v", len(marks), err)
	}
}
