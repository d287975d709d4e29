package main

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rows reads the rows of a table, by the name that begins each.
func rows(out, name string) (all [][]string) {
	for line := range strings.Lines(out) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), name); ok {
			all = append(all, strings.Fields(rest))
		}
	}
	return all
}

// What is known stops the attacks, on the mail that comes with the example or on the mail of
// NEARDUP_DATA, and stops no legitimate mail; the methods beside it let copies through.
func TestAttack(t *testing.T) {
	t.Parallel()
	args := []string{"attack", "--spam", "20", "--copies", "5"}
	if dir := os.Getenv("NEARDUP_DATA"); dir != "" && !testing.Short() {
		if file := filepath.Join(dir, "enron-spam", "docs.jsonl.gz"); readable(file) {
			args = append(args, "--dates-in-ids", file)
		}
	}
	out, _ := called(t, 0, args...)
	for _, a := range attacks() {
		found := rows(out, a.name+" ")
		if len(found) != 1 || len(found[0]) != 2 {
			t.Fatalf("%s: got %q in\n%s", a.name, found, out)
		}
		known, err := strconv.ParseFloat(found[0][1], 64)
		if err != nil || known < .97 {
			t.Errorf("%s: known stops %s, want .97 or more", a.name, found[0][1])
		}
	}
	for _, row := range rows(out, "of ") {
		if len(row) < 6 || row[len(row)-1] != "0" {
			t.Errorf("known touches legitimate mail: %q", row)
		}
	}
	if put := rows(out, "words put in, 10 %")[0]; put[0] > "0.5" {
		t.Errorf("every method stops most: %q shows little", put)
	}
}

func readable(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// Each attack changes as much as its name says, by the words of a text of different words.
func TestAttacks(t *testing.T) {
	t.Parallel()
	var lines, ham []string
	for i := range 100 {
		lines = append(lines, fmt.Sprintf("w%da w%db w%dc w%dd.", i, i, i, i))
		ham = append(ham, fmt.Sprint("h", i))
	}
	text := strings.Join(lines, "\n\n")
	words := strings.Fields(text)
	for name, want := range map[string]struct{ added, kept int }{
		"words put in, 1 %": {4, 400}, "words put in, 10 %": {40, 400}, "words for others, 5 %": {0, 380},
		"sentences shuffled": {0, 400}, "paragraphs shuffled": {0, 400}, "legitimate text appended, 50 %": {100, 400},
	} {
		all := attacks()
		i := slices.IndexFunc(all, func(a attack) bool { return a.name == name })
		if i < 0 {
			t.Fatalf("no attack %q", name)
		}
		a := &attacker{rand.New(rand.NewPCG(1, 1)), ham}
		got := strings.Fields(all[i].change(a, text))
		kept := 0
		for _, w := range got {
			if strings.HasPrefix(w, "w") {
				kept++
			}
		}
		if kept != want.kept || len(got) != len(words)+want.added || slices.Equal(got, words) {
			t.Errorf("%s: %d words of %d are the text's, want %d of %d", name, kept, len(got), want.kept, len(words)+want.added)
		}
	}
	if n := len(sentences("One. Two! Three? four")); n != 4 {
		t.Errorf("%d sentences, want 4", n)
	}
	if n := len(paragraphs("One. Two. Three. Four.")); n != 2 {
		t.Errorf("%d paragraphs, want 2", n)
	}
}

// Policies side by side, from a gzipped file whose ids have the dates.
func TestCompare(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "mail.jsonl.gz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	e := json.NewEncoder(z)
	for n := range 8 {
		label := []string{"spam", "ham"}[n/6]
		if err := e.Encode(map[string]any{"id": fmt.Sprintf("a/%d.2003-12-%02d.txt", n, 10+n), "text": advert(0), "label": label}); err != nil {
			t.Fatal(err)
		}
	}
	if z.Close() != nil || f.Close() != nil {
		t.Fatal("not written")
	}
	out, _ := called(t, 0, "replay", "--compare", "--dates-in-ids", path)
	for name, want := range map[string]string{
		"near-duplicates of anything": "5 83.33 % 0 0.00 % 2 100.00 % 0 0.00 % 0",
		"the same, tagged":            "0 0.00 % 5 83.33 % 0 0.00 % 2 100.00 % 0",
		"flood of 3 in a day":         "0 0.00 % 0 0.00 % 0 0.00 % 0 0.00 % 0",
		"flood of 3 in 30 days":       "3 50.00 % 0 0.00 % 2 100.00 % 0 0.00 % 0",
		"what is like marks":          "5 83.33 % 0 0.00 % 2 100.00 % 0 0.00 % 1",
	} {
		if got := rows(out, name); len(got) != 1 || strings.Join(got[0], " ") != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	undated := write(t, "undated.jsonl", `{"id":"a","text":"one"}`)
	for want, args := range map[string][]string{
		"wanted a date like 2003-12-18 in it, got": {"replay", "--dates-in-ids", undated},
		`labels "spam" and "ham", got 0 and 0`:     {"attack", undated},
	} {
		if _, errs := called(t, 1, args...); !strings.Contains(errs, want) {
			t.Errorf("%q: got %s", args, errs)
		}
	}
	for _, args := range [][]string{{"attack", "--spam", "0"}, {"attack", "--copies", "0"}, {"attack", "--index", "x"}, {"replay", "--compare", "--index", "x"}} {
		called(t, 2, args...)
	}
}
