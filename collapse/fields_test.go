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

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
)

// values are what a document has in fields that hits are grouped by, each as a list of texts: the
// oracle compares these, and never what the index makes of them.
type values map[string][]string

// valuesField has the values in JSON, stored and not indexed.
const valuesField = "values"

// fieldKinds say how the texts of a field are indexed. All are searched and have doc values; "unstored" is not stored.
var fieldKinds = map[string]func(text string) any{
	"word":     func(text string) any { return "SKU " + text },
	"number":   func(text string) any { return float64(text[0]) - 48.5 },
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

// drawOptions draws a way to group by fields.
func drawOptions(rnd *rand.Rand) (o collapse.Options) {
	names := slices.Sorted(maps.Keys(fieldKinds))
	rnd.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	o.Within = names[:rnd.IntN(3)]
	if rnd.IntN(4) > 0 || len(o.Within) == 0 {
		o.By = &collapse.By{Field: names[2], Or: rnd.IntN(2) == 0}
		if o.By.Or {
			o.By.Most = rnd.IntN(4)
		}
	}
	o.Visible = []int{0, 0, 2, 3, -1}[rnd.IntN(5)]
	o.Missing = []collapse.Missing{"", collapse.DropMissing, collapse.GroupMissing}[rnd.IntN(3)]
	if rnd.IntN(5) == 0 {
		filter := bleve.NewTermQuery("SKU 1")
		filter.SetField("word")
		o.Filter = filter
	}
	if rnd.IntN(3) == 0 {
		o.Rule = signature.Rule{Lanes: 95, Mode: signature.SketchOnly}
	}
	return o
}

// filtered returns a function that reports whether the filter of o matches a hit.
func filtered(tb testing.TB, index bleve.Index, o collapse.Options) func(*search.DocumentMatch) bool {
	tb.Helper()
	if o.Filter == nil {
		return func(*search.DocumentMatch) bool { return true }
	}
	res, err := index.Search(bleve.NewSearchRequestOptions(o.Filter, 1<<20, 0, false))
	if err != nil {
		tb.Fatal(err)
	}
	found := map[collapse.Ref]bool{}
	for _, hit := range res.Hits {
		found[collapse.Ref{Index: hit.Index, ID: hit.ID}] = true
	}
	return func(hit *search.DocumentMatch) bool { return found[collapse.Ref{Index: hit.Index, ID: hit.ID}] }
}

// asText is o for a message.
func asText(o collapse.Options) string {
	text, err := json.Marshal(o)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// fieldDocs are families of documents, some without a body, with values drawn.
func fieldDocs(seed uint64, n int) map[string]page {
	rnd := rand.New(rand.NewPCG(seed, 7))
	docs := families(rnd, n, 60)
	for i, id := range slices.Sorted(maps.Keys(docs)) {
		if p := docs[id]; i%9 == 0 {
			p.Body = ""
			docs[id] = p
		}
	}
	return drawn(rnd, docs)
}

// By a key any index of bleve's can be collapsed, and needs no signatures.
func TestByOfAnyIndex(t *testing.T) {
	t.Parallel()
	docs := fieldDocs(4, 30)
	open := func(x bleve.Index, err error) bleve.Index {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		load(t, x, docs)
		return x
	}
	plain := withFields(bleve.NewIndexMapping())
	scorch := open(bleve.NewUsing("", plain, "scorch", "scorch", nil))
	upside := open(bleve.NewMemOnly(plain))
	halves := []map[string]page{{}, {}}
	for id, p := range docs {
		halves[hash(id)%2][id] = p
	}
	of := func(x bleve.Index, err error, half map[string]page) bleve.Index {
		docs = half
		return open(x, err)
	}
	one, err := bleve.NewUsing("", plain, "scorch", "scorch", nil)
	left := of(one, err, halves[0])
	two, err := bleve.NewMemOnly(plain)
	right := of(two, err, halves[1])
	left.SetName("left")
	right.SetName("right")
	for name, x := range map[string]bleve.Index{
		"scorch": scorch, "upside down": upside, "alias": bleve.NewIndexAlias(scorch), "both": bleve.NewIndexAlias(left, right),
	} {
		for field := range fieldKinds {
			o := collapse.Options{By: &collapse.By{Field: field}, Visible: 2, Missing: collapse.GroupMissing}
			r := byID(bleve.NewMatchAllQuery())
			if name != "both" {
				compare(t, x, r, o, 8)
			}
			one := *r
			one.Size = 10
			if name == "scorch" || name == "alias" {
				checkWhole(t, x, &one, o)
			}
		}
	}
}
