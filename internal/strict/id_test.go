package strict_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/internal/strict"
)

// Every id comes back, by itself, in lists, in structs, through encoders that escape HTML and
// those that do not; and the form is a string if and only if it is UTF-8.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	type holder struct {
		ID  strict.ID   `json:"id"`
		All []strict.ID `json:"all,omitempty"`
		Not strict.ID   `json:"not,omitempty"`
	}
	seen := map[string]string{}
	for _, id := range neartest.OddIDs(rand.New(rand.NewPCG(1, 2)), 3000) {
		for _, html := range []bool{true, false} {
			var b bytes.Buffer
			e := json.NewEncoder(&b)
			e.SetEscapeHTML(html)
			want := holder{ID: strict.ID(id), All: []strict.ID{strict.ID(id), "x", strict.ID(id + id)}}
			if err := e.Encode(want); err != nil {
				t.Fatal(err)
			}
			var got holder
			if err := json.Unmarshal(b.Bytes(), &got); err != nil || got.ID != want.ID || !slices.Equal(got.All, want.All) || got.Not != "" {
				t.Fatalf("%.60q: got %.200q, %v from %.200s", id, got, err, b.Bytes())
			}
			if !strict.Kept(b.Bytes()) {
				t.Errorf("%.60q: JSON lost something: %.200s", id, b.Bytes())
			}
		}
		text, err := strict.ID(id).MarshalJSON()
		if err != nil || (text[0] == '"') != utf8.ValidString(id) || seen[string(text)] != "" {
			t.Errorf("%.60q: got %.100s, %v, as of %.60q", id, text, err, seen[string(text)])
		}
		seen[string(text)] = id
		lossy, _ := json.Marshal(id)
		if strict.Kept(lossy) != utf8.ValidString(id) {
			t.Errorf("%.60q: Kept says %v of %.100s", id, strict.Kept(lossy), lossy)
		}
	}
}

// What encoding/json would change without a word is an error, and what it reads as it is
// written is none.
func TestStrings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"a"`: "a", `"\ufffd"`: "\ufffd", "\"\ufffd\"": "\ufffd", `"\ud83d\ude00\ufffd"`: "\U0001f600\ufffd", `"\\ud800\ufffd"`: "\\ud800\ufffd",
		`{"base64":"YYA="}`: "a\x80", `{ "base64" : "" }`: "", `"{\"base64\":\"YYA=\"}"`: `{"base64":"YYA="}`,
		`null`: "",
	} {
		var id strict.ID
		if err := json.Unmarshal([]byte(text), &id); err != nil || string(id) != want {
			t.Errorf("%s: got %q, %v", text, id, err)
		}
	}
	for _, text := range []string{
		"\"a\x80\"", "\"\xff\"", `"\ud800"`, `"\udc00"`, `"\ud800x"`, `"\ud800\ud800"`, `"\ud83d\ude00\ud800"`, `"\\\ud800"`, `"\uD800\n"`, "\"\ufffd\xed\xa0\x80\"",
		`7`, `true`, `[]`, `{}`, `{"base64":null}`, `{"base64":"YYA"}`, `{"base64":"YYB="}`, `{"base64":"Y-A="}`, `{"base64":7}`, `{"base64":"YYA=","id":"a"}`, `{"Base32":""}`,
	} {
		id := strict.ID("as it was")
		if err := json.Unmarshal([]byte(text), &id); err == nil || !strings.Contains(err.Error(), "strict.ID") && !strings.Contains(err.Error(), "wanted a string") || id != "as it was" {
			t.Errorf("%q: got %q, %v", text, id, err)
		}
	}
}

func TestMap(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	odd := neartest.OddIDs(rnd, 200)
	for n := range 60 {
		want := strict.Map[any]{}
		for range rnd.IntN(8) {
			if id := odd[rnd.IntN(len(odd))]; n%3 > 0 || utf8.ValidString(id) {
				want[id] = []any{nil, "text", map[string]any{"a": 1.}}[rnd.IntN(3)]
			}
		}
		text, err := json.Marshal(want)
		var got strict.Map[any]
		if err == nil {
			err = json.Unmarshal(text, &got)
		}
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) || n%3 == 0 && text[0] != '{' {
			t.Errorf("got %v, %v of %.300s, want %v", got, err, text, want)
		}
	}
	for _, text := range []string{
		"{\"a\x80\":1}", `{"\ud800":1}`, `{"a":1,"a":2}`, `[{"id":"a","data":1},{"id":{"base64":"YQ=="},"data":2}]`, `[{"id":"a"}]`, `[{"data":1}]`,
		`[{"id":null,"data":1}]`, `[{"id":"a","data":1,"x":2}]`, `["a"]`, `"a"`, `7`, `{"a":1,"\u0061":2}`,
	} {
		var m strict.Map[any]
		if err := json.Unmarshal([]byte(text), &m); err == nil {
			t.Errorf("%s: got %v", text, m)
		}
	}
}

func FuzzID(f *testing.F) {
	for _, id := range neartest.OddIDs(nil, 0)[:30] {
		f.Add([]byte(id))
		text, _ := json.Marshal(id)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		text, err := json.Marshal(strict.ID(b))
		var back strict.ID
		if err != nil || json.Unmarshal(text, &back) != nil || string(back) != string(b) {
			t.Fatalf("%q: got %q from %s, %v", b, back, text, err)
		}
		var id strict.ID
		if json.Unmarshal(b, &id) != nil || id == "" {
			return
		}
		// Whatever is accepted, and is no object, says the same in UTF-8 alone.
		if b = bytes.TrimSpace(b); b[0] == '"' && (!utf8.Valid(b) || !utf8.ValidString(string(id))) {
			t.Errorf("%q: got %q", b, id)
		}
	})
}
