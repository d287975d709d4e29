package format

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/blevesearch/bleve/v2"
	bleveindex "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/plugin"
)

// Python reads what an index stores, as the stored fields of a document in JSON, and says what is wrong with
// what it cannot read.
func TestRead(t *testing.T) {
	t.Parallel()
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	index, err := plugin.New("", m)
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	const text = "A rose is a rose is a rose, and so on."
	if err := index.Index("a", map[string]any{"body": text}); err != nil {
		t.Fatal(err)
	}
	doc, err := index.Document("a")
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string]string{}
	doc.VisitFields(func(f bleveindex.Field) { fields[f.Name()] = string(f.Value()) })
	hit, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	stored := fields[signature.Field(signature.DefaultField).Sketch()]
	damaged := fmt.Sprintf(`{"~body.sketch": ["%v", "%v"]}`, stored, stored)
	out := python(t, fmt.Appendf(nil, "%s\n%v\nAgAA\nAw\n%s\n", hit, stored, damaged), "neardup.py", "read")

	type line struct {
		Field   string
		Params  string
		Exact   string
		Simhash string
		Tokens  uint64
		Lanes   []uint8
		Error   string
	}
	s := signature.Of(signature.DefaultParams(), []byte(text))
	want := line{Field: signature.DefaultField, Params: fmt.Sprintf("%08x", s.Params), Exact: fmt.Sprintf("%016x", s.Exact), Simhash: simhash.Text(s.Simhash), Tokens: s.Tokens}
	for i := range s.Lanes {
		want.Lanes = append(want.Lanes, s.Sketch.Lane(i))
	}
	alone := want
	alone.Field = ""
	dec := json.NewDecoder(bytes.NewReader(out))
	for i, want := range []line{want, alone, {Error: "version"}, {Error: "malformed"}, {Field: "body", Error: "malformed"}} {
		var got line
		if err := dec.Decode(&got); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("line %d: got %+v, %v, want %+v", i, got, err, want)
		}
	}
}

// Python compares two files as the library compares two texts.
func TestCompare(t *testing.T) {
	t.Parallel()
	texts := []string{
		"The committee approved the new budget on Tuesday after a long debate about schools, roads and the old bridge.",
		"the committee APPROVED the new budget on Tuesday: after a long debate about schools, roads, and the old bridge",
		"The committee approved the new budget on Monday after a long debate about schools, roads and the old bridge.",
	}
	dir := t.TempDir()
	var names []string
	var sigs []signature.Signature
	for i, text := range texts {
		names = append(names, filepath.Join(dir, fmt.Sprint(i)))
		if err := os.WriteFile(names[i], []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		sigs = append(sigs, signature.Of(signature.DefaultParams(), []byte(text)))
	}
	for i := 1; i < len(texts); i++ {
		want, _ := signature.Rule{}.Match(&sigs[0], &sigs[i])
		var got signature.Match
		if err := json.Unmarshal(python(t, nil, "neardup.py", "compare", names[0], names[i]), &got); err != nil || got != want {
			t.Errorf("texts 0 and %d: got %+v, %v, want %+v", i, got, err, want)
		}
	}
}
