package strict_test

import (
	"testing"

	"github.com/neardup/bleve-neardup/internal/strict"
)

type inner struct {
	Lanes int `json:"lanes"`
}

type Shared struct {
	Hidden string `json:"rule"` // the rule of options hides it
	Share  float64
}

type options struct {
	Shared
	Name   string  `json:"name"`
	Rule   *inner  `json:"rule"`
	All    []inner `json:"all"`
	Watch  func()  `json:"-"`
	inside int
}

// One value is read, and whatever else is there is named.
func TestDecode(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		` {"name": "a", "rule": {"lanes": 3}, "all": [{"lanes": 4}], "Share": 1}` + "\r\n\t ": "",
		`{"name": "a"}{"name": "b"}`:   `wanted one JSON value, got "{\"name\": \"b\"}" after it`,
		`{"name": "a"} ]`:              `wanted one JSON value, got "]" after it`,
		`{"nam": "a"}{"name": "b"}`:    `wanted one JSON value, got "{\"name\": \"b\"}" after it`,
		`{"name": 7} x`:                `wanted one JSON value, got "x" after it`,
		`null,`:                        `wanted one JSON value, got "," after it`,
		"{}\u00a0":                     `wanted one JSON value, got "\u00a0" after it`,
		``:                             `wanted a JSON value, got an end`,
		`{"name": `:                    `wanted a JSON value, got an end`,
		`}`:                            `invalid character '}' looking for beginning of value`,
		`{"nam": "a"}`:                 `wanted members among ["Share" "all" "name" "rule"], got "nam"`,
		`{"Watch": null}`:              `wanted members among ["Share" "all" "name" "rule"], got "Watch"`,
		`{"Shared": {}}`:               `wanted members among ["Share" "all" "name" "rule"], got "Shared"`,
		`{"inside": 1}`:                `wanted members among ["Share" "all" "name" "rule"], got "inside"`,
		`{"-": {}}`:                    `wanted members among ["Share" "all" "name" "rule"], got "-"`,
		`{"rule": {"lane": 1}}`:        `rule: wanted members among ["lanes"], got "lane"`,
		`{"all": [{}, {"lane": 1}]}`:   `all: wanted members among ["lanes"], got "lane"`,
		`{"rule": {"lanes": "three"}}`: `rule.lanes: wanted a whole number, got a string`,
		`[]`:                           `wanted an object, got a list`,
	} {
		var o options
		err := strict.Decode([]byte(data), &o)
		if want == "" {
			if err != nil || o.Name != "a" || o.Rule.Lanes != 3 || o.All[0].Lanes != 4 || o.Share != 1 || o.inside != 0 {
				t.Errorf("%s: got %+v, error %v", data, o, err)
			}
			continue
		}
		if err == nil || err.Error() != want {
			t.Errorf("%s: got error %v, want %s", data, err, want)
		}
		kept := options{Name: "kept"}
		if err := strict.Fill("options", []byte(data), &kept); err == nil || err.Error() != "options: "+want || kept.Name != "kept" {
			t.Errorf("%s: got %+v, error %v, want options: %s", data, kept, err, want)
		}
	}
}
