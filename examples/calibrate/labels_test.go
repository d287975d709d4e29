package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// labelledTexts are four documents: two equal, one near these, and one far from all; one of
// two words, another of two words, and one without any.
func labelledTexts(t *testing.T) string {
	t.Helper()
	base := "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
	return write(t, filepath.Join(t.TempDir(), "own.jsonl"), fmt.Sprintf(`{"id": "a", "text": %q}
{"id": "a2", "text": %q}
{"id": "near", "text": %q}
{"id": "far", "text": "Nothing of this is anywhere in the other texts of the test, not a single shingle of it at all."}
{"id": "hello", "text": "hello you"}
{"id": "bye", "text": "good bye"}
{"id": "none", "text": "..."}
{"id": "odd\u2028", "text": "An odd id has a text of its own that is like no other, of course."}
`, base, strings.ToUpper(base), base+" more"))
}

// TestLabels counts by hand.
func TestLabels(t *testing.T) {
	file := labelledTexts(t)
	loose := threshold{60, 3, 1, 0, 0}
	for _, test := range []struct {
		name, kind, file, text       string
		found, missed, wrong, judged int
		contradicted                 []string
	}{
		{"labels", "--labels", "p.tsv", "# comment\na\ta2\tyes\nnear\ta\tyes\na2\tnear\tYes\r\n\na\tfar\tyes\n", 1, 1, 0, 2, nil},
		{"of a spreadsheet", "--labels", "p.tsv", "\ufeffnear\ta\tyes\r\n", 1, 0, 0, 1, nil},
		{"different", "--labels", "p.tsv", "near\ta\tno\na\ta2\tno\nfar\tnear\tno", 0, 0, 1, 2, []string{`p.tsv:2: the texts of "a" and "a2" are equal`}},
		{"both", "--labels", "p.tsv", "a\tfar\tyes\nnear\tfar\tno\nfar\ta2\tno", 0, 0, 0, 1, []string{`p.tsv:3: "far" and "a2" have another label on line 1`}},
		{"no shingles", "--labels", "p.tsv", "hello\tbye\tyes\nhello\ta\tno\n", 0, 1, 0, 2, nil},
		{"groups", "--groups", "p.tsv", "a\tx\na2\tx\nnear\ty\nfar\tx\n", 0, 1, 1, 2, nil},
		{"some without a group", "--groups", "p.tsv", "a\tx\nfar\tx\n", 0, 1, 0, 1, nil},
		{"torn", "--groups", "p.tsv", "a\tx\na2\ty\n", 0, 0, 0, 0, []string{`p.tsv:2: the text of "a2" is in group "x" too`}},
	} {
		path := write(t, filepath.Join(t.TempDir(), test.file), test.text)
		c, o := corpusOf(t, test.kind, path, file)
		tr, err := newTruth(c, o)
		if err != nil {
			t.Fatal(test.name, err)
		}
		all, _, err := variants(context.Background(), c, tr, o, io.Discard)
		if err != nil {
			t.Fatal(test.name, err)
		}
		js := tr.judge(c, all[0])
		got := loose.score(tallied(js, loose.MinWords, false))
		if got.Found != test.found || got.Missed != test.missed || got.Wrong != test.wrong || len(js) != test.judged {
			t.Errorf("%s: got %+v of %d, want %+v", test.name, got, len(js), test)
		}
		r := reported(t, test.kind, path, file)
		if want := strings.Count(test.text, "a2\tyes"); test.kind == "--labels" && r.Equal != want {
			t.Errorf("%s: %d pairs of equal texts, want %d", test.name, r.Equal, want)
		}
		for i := range r.Contradicted {
			r.Contradicted[i] = filepath.Base(r.Contradicted[i])
		}
		if !strings.Contains(r.Truth, path) || !slices.Equal(r.Contradicted, test.contradicted) || !r.Comparable {
			t.Errorf("%s: report says %q, %q", test.name, r.Truth, r.Contradicted)
		}
	}
}

func TestWrongLabels(t *testing.T) {
	file := labelledTexts(t)
	for _, test := range []struct{ kind, file, text, want string }{
		{"--labels", "p.tsv", "a\tfar", "p.tsv:1: wanted a, b, label, separated by tabs, got 2 of 3 fields"},
		{"--labels", "p.tsv", "\n# x\na\tb\tyes", `p.tsv:3: id: wanted a document, got "b", which is not there`},
		{"--labels", "p.tsv", "a\tnone\tyes", `p.tsv:1: id: wanted a document with text, got "none", which has none`},
		{"--labels", "p.tsv", "a\tfar\tsame", `p.tsv:1: label: wanted "yes" or "no", got "same"`},
		{"--labels", "p.tsv", "a\ta\tyes", `p.tsv:1: wanted two documents, got "a" twice`},
		{"--labels", "p.tsv", "\n# nothing\n", "p.tsv: wanted lines with a, b, label, got none"},
		{"--labels", "p.tsv", "a\tfar\tno\n" + strings.Repeat("x", longest+1), "p.tsv:2: wanted a line of at most 1048576 bytes, got a longer one"},
		{"--groups", "p.tsv", "a", "p.tsv:1: wanted id, group, separated by tabs, got 1 of 2 fields"},
		{"--groups", "p.tsv", "a\tx\nb\tx", `p.tsv:2: id: wanted a document, got "b", which is not there`},
		{"--groups", "p.tsv", "a\t", `p.tsv:1: group: wanted a name, got ""`},
	} {
		path := write(t, filepath.Join(t.TempDir(), test.file), test.text)
		if stdout, stderr := call(t, 1, test.kind, path, file); stdout != "" || !strings.Contains(stderr, test.want) {
			t.Errorf("%q: stderr %q, want %q", test.text, stderr, test.want)
		}
	}
	nosuch := filepath.Join(t.TempDir(), "nosuch")
	_, absent := os.Open(nosuch)
	if _, stderr := call(t, 1, "--labels", nosuch, file); !strings.Contains(stderr, absent.Error()) {
		t.Errorf("a file that is not there: %s", stderr)
	}
}
