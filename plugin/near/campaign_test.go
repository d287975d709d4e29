package near_test

import (
	"context"
	"encoding/json"
	"errors"
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
	x, err := plugin.New(path, m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	err = plugin.SetPolicy(context.Background(), x, &admission.Policy{
		Time: "sent", Scope: "tenant", Flood: &admission.Flood{Copies: 5, Window: 48 * time.Hour, Distinct: "from"},
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

// What got in before a flood is listed, and tagged; the rest of the index stays as it is, and what is
// tagged can be searched, keeps its time, and counts for the flood, also after reopening.
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
	all, err := near.Campaign(ctx, x, near.CampaignRequest{ID: v.Of})
	if err != nil || !slices.Equal(list(all), want) || all[0].Match.Agree < 90 {
		t.Fatalf("got %q, %v, want %q", list(all), err, want)
	}
	some := near.CampaignRequest{ID: v.Of, From: start.Add(time.Hour), To: start.Add(4 * time.Hour)}
	if all, err = near.TagCampaign(ctx, x, some, nil); err != nil || len(all) != 3 {
		t.Fatalf("got %q, %v, want 3", list(all), err)
	}
	want = []string{"d1-0 0 ", "d1-1 1 campaign", "d1-2 2 campaign", "d1-3 3 campaign", "d1-4 4 "}
	if all, err = near.Campaign(ctx, x, near.CampaignRequest{ID: v.Of}); err != nil || !slices.Equal(list(all), want) {
		t.Errorf("got %q, %v, want %q", list(all), err, want)
	}
	query := bleve.NewTermQuery("campaign")
	query.SetField(admission.TagField)
	request := bleve.NewSearchRequest(query)
	request.Fields = []string{"body", "from", admission.OfField}
	found, err := x.Search(request)
	if err != nil || found.Total != 3 {
		t.Fatalf("found %v, %v", found, err)
	}
	for _, hit := range found.Hits {
		var n int
		fmt.Sscanf(hit.ID, "d1-%d", &n)
		of, _ := hit.Fields[admission.OfField].(string)
		if hit.Fields["body"] != sentText(1, n) || hit.Fields["from"] != fmt.Sprint("sender", n) || (of == "") != (hit.ID == v.Of) {
			t.Errorf("%s: got %v", hit.ID, hit.Fields)
		}
	}
	if n, _ := x.DocCount(); n != 11 {
		t.Errorf("%d documents, want 11", n)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if x, err = plugin.Open(path); err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if again, err := plugin.Submit(ctx, x, "late", data(1, 5, "late")); err != nil || again.Action != admission.Reject || again.Copies != 5 {
		t.Errorf("after tagging: got %v, %v", again, err)
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
	x, err := plugin.New("", m)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
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
		if all, err := near.Campaign(t.Context(), x, near.CampaignRequest{ID: id}); err != nil || len(all) != want {
			t.Errorf("%s: got %d documents, %v, want %d", id, len(all), err, want)
		}
	}
}

// A document of which another field than the text is changed between listing and tagging is not overwritten.
func TestTagChangedField(t *testing.T) {
	t.Parallel()
	for _, rebuilt := range []bool{false, true} {
		x := newSentIndex(t, "")
		v := send(t, x, 1)
		before := data(1, 2, "sender2")
		after := data(1, 2, "another")
		source := func(_ context.Context, id string) (any, error) {
			var n int
			fmt.Sscanf(id, "d1-%d", &n)
			if n == 2 {
				return before, x.Index(id, after)
			}
			return data(1, n, fmt.Sprint("sender", n)), nil
		}
		want := []string{"d1-0 0 campaign", "d1-1 1 campaign", "d1-2 2 ", "d1-3 3 campaign", "d1-4 4 campaign"}
		if rebuilt { // of what is there now
			if source = nil; x.Index("d1-2", after) != nil {
				t.Fatal("d1-2 is not written")
			}
			want[2] += "campaign"
		}
		all, err := near.TagCampaign(t.Context(), x, near.CampaignRequest{ID: v.Of}, source)
		if err != nil || !slices.Equal(list(all), want) {
			t.Errorf("rebuilt %v: got %q, %v, want %q", rebuilt, list(all), err, want)
		}
		r := bleve.NewSearchRequest(bleve.NewDocIDQuery([]string{"d1-2"}))
		r.Fields = []string{"from"}
		res, err := x.Search(r)
		if err != nil || len(res.Hits) != 1 || res.Hits[0].Fields["from"] != "another" {
			t.Errorf("rebuilt %v: what was changed is %v, %v", rebuilt, res, err)
		}
	}
}

// A document that is changed or deleted between listing and tagging is not overwritten.
func TestTagMeanwhile(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	x := newSentIndex(t, "")
	v := send(t, x, 1)
	source := func(_ context.Context, id string) (any, error) {
		var n int
		fmt.Sscanf(id, "d1-%d", &n)
		switch n {
		case 1:
			return data(1, n, "sender1"), x.Delete(id)
		case 2:
			return data(1, n, "sender2"), x.Index(id, data(7, n, "sender2"))
		case 3:
			return nil, nil
		}
		return data(1, n, fmt.Sprint("sender", n)), nil
	}
	all, err := near.TagCampaign(ctx, x, near.CampaignRequest{ID: v.Of}, source)
	want := []string{"d1-0 0 campaign", "d1-1 1 ", "d1-2 2 ", "d1-3 3 ", "d1-4 4 campaign"}
	if err != nil || !slices.Equal(list(all), want) {
		t.Errorf("got %q, %v, want %q", list(all), err, want)
	}
	if d, err := x.Document("d1-1"); d != nil || err != nil {
		t.Errorf("what was deleted is back: %v, %v", d, err)
	}
	if now, err := near.Campaign(ctx, x, near.CampaignRequest{ID: "d1-2"}); err != nil || len(now) != 1 {
		t.Errorf("what was changed: got %q, %v", list(now), err)
	}
	failed := errors.New("no source")
	if _, err := near.TagCampaign(ctx, x, near.CampaignRequest{ID: v.Of}, func(context.Context, string) (any, error) { return nil, failed }); !errors.Is(err, failed) {
		t.Errorf("got %v, want %v", err, failed)
	}
	if _, err := near.Campaign(ctx, x, near.CampaignRequest{ID: "nosuch"}); err == nil || !strings.Contains(err.Error(), `near: campaign: id "nosuch": no such document`) {
		t.Errorf("got %v", err)
	}
	if err := x.Index("bare", map[string]any{"from": "x"}); err != nil {
		t.Fatal(err)
	}
	if _, err := near.Campaign(ctx, x, near.CampaignRequest{ID: "bare"}); err == nil || !strings.Contains(err.Error(), "wanted a document with a signature") {
		t.Errorf("got %v", err)
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
	err = plugin.SetPolicy(ctx, index, &admission.Policy{Flood: &admission.Flood{Copies: 2, Window: time.Hour, Distinct: "from"}})
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
		all, err := near.TagCampaign(ctx, index, near.CampaignRequest{ID: v.Of}, nil)
		if err != nil {
			panic(err)
		}
		for _, d := range all {
			fmt.Println(d.ID, d.Tag)
		}
	}
	// Output:
	// mail 0 campaign
	// mail 1 campaign
	// mail 2 campaign
}
