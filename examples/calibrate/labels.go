package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/neardup/bleve-neardup/examples/internal/documents"
)

// longest is the most bytes that a line of labels can have.
const longest = 1 << 20

// labelled reads labelled pairs. Pairs without a label count for nothing.
func labelled(c *corpus, path string) (*truth, error) {
	t := &truth{by: "the labels of pairs in " + path, rest: unjudged}
	lines, torn := make(map[[2]int]int), make(map[[2]int]bool) // where a pair has its label, and those that have two
	err := read(path, []string{"a", "b", "label"}, func(n int, f []string) error {
		var v verdict
		switch strings.ToLower(f[2]) {
		case "yes":
			v = copied
		case "no":
			v = different
		default:
			return fmt.Errorf(`label: wanted "yes" or "no", got %q`, f[2])
		}
		a, err := c.text(f[0])
		if err != nil {
			return err
		}
		b, err := c.text(f[1])
		if err != nil {
			return err
		}
		key := [2]int{min(a, b), max(a, b)}
		switch had, again := lines[key]; {
		case f[0] == f[1]:
			return fmt.Errorf("wanted two documents, got %q twice", f[0])
		case a == b && v == different:
			t.contradicted = append(t.contradicted, fmt.Sprintf("%s:%d: the texts of %q and %q are equal", path, n, f[0], f[1]))
		case a == b:
			t.equal++
		case again && t.known[key] != v:
			torn[key] = true
			t.contradicted = append(t.contradicted, fmt.Sprintf("%s:%d: %q and %q have another label on line %d", path, n, f[0], f[1], had))
		case !again:
			lines[key] = n
			t.know(key, v)
		}
		return nil
	})
	t.order = slices.DeleteFunc(t.order, func(key [2]int) bool { return torn[key] })
	return t, err
}

// grouped reads groups. All pairs of a group are copies. Other pairs of texts that both have a
// group are different. A text in several groups is a copy of all of these.
func grouped(c *corpus, path string) (*truth, error) {
	t := &truth{by: "the groups in " + path, rest: apart, grouped: make(map[int]bool)}
	members := make(map[string][]int)
	var names []string
	groups := make(map[int]string)       // the first one of a text
	same := make(map[string]map[int]int) // documents of a text in a group
	err := read(path, []string{"id", "group"}, func(n int, f []string) error {
		a, err := c.text(f[0])
		if err != nil {
			return err
		}
		if f[1] == "" {
			return errors.New(`group: wanted a name, got ""`)
		}
		if members[f[1]] == nil {
			names = append(names, f[1])
		}
		if slices.Contains(members[f[1]], a) {
			t.equal += same[f[1]][a]
		} else {
			members[f[1]] = append(members[f[1]], a)
		}
		if had, ok := groups[a]; !ok {
			groups[a] = f[1]
		} else if had != f[1] {
			t.contradicted = append(t.contradicted, fmt.Sprintf("%s:%d: the text of %q is in group %q too", path, n, f[0], had))
		}
		t.grouped[a] = true
		if same[f[1]] == nil {
			same[f[1]] = make(map[int]int)
		}
		same[f[1]][a]++
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		for i, a := range members[name] {
			for _, b := range members[name][:i] {
				t.know([2]int{min(a, b), max(a, b)}, copied)
			}
			if len(t.order) > mostPairs {
				return nil, fmt.Errorf("%s: wanted groups of at most %d pairs, got more", path, mostPairs)
			}
		}
	}
	return t, nil
}

// text returns the number of the text of a document.
func (c *corpus) text(id string) (int, error) {
	n, ok := c.of[id]
	switch {
	case c.blank[id]:
		return 0, fmt.Errorf("id: wanted a document with text, got %q, which has none", id)
	case !ok:
		return 0, fmt.Errorf("id: wanted a document, got %q, which is not there", id)
	}
	return n, nil
}

// read calls do for each line of a file, with its number and its fields of these names, which are separated by tabs, in
// order.
func read(path string, names []string, do func(n int, fields []string) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in, err := documents.Unzipped(f)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	s := bufio.NewScanner(in)
	s.Buffer(nil, longest)
	n, some := 1, false
	for ; s.Scan(); n++ {
		line := bytes.TrimSuffix(s.Bytes(), []byte("\r"))
		if len(bytes.TrimSpace(line)) == 0 || line[0] == '#' {
			continue
		}
		some = true
		fields := strings.Split(string(line), "\t")
		var err error
		if len(fields) == len(names) {
			err = do(n, fields)
		} else {
			err = fmt.Errorf("wanted %s, separated by tabs, got %d of %d fields", strings.Join(names, ", "), len(fields), len(names))
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	switch {
	case errors.Is(s.Err(), bufio.ErrTooLong):
		return fmt.Errorf("%s:%d: wanted a line of at most %d bytes, got a longer one", path, n, longest)
	case s.Err() != nil:
		return fmt.Errorf("%s: %w", path, s.Err())
	case !some:
		return fmt.Errorf("%s: wanted lines with %s, got none", path, strings.Join(names, ", "))
	}
	return nil
}
