package main

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/internal/neartest"
)

// Ids and tenants are any characters: an id comes back in the verdict as it was sent, and names what
// later mails are near; or it is refused.
func TestOddIDs(t *testing.T) {
	s := newTestServer(t, limits{}, "")
	encode := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(text) + "\n"
	}
	taken := 0
	for _, id := range neartest.OddIDs(rand.New(rand.NewPCG(17, 18)), 20) {
		tenant := "of " + id // what no other tenant has
		for n, own := range []string{id, id + "'"} {
			r := submit(t, s, encode(map[string]any{"id": own, "tenant": tenant, "text": advert(n)}))[0]
			if !plain(own) || !plain(tenant) {
				if r.Error == "" {
					t.Errorf("%.40q: got %v", own, r.Verdict)
				}
				continue
			}
			if taken++; r.Error != "" || r.ID != own || r.Of != []string{"", id}[n] {
				t.Errorf("%.40q: got %+v, %v", own, r, r.Verdict)
			}
		}
		if !plain(tenant) {
			continue
		}
		body := encode(map[string]any{"name": tenant, "label": "spam", "scope": []string{tenant}, "tenant": tenant, "id": id})
		if status, text := call(t, s, "POST", "/marks", body); status != 204 {
			t.Errorf("mark %.40q: %d %s", id, status, text)
		}
	}
	var marks []shown
	_, text := call(t, s, "GET", "/marks", "")
	if err := json.Unmarshal([]byte(text), &marks); err != nil || 2*len(marks) != taken || taken < 40 {
		t.Errorf("%d marks, %d documents, %v", len(marks), taken, err)
	}
	for _, m := range marks {
		if len(m.Scope) != 1 || m.Scope[0] != m.Name || !strings.HasPrefix(m.Name, "of ") {
			t.Errorf("got %+v", m)
		}
	}
	for _, line := range []string{"{\"id\":\"a\x80\",\"text\":\"x\"}", "{\"id\":\"a\",\"tenant\":\"\xff\",\"text\":\"x\"}"} {
		if r := submit(t, s, line+"\n")[0]; !strings.Contains(r.Error, "UTF-8") {
			t.Errorf("%q: got %+v", line, r)
		}
	}
}
