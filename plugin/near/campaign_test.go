package near_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/near"
)

var start = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

// sentText is a copy of the text of a family.
func sentText(family, copy int) string {
	var words []string
	for i := range 80 {
		words = append(words, fmt.Sprintf("w%dx%d", family, i))
	}
	return strings.Join(words, " ") + fmt.Sprint(" copy ", copy)
}

func data(family, copy int, from string) map[string]any {
	return map[string]any{"body": sentText(family, copy), "from": from, "sent": start.Add(time.Duration(copy) * time.Hour).Format(time.RFC3339)}
}

// newSentIndex makes an index under a policy that lets copies of five senders in.
func newSentIndex(t testing.TB, path string) bleve.Index {
	t.Helper()
	m := bleve.NewIndexMapping()
	for _, name := range []string{"from", "tenant"} {
		m.DefaultMapping.AddFieldMappingsAt(name, bleve.NewKeywordFieldMapping())
	}
	m.DefaultMapping.AddFieldMappingsAt("sent", bleve.NewDateTimeFieldMapping())
	plugin.AddSignature(m.DefaultMapping, "body")
	var err error
	x := opened(t, path, m)
	err = plugin.SetPolicy(context.Background(), x, &admission.Policy{
		Time: "sent", Scope: "tenant", Floods: []admission.Flood{{Copies: 5, Window: 48 * time.Hour, Distinct: "from"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// send sends copies of a family from different senders until one is rejected, and returns that verdict.
func send(t testing.TB, x bleve.Index, family int) admission.Verdict {
	t.Helper()
	for n := range 10 {
		v, err := plugin.Submit(context.Background(), x, fmt.Sprintf("d%d-%d", family, n), data(family, n, fmt.Sprint("sender", n)))
		if err != nil {
			t.Fatal(err)
		}
		if v.Action == admission.Reject {
			return v
		}
	}
	t.Fatal("nothing was rejected")
	return admission.Verdict{}
}

func list(all []near.Copy) (lines []string) {
	for _, d := range all {
		lines = append(lines, fmt.Sprint(d.ID, " ", d.Sent.Sub(start).Hours(), " ", d.Tag))
	}
	return lines
}

// What got in before a flood is listed, also after reopening.
func TestCampaign(t *testing.T) {
	t.Parallel()
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "x")
	x := newSentIndex(t, path)
	v := send(t, x, 1)
	send(t, x, 2)
	other := data(1, 0, "sender9")
	other["tenant"] = "t"
	if err := x.Index("of another tenant", other); err != nil {
		t.Fatal(err)
	}
	want := []string{"d1-0 0 ", "d1-1 1 ", "d1-2 2 ", "d1-3 3 ", "d1-4 4 "}
	all, err := near.Campaign(ctx, x, v.Of)
	if err != nil || !slices.Equal(list(all), want) || all[0].Match.Agree < 90 {
		t.Fatalf("got %q, %v, want %q", list(all), err, want)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if x, err = plugin.Open(path); err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if again, err := near.Campaign(ctx, x, v.Of); err != nil || !slices.Equal(list(again), want) {
		t.Errorf("opened again: got %q, %v, want %q", list(again), err, want)
	}
	if again, err := plugin.Submit(ctx, x, "late", data(1, 5, "late")); err != nil || again.Action != admission.Reject || again.Copies != 5 {
		t.Errorf("opened again: got %v, %v", again, err)
	}
	text, err := json.Marshal(all[1])
	var read near.Copy
	if err != nil || json.Unmarshal(text, &read) != nil || read != all[1] {
		t.Errorf("JSON: got %s, %v", text, err)
	}
}

// The documents of a campaign are those of one scope, also where its terms have bytes 0xff, as IP addresses do.
func TestListByAddress(t *testing.T) {
	t.Parallel()
	m := bleve.NewIndexMapping()
	m.DefaultMapping.AddFieldMappingsAt("host", bleve.NewIPFieldMapping())
	plugin.AddSignature(m.DefaultMapping, "body")
	x := opened(t, "", m)
	if err := plugin.SetPolicy(t.Context(), x, &admission.Policy{Scope: "host", Near: admission.Tag}); err != nil {
		t.Fatal(err)
	}
	for id, host := range map[string]string{"a": "10.0.0.1", "b": "10.0.0.1", "c": "10.0.0.2", "d": ""} {
		doc := map[string]any{"body": sentText(1, 1)}
		if host != "" {
			doc["host"] = host
		}
		if err := x.Index(id, doc); err != nil {
			t.Fatal(err)
		}
	}
	for id, want := range map[string]int{"a": 2, "b": 2, "c": 1, "d": 1} {
		all, err := near.Campaign(t.Context(), x, id)
		tagged := 0
		for _, c := range all {
			if c.Tag == "near" {
				tagged++
			}
		}
		if err != nil || len(all) != want || tagged != want-1 {
			t.Errorf("%s: got %d documents, of which %d have a tag, %v, want %d", id, len(all), tagged, err, want)
		}
	}
}

func TestCampaignErrors(t *testing.T) {
	t.Parallel()
	x := newSentIndex(t, "")
	if err := x.Index("bare", map[string]any{"from": "x"}); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{
		"nosuch": `near: campaign: id "nosuch": no such document`, "bare": "wanted a document with a signature",
	} {
		if _, err := near.Campaign(t.Context(), x, id); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", id, err)
		}
	}
}

func ExampleCampaign() {
	m := bleve.NewIndexMapping()
	m.DefaultMapping.AddFieldMappingsAt("from", bleve.NewKeywordFieldMapping())
	plugin.AddSignature(m.DefaultMapping, "body")
	index, err := plugin.New("", m)
	if err != nil {
		panic(err)
	}
	defer index.Close()
	ctx := context.Background()
	err = plugin.SetPolicy(ctx, index, &admission.Policy{Floods: []admission.Flood{{Copies: 2, Window: time.Hour, Distinct: "from"}}})
	if err != nil {
		panic(err)
	}
	for n, from := range []string{"ann", "ann", "bob", "eve"} {
		v, err := plugin.Submit(ctx, index, fmt.Sprint("mail ", n), map[string]any{"body": sentText(1, n), "from": from})
		if err != nil {
			panic(err)
		}
		if v.Action != admission.Reject {
			continue
		}
		all, err := near.Campaign(ctx, index, v.Of) // to be deleted, for instance
		if err != nil {
			panic(err)
		}
		for _, d := range all {
			fmt.Println(d.ID)
		}
	}
	// Output:
	// mail 0
	// mail 1
	// mail 2
}
