package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/examples/bench/adapters/internal/lines"
)

// documents are three families of three: a text of 100 words, the same with a word more, and in capitals; and three
// texts of their own.
func documents() string {
	var out strings.Builder
	e := json.NewEncoder(&out)
	write := func(id, text string) {
		if err := e.Encode(lines.Document{ID: id, Text: text}); err != nil {
			panic(err)
		}
	}
	for family := range 6 {
		var words []string
		for i := range 100 {
			words = append(words, fmt.Sprintf("word%dof%d", i*7%100, family))
		}
		text := strings.Join(words, " ")
		write(fmt.Sprintf("%d-a", family), text)
		if family < 3 {
			write(fmt.Sprintf("%d-b", family), text+" more")
			write(fmt.Sprintf("%d-c", family), strings.ToUpper(text))
		}
	}
	return out.String()
}

// pairs reads what a program wrote: the pairs, sorted, each once.
func pairs(t *testing.T, out string) (all []string) {
	t.Helper()
	for line := range strings.Lines(out) {
		var found struct{ Pair, Group []string }
		if err := json.Unmarshal([]byte(line), &found); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		ids := append(found.Pair, found.Group...)
		slices.Sort(ids)
		for i, b := range ids {
			for _, a := range ids[:i] {
				all = append(all, a+" "+b)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Each way finds all pairs of each family, and no other.
func TestWays(t *testing.T) {
	t.Parallel()
	var want []string
	for family := range 3 {
		for _, p := range []string{"a %d-b", "a %d-c", "b %d-c"} {
			want = append(want, fmt.Sprintf("%d-"+p, family, family))
		}
	}
	for name, find := range ways {
		var out bytes.Buffer
		if err := lines.Answer(find, "0.9", strings.NewReader(documents()), &out); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := pairs(t, out.String()); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// The threshold is used: two texts of which 5 words of 100 differ are near-duplicates at .6 and not at .95.
func TestThreshold(t *testing.T) {
	t.Parallel()
	words := strings.Fields(strings.Repeat("x ", 100))
	for i := range words {
		words[i] = fmt.Sprint("word", i*i)
	}
	in := fmt.Sprintf("{\"id\": \"a\", \"text\": %q}\n", strings.Join(words, " "))
	for i := 10; i < 100; i += 20 {
		words[i] = "other"
	}
	in += fmt.Sprintf("{\"id\": \"b\", \"text\": %q}\n", strings.Join(words, " "))
	for name, find := range ways {
		for threshold, want := range map[string]int{"0.6": 1, "0.95": 0} {
			var out bytes.Buffer
			if err := lines.Answer(find, threshold, strings.NewReader(in), &out); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got := pairs(t, out.String()); len(got) != want {
				t.Errorf("%s at %s: got %q, want %d", name, threshold, got, want)
			}
		}
	}
}
