package collapse_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
)

// values are what a document has in fields that hits are grouped by, each as a list of texts: the
// oracle compares these, and never what the index makes of them.
type values map[string][]string

// valuesField has the values in JSON, stored and not indexed.
const valuesField = "values"

// fieldKinds say how the texts of a field are indexed. All are searched and have doc values; "unstored" is not stored.
var fieldKinds = map[string]func(text string) any{
	"word":     func(text string) any { return "SKU " + text },
	"number":   func(text string) any { return []float64{-1.5, 1e300}[text[0]-'0'] },
	"flag":     func(text string) any { return text < "1" },
	"day":      func(text string) any { return time.Unix(int64(text[0])*86400, 0).UTC().Format(time.RFC3339) },
	"unstored": func(text string) any { return "A1234" + text }, // which bleve could take for a part of a number
}

// add adds the values to a document.
func (v values) add(doc map[string]any) {
	if v == nil {
		return
	}
	for name, texts := range v {
		var list []any
		for _, text := range texts {
			list = append(list, fieldKinds[name](text))
		}
		if doc[name] = list; len(list) == 1 {
			doc[name] = list[0]
		}
	}
	text, _ := json.Marshal(v)
	doc[valuesField] = string(text)
}

// withFields adds the fields to a mapping.
func withFields(m *mapping.IndexMappingImpl) *mapping.IndexMappingImpl {
	never := bleve.NewTextFieldMapping()
	never.Index, never.DocValues, never.IncludeInAll = false, false, false
	unstored := *bleve.NewKeywordFieldMapping()
	unstored.Store = false
	for name, f := range map[string]*mapping.FieldMapping{
		valuesField: never, "word": bleve.NewKeywordFieldMapping(), "number": bleve.NewNumericFieldMapping(), "flag": bleve.NewBooleanFieldMapping(),
		"day": bleve.NewDateTimeFieldMapping(), "unstored": &unstored,
	} {
		m.DefaultMapping.AddFieldMappingsAt(name, f)
	}
	m.DefaultMapping.AddFieldMappingsAt("place", bleve.NewGeoPointFieldMapping())
	m.DefaultMapping.AddFieldMappingsAt("hidden", plugin.FieldMapping("neardup"))
	return m
}

// drawn gives a third of docs no value in a field, and some several.
func drawn(rnd *rand.Rand, docs map[string]page) map[string]page {
	for _, id := range slices.Sorted(maps.Keys(docs)) {
		p := docs[id]
		p.fields = values{}
		for _, name := range slices.Sorted(maps.Keys(fieldKinds)) {
			for range []int{0, 1, 1, 1, 2}[rnd.IntN(5)] {
				p.fields[name] = append(p.fields[name], fmt.Sprint(rnd.IntN(2)))
			}
		}
		docs[id] = p
	}
	return docs
}

// grouped is what the oracle groups a hit by besides its signature.
type grouped struct {
	scope string
	apart bool
	key   string // empty without one
	alone bool   // the key decides
	most  int
	lacks []string // the fields without a value
}

// set returns a set of texts as one.
func set(texts []string) string {
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(texts))), ",")
}

func groupedBy(tb testing.TB, hit *search.DocumentMatch, o collapse.Options) (by grouped) {
	tb.Helper()
	of := values{}
	if text, ok := hit.Fields[valuesField].(string); ok {
		if err := json.Unmarshal([]byte(text), &of); err != nil {
			tb.Fatal(err)
		}
	}
	for _, name := range o.Within {
		if len(of[name]) == 0 {
			by.lacks = append(by.lacks, name)
		}
		by.scope += set(of[name]) + ";"
		by.apart = by.apart || len(of[name]) == 0
	}
	if o.By != nil {
		by.key, by.alone, by.most = set(of[o.By.Field]), !o.By.Or, max(1, o.By.Most)
		if by.key == "" {
			by.lacks = append(by.lacks, o.By.Field)
		}
	}
	return by
}

// within reports whether a head may have the hit as a member.
func (g grouped) within(head grouped) bool { return !g.apart && !head.apart && g.scope == head.scope }

// keyed reports whether a head has the key of the hit.
func (g grouped) keyed(head grouped) bool {
	return g.within(head) && g.key != "" && g.key == head.key
}

// full reports whether as many heads have the hit's key as may.
func (g grouped) full(heads []grouped) bool {
	n := 0
	for _, head := range heads {
		if g.keyed(head) {
			n++
		}
	}
	return n > 0 && (g.alone || n >= g.most)
}

// asText is o for a message.
func asText(o collapse.Options) string {
	text, err := json.Marshal(o)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// fieldDocs are families of documents, some without a body, some cut short, some whose text is not stored, with values drawn.
func fieldDocs(seed uint64, n int) map[string]page {
	rnd := rand.New(rand.NewPCG(seed, 7))
	docs := families(rnd, n, 60)
	for i, id := range slices.Sorted(maps.Keys(docs)) {
		p := docs[id]
		switch {
		case i%9 == 0:
			p.Body = ""
		case i%9 == 1:
			p.unstored = true
		case i%9 == 2:
			p.Body = p.Body[:len(p.Body)-rnd.IntN(len(p.Body)/4)]
		}
		if i%3 > 0 {
			p.lon = 1 + float64(i%20)/10
		}
		docs[id] = p
	}
	return drawn(rnd, docs)
}

// By a key any index of bleve's can be collapsed, and needs no signatures.
func TestByOfAnyIndex(t *testing.T) {
	t.Parallel()
	docs := fieldDocs(4, 30)
	open := func(name, kind string, half uint32) bleve.Index {
		t.Helper()
		x, err := bleve.NewUsing("", withFields(bleve.NewIndexMapping()), kind, bleve.Config.DefaultMemKVStore, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		x.SetName(name)
		own := maps.Clone(docs)
		maps.DeleteFunc(own, func(id string, _ page) bool { return half < 2 && hash(id)%2 != half })
		load(t, x, own)
		return x
	}
	scorch := open("scorch", "scorch", 2)
	for name, x := range map[string]bleve.Index{
		"scorch": scorch, "upside down": open("upside down", "upside_down", 2), "alias": bleve.NewIndexAlias(scorch),
		"both": bleve.NewIndexAlias(open("left", "scorch", 0), open("right", "upside_down", 1)),
	} {
		for field := range fieldKinds {
			for _, whole := range []bool{false, name == "scorch" || name == "alias"} {
				o := collapse.Options{By: &collapse.By{Field: field}, Visible: 2, Whole: whole}
				compare(t, x, byID(bleve.NewMatchAllQuery()), o, 8)
			}
		}
	}
}
