package template

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/internal/codec"
)

// learned returns a set of one template, which depends on n.
func learned(t testing.TB, params uint32, n uint64) *Set {
	t.Helper()
	rnd := rand.New(rand.NewPCG(n, 1))
	shared := make([]uint64, 20)
	for i := range shared {
		shared[i] = rnd.Uint64()
	}
	var documents [][][]uint64
	for range 12 {
		documents = append(documents, [][]uint64{append(randomTokens(rnd, 9, 1<<30), shared...)})
	}
	found, err := Learn(params, Options{}, documentsOf(documents))
	if err != nil || found.Set.Len() != 17 {
		t.Fatal(found, err)
	}
	return found.Set
}

func TestStoredSets(t *testing.T) {
	t.Parallel()
	one, two := learned(t, 1, 1), learned(t, 1, 2)
	for _, scopes := range []map[string]*Set{{"": one}, {"a": one}, {"a": one, "": two, "b\xff": two, strings.Repeat("x", MaxScope): one}} {
		field := "site"
		if scopes[""] != nil && len(scopes) == 1 {
			field = ""
		}
		s, err := NewSets(field, scopes)
		if err != nil {
			t.Fatal(err)
		}
		data := bytes.Clone(s.Encode())
		for _, known := range []bool{true, false} {
			if !known {
				parsed.Clear()
			}
			read, err := ParseSets(data)
			if err != nil || !read.Equal(s) || read.ID() != s.ID() || len(read.ID()) != 16 || read.Scope() != field || len(read.All()) != len(scopes) || (read == s) != known {
				t.Fatalf("got %+v, %v", read, err)
			}
			for name, set := range scopes {
				a, _ := set.MarshalBinary()
				b, _ := read.Of(name).MarshalBinary()
				if !bytes.Equal(a, b) {
					t.Errorf("scope %q: got another set", name)
				}
			}
		}
		for i := range data {
			bad := bytes.Clone(data)
			bad[i] ^= 1
			if _, err := ParseSets(bad); err == nil {
				t.Fatalf("byte %d is another, and no error", i)
			}
			if _, err := ParseSets(data[:i]); err == nil {
				t.Fatalf("cut off at %d, and no error", i)
			}
		}
	}
	if _, err := ParseSets([]byte("\x03 and what a later version says")); !errors.Is(err, codec.ErrVersion) || !strings.HasPrefix(err.Error(), "templates: version: wanted 2, got 3") {
		t.Errorf("another version: got %v", err)
	}
	var none *Sets
	if s, err := ParseSets(nil); s != nil || err != nil || none.Of("a") != nil || none.Scope() != "" || none.ID() != "" || none.Encode() != nil {
		t.Errorf("no sets: got %v, %v", s, err)
	}
}

func TestNewSets(t *testing.T) {
	t.Parallel()
	set := learned(t, 1, 1)
	many := map[string]*Set{}
	for i := range 60_000 {
		many[fmt.Sprint(i)] = set
	}
	for _, tt := range []struct {
		field string
		sets  map[string]*Set
		want  string
	}{
		{"site", map[string]*Set{"a": nil}, `template: scope "a": wanted a set, got nil`},
		{"", map[string]*Set{"a": set}, `template: wanted the scope "" alone where no field has scopes, got ["a"]`},
		{"site", map[string]*Set{strings.Repeat("a", 600): set}, "wanted a name of at most 512 bytes, got 600"},
		{strings.Repeat("a", 600), map[string]*Set{"": set}, "wanted at most 512 bytes, got 600"},
		{"site", many, "template: wanted sets of at most 4194304 bytes together, got 60000 of"},
	} {
		if s, err := NewSets(tt.field, tt.sets); s != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}

// The set of a scope counts, then that of "", then none.
func TestSetsOf(t *testing.T) {
	t.Parallel()
	a, rest := learned(t, 1, 1), learned(t, 1, 2)
	s, err := NewSets("site", map[string]*Set{"a": a, "": rest})
	if err != nil {
		t.Fatal(err)
	}
	alone, err := NewSets("site", map[string]*Set{"a": a})
	if err != nil {
		t.Fatal(err)
	}
	if s.Of("a") != a || s.Of("b") != rest || s.Of("") != rest || alone.Of("b") != nil || alone.Of("") != nil {
		t.Error("wanted the set of the scope, or of the scope \"\"")
	}
	for _, tt := range []struct {
		values []string
		want   string
		domain string
	}{
		{nil, "", ""},
		{[]string{"a"}, "a", "a"},
		{[]string{"a", "a"}, "a", "a"},
		{[]string{"a", "b"}, "", ""},
		{[]string{"http://u@Example.org:80/a?b@c", "https://example.org/b"}, "", "example.org"},
		{[]string{"\"A @ B\" <a.b@Mail.example.org>"}, "\"A @ B\" <a.b@Mail.example.org>", "mail.example.org"},
	} {
		for name, want := range map[string]string{"f": tt.want, Domain + "f": tt.domain} {
			if got := ScopeOf(Scopes(name, func(field string) []string { return slices.Clone(map[string][]string{"f": tt.values}[field]) })...); got != want {
				t.Errorf("%s, %q: got %q, want %q", name, tt.values, got, want)
			}
		}
	}
}

func FuzzParseSets(f *testing.F) {
	s, err := NewSets("site", map[string]*Set{"a": learned(f, 1, 1)})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(s.Encode())
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ParseSets(data)
		if err == nil && data != nil && !bytes.Equal(s.Encode(), data) {
			t.Errorf("%x became %x", data, s.Encode())
		}
	})
}
