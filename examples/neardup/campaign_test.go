package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// A campaign on disk is listed from the command line.
func TestCampaign(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mails.bleve")
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	x, err := plugin.New(path, m)
	if err != nil {
		t.Fatal(err)
	}
	if err := plugin.SetPolicy(context.Background(), x, &admission.Policy{Time: "sent", Floods: []admission.Flood{{Copies: 3, Window: 24 * time.Hour}}}); err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		data := map[string]any{"body": strings.Repeat("the same offer again and again ", 5), "sent": fmt.Sprintf("2026-03-02T0%d:00:00Z", 3-n)}
		if err := x.Index(fmt.Sprint("m", n), data); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	stdout, _ := call(t, 0, "campaign", path, "m0")
	if want := "2026-03-02T01:00:00Z  100         m2"; !strings.Contains(stdout, want) || !strings.HasSuffix(stdout, "3 documents\n") {
		t.Errorf("got\n%s\nwant %s", stdout, want)
	}
	stdout, _ = call(t, 0, "campaign", path, "m0", "--json")
	var all []near.Copy
	if err := json.Unmarshal([]byte(stdout), &all); err != nil || len(all) != 3 || all[1].ID != "m1" {
		t.Errorf("got %s, %v", stdout, err)
	}
	if _, stderr := call(t, 2, "campaign", path); !strings.Contains(stderr, "wanted an index and an id, got") {
		t.Errorf("got %s", stderr)
	}
	if _, stderr := call(t, 1, "campaign", path, "nosuch"); !strings.Contains(stderr, `near: campaign: id "nosuch": no such document`) {
		t.Errorf("got %s", stderr)
	}
}
