package plugin_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature/repetition"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/leftout"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
	"github.com/neardup/bleve-neardup/plugin/near"
	learn "github.com/neardup/bleve-neardup/plugin/templates"
)

// fixtureFile is an index with all that is stored: signatures with passages and numbers, tags, times, a policy, a mark
// and learned templates. A new version of a format takes a new file, and the old one stays as one that must be an
// error:
//
//	go test ./plugin -run TestFixtureStored -args -write-format
const fixtureFile = "testdata/v3-fixture.tar.gz"

var writeFormat = flag.Bool("write-format", false, "write "+fixtureFile)

// fixtureFooter is what the mails of a list share.
const fixtureFooter = "You get this mail because you subscribed to the list of roses. Write to the owner to leave it at any time."

// fixtureText returns n words, the same for the same seed.
func fixtureText(seed uint64, n int) string {
	r, words := rand.New(rand.NewPCG(seed, 0)), make([]string, n)
	for i := range words {
		word := make([]byte, 3+r.IntN(6))
		for j := range word {
			word[j] = byte('a' + r.IntN(26))
		}
		words[i] = string(word)
	}
	return strings.Join(words, " ")
}

// fixtureWords are some words of a text.
func fixtureWords(text string, from, to int) string {
	return strings.Join(strings.Fields(text)[from:to], " ")
}

// fixtureDocs are the documents by id: first those that templates are learned from, then others.
func fixtureDocs() (first, then map[string]map[string]any) {
	first, then = make(map[string]map[string]any), make(map[string]map[string]any)
	put := func(to map[string]map[string]any, id, list, body string) {
		to[id] = map[string]any{"body": body, "date": time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Add(time.Duration(len(to)) * time.Hour).Format(time.RFC3339)}
		if list != "" {
			to[id]["list"] = list
		}
	}
	for i := range 20 {
		put(first, fmt.Sprintf("rose-%02d", i), "roses", fixtureText(uint64(100+i), 24)+".\n-- \n"+fixtureFooter)
	}
	page, bill, late := fixtureText(1, 60), fixtureText(2, 40), fixtureText(3, 24)
	put(first, "page", "", page)
	put(first, "bill", "", bill+" sum 1,250")

	put(then, "bill-other", "", bill+" sum 1,350")
	put(then, "excerpt", "", fixtureWords(page, 10, 40))
	put(then, "late", "roses", late+".\n-- \n"+fixtureFooter)
	put(then, "late-copy", "roses", strings.ToUpper(late)+"!\n"+fixtureFooter)
	put(then, "mirror", "", strings.ToUpper(page)+" 東京")
	put(then, "quote", "", fixtureText(4, 30)+" "+fixtureWords(page, 20, 45)+" "+fixtureText(5, 30))
	put(then, "stuffed", "", strings.Repeat("maui resort ", 20)+fixtureText(6, 5))
	return first, then
}

// fixturePolicy tags.
func fixturePolicy() *admission.Policy {
	return &admission.Policy{
		Near: admission.Tag, Time: "date", Known: admission.Reject,
		Floods:     []admission.Flood{{Copies: 50, Window: 24 * time.Hour, Distinct: "list", Action: admission.Tag}},
		Repetition: &admission.Repetition{Limits: repetition.Stuffing()},
	}
}

// fixtureMapping is the mapping of the fixture.
func fixtureMapping() (mapping.IndexMapping, error) {
	m := bleve.NewIndexMapping()
	config := map[string]any{"type": neardup.Name, "passages": 12, "numbers": "equal"}
	if err := m.AddCustomAnalyzer("signed", config); err != nil {
		return nil, err
	}
	body := bleve.NewTextFieldMapping()
	body.IncludeTermVectors, body.DocValues, body.IncludeInAll = false, false, false // for a small file
	m.DefaultMapping.AddFieldMappingsAt("body", body, plugin.FieldMapping("signed"))
	m.DefaultMapping.AddFieldMappingsAt("list", bleve.NewKeywordFieldMapping())
	m.DefaultMapping.AddFieldMappingsAt("date", bleve.NewDateTimeFieldMapping())
	return m, nil
}

// makeFixture writes the index at path, and returns it open.
func makeFixture(ctx context.Context, path string) (x bleve.Index, err error) {
	m, err := fixtureMapping()
	if err != nil {
		return nil, err
	}
	if x, err = plugin.New(path, m); err != nil {
		return nil, err
	}
	first, then := fixtureDocs()
	write := func(docs map[string]map[string]any) error {
		b := x.NewBatch()
		for _, id := range slices.Sorted(maps.Keys(docs)) {
			if err := b.Index(id, docs[id]); err != nil {
				return err
			}
		}
		return x.Batch(b)
	}
	if err := write(first); err != nil {
		return nil, err
	}
	found, err := learn.Learn(ctx, x, learn.Options{Scope: "list"})
	if err != nil {
		return nil, err
	}
	if _, err := learn.Use(ctx, x, found); err != nil {
		return nil, err
	}
	if err := plugin.SetPolicy(ctx, x, fixturePolicy()); err != nil {
		return nil, err
	}
	if err := write(then); err != nil {
		return nil, err
	}
	if err := must(plugin.Of(x)).MarkText(ctx, "offer", admission.Spam, fixtureText(7, 40)); err != nil {
		return nil, err
	}
	return x, must(plugin.Of(x)).Purge(ctx) // which leaves no old files
}

// fixture unpacks the index and opens it.
func fixture(t *testing.T) bleve.Index {
	t.Helper()
	dir := t.TempDir()
	unpack(t, fixtureFile, dir)
	x, err := plugin.Open(filepath.Join(dir, "x"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// What the fixture stores is what today's code stores of the same documents: else the format has changed
// and needs a new version.
func TestFixtureStored(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	now, err := makeFixture(t.Context(), filepath.Join(dir, "x"))
	if err != nil {
		t.Fatal(err)
	}
	if *writeFormat {
		if err := now.Close(); err != nil {
			t.Fatal(err)
		}
		pack(t, dir, fixtureFile)
		if now, err = plugin.Open(filepath.Join(dir, "x")); err != nil {
			t.Fatal(err)
		}
	}
	defer now.Close()
	then := fixture(t)
	first, last := fixtureDocs()
	for _, id := range slices.Sorted(maps.Keys(merged(first, last))) {
		was, is := storedOf(t, then, id), storedOf(t, now, id)
		for name := range merged(was, is) {
			if was[name] != is[name] {
				t.Errorf("%s: %s: stored %s, now %s: a new format needs a new version", id, name, was[name], is[name])
			}
		}
		if len(was) < 4 { // body, date, signature and simhash
			t.Errorf("%s: only %q is stored", id, was)
		}
	}
	for _, key := range []string{gate.PolicyKey, leftout.Prefix + plugin.Field} {
		was, err1 := then.GetInternal([]byte(key))
		is, err2 := now.GetInternal([]byte(key))
		if err1 != nil || err2 != nil || len(was) == 0 || !bytes.Equal(was, is) {
			t.Errorf("%s: stored %.300q, now %.300q, errors %v and %v: a new format needs a new version", key, was, is, err1, err2)
		}
	}
}

func merged[V any](a, b map[string]V) map[string]V {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// storedOf returns the stored fields of a document.
func storedOf(t *testing.T, x bleve.Index, id string) map[string]string {
	t.Helper()
	doc, err := x.Document(id)
	if err != nil || doc == nil {
		t.Fatalf("%s: %v, error %v", id, doc, err)
	}
	fields := make(map[string]string)
	doc.VisitFields(func(f index.Field) { fields[f.Name()] += fmt.Sprintf("%x ", f.Value()) })
	return fields
}

// fixtureGroups are the groups of the fixture, the head being the first by id.
var fixtureGroups = map[string]string{"late": "late-copy", "mirror": "page"}

// Searches of the fixture find what they found.
func TestFixtureSearch(t *testing.T) {
	t.Parallel()
	x, ctx := fixture(t), t.Context()
	first, last := fixtureDocs()
	count := len(first) + len(last)
	if n, err := x.DocCount(); n != uint64(count) || err != nil {
		t.Fatalf("%d documents, error %v, want %d", n, err, count)
	}
	for _, whole := range []bool{false, true} {
		r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 100, 0, false)
		r.SortBy([]string{"_id"})
		res, err := collapse.Search(ctx, x, r, collapse.Options{Whole: whole})
		if err != nil {
			t.Fatal(err)
		}
		got := make(map[string]string)
		for hit, place := range res.All() {
			for _, c := range place.Copies {
				got[hit.ID] += c.ID
			}
		}
		// page comes after mirror, and late-copy after late
		if len(res.Hits) != count-2 || !maps.Equal(got, fixtureGroups) || res.Unsigned != 0 || len(res.Damaged) != 0 {
			t.Errorf("whole %v: %d hits, groups %v, %d unsigned, damaged %v; want %d and %v", whole, len(res.Hits), got, res.Unsigned, res.Damaged, count-2, fixtureGroups)
		}
	}
	for id, want := range map[string]string{"page": "mirror", "late": "late-copy", "bill": "", "rose-00": ""} {
		res, err := near.Similar(ctx, x, near.SimilarRequest{Query: near.SimilarQuery{ID: id}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, h := range res.Hits {
			got = append(got, h.ID)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("similar to %s: %q, want %q", id, got, want)
		}
	}
	res, err := near.Passages(ctx, x, near.PassagesRequest{Query: near.PassagesQuery{ID: "page"}})
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]int)
	for _, h := range res.Hits {
		got[h.ID] = h.Words
	}
	if want := map[string]int{"mirror": 60, "excerpt": 30, "quote": 25}; !maps.Equal(got, want) {
		t.Errorf("words in passages of page: %v, want %v", got, want)
	}
}

// The policy, the mark and the templates of the fixture are in force, and its tags are those of the policy.
func TestFixtureAdmission(t *testing.T) {
	t.Parallel()
	x, ctx := fixture(t), t.Context()
	tags := map[string]string{"late-copy": "late", "mirror": "page"}
	first, last := fixtureDocs()
	for id := range merged(first, last) {
		fields := storedOf(t, x, id)
		if want := fmt.Sprintf("%x ", tags[id]); tags[id] != "" && fields[admission.OfField] != want || tags[id] == "" && fields[admission.OfField] != "" {
			t.Errorf("%s: tagged as a copy of %q, want %q", id, fields[admission.OfField], want)
		}
	}
	b := x.NewBatch()
	if err := b.Index("new-5", map[string]any{"body": fixtureText(7, 40) + " now"}); err != nil {
		t.Fatal(err)
	}
	for id, from := range map[string]string{"new-1": "late", "new-2": "stuffed", "new-3": "bill", "new-4": "excerpt"} {
		doc := maps.Clone(merged(first, last)[from])
		if from == "bill" {
			doc["body"] = strings.Replace(doc["body"].(string), "1,250", "1,450", 1)
		}
		if err := b.Index(id, doc); err != nil {
			t.Fatal(err)
		}
	}
	verdicts, err := plugin.DryRun(ctx, x, b)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for _, v := range verdicts {
		got[v.ID] = strings.TrimSpace(fmt.Sprint(v.Action, " ", v.Policy))
	}
	want := map[string]string{"new-1": "tag near", "new-2": "tag repetition", "new-3": "accept", "new-4": "tag near", "new-5": "reject known"}
	if !maps.Equal(got, want) {
		t.Errorf("verdicts %v, want %v", got, want)
	}
	used, err := learn.InUse(x, plugin.Field)
	if err != nil || used == nil || len(used.Scopes) != 1 || used.Scopes[0].Name != "roses" {
		t.Errorf("templates %+v, error %v; want those of roses", used, err)
	}
	sig, err := plugin.SignatureOf(x, plugin.Field, "late")
	if err != nil || sig.Tokens != 24 {
		t.Errorf("late: %+v, error %v; want the 24 words that are no template", sig, err)
	}
}
