package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// verdict is what a pair is in truth.
type verdict int

const (
	different verdict = iota
	between           // counts for neither
	copied
)

var verdictNames = []string{"different", "between", "copies"}

// judged is a pair with the truth about it.
type judged struct {
	pair
	verdict verdict
}

// truth is the pairs by which thresholds are judged.
type truth struct {
	by    string // what makes it the truth, for people
	pairs []judged

	// Contradicted is how many pairs of equal texts are labelled different.
	contradicted int
}

// newTruth judges pairs: by labels if there are any, else by the exact resemblance.
// Pairs below the loose rule are judged if a label says that they are copies, so that
// recall counts all of them; of the others none has a resemblance of .9 (60 of 100 lanes
// miss such a pair with probability 10^-15), so that recall counts all of those as well.
func newTruth(c *corpus, pairs []pair, o options) (*truth, error) {
	switch {
	case o.labels != "":
		return labelled(c, o.labels)
	case o.groups != "":
		return grouped(c, pairs, o.groups)
	}
	t := &truth{by: fmt.Sprintf("the exact resemblance of the texts: copies from %g on, different below %g", o.copies, o.differs)}
	for _, p := range pairs {
		v := between
		switch {
		case p.exact >= o.copies:
			v = copied
		case p.exact < o.differs:
			v = different
		}
		t.pairs = append(t.pairs, judged{p, v})
	}
	return t, nil
}

// labelled reads labelled pairs. Pairs without a label count for nothing.
func labelled(c *corpus, path string) (*truth, error) {
	t := &truth{by: "the labels of pairs in " + path}
	seen := make(map[[2]int]verdict)
	err := fields(path, func(f []string) error {
		if len(f) != 2 && len(f) != 3 {
			return fmt.Errorf("wanted two ids and perhaps a label, separated by tabs, got %d fields", len(f))
		}
		v := copied
		if len(f) == 3 && f[2] == "different" {
			v = different
		} else if len(f) == 3 && f[2] != "copy" {
			return fmt.Errorf(`label: wanted "copy" or "different", got %q`, f[2])
		}
		var n [2]int
		for i, id := range f[:2] {
			var ok bool
			if n[i], ok = c.of[id]; !ok {
				return fmt.Errorf("id: wanted that of a document with text, got %q", id)
			}
		}
		p := newPair(c, n[0], n[1])
		key := [2]int{p.a, p.b}
		had, again := seen[key]
		switch {
		case p.a == p.b && v == different:
			t.contradicted++
		case again && had != v:
			return fmt.Errorf("label: wanted that of a pair of the same texts before, %s, got %s", verdictNames[had], verdictNames[v])
		case p.a != p.b && !again:
			seen[key] = v
			t.pairs = append(t.pairs, judged{p, v})
		}
		return nil
	})
	return t, err
}

// grouped reads groups. All pairs of a group are copies; of all others those that meet
// the loose rule are different. A text in several groups is a copy of all of these.
func grouped(c *corpus, pairs []pair, path string) (*truth, error) {
	t := &truth{by: "the groups in " + path}
	members := make(map[string][]int)
	var names []string
	groups := make(map[int][]string)
	err := fields(path, func(f []string) error {
		if len(f) != 2 {
			return fmt.Errorf("wanted an id and a group, separated by a tab, got %d fields", len(f))
		}
		n, ok := c.of[f[0]]
		if !ok {
			return fmt.Errorf("id: wanted that of a document with text, got %q", f[0])
		}
		if members[f[1]] == nil {
			names = append(names, f[1])
		}
		members[f[1]] = append(members[f[1]], n)
		groups[n] = append(groups[n], f[1])
		return nil
	})
	seen := make(map[[2]int]bool)
	for _, name := range names {
		for i, a := range members[name] {
			for _, b := range members[name][:i] {
				if key := [2]int{min(a, b), max(a, b)}; a != b && !seen[key] {
					seen[key] = true
					t.pairs = append(t.pairs, judged{newPair(c, a, b), copied})
				}
			}
			if len(t.pairs) > mostPairs {
				return nil, fmt.Errorf("%s: wanted groups of at most %d pairs, got more", path, mostPairs)
			}
		}
	}
	for _, p := range pairs {
		if !seen[[2]int{p.a, p.b}] && groups[p.a] != nil && groups[p.b] != nil {
			t.pairs = append(t.pairs, judged{p, different})
		}
	}
	for _, in := range groups {
		for i := range in {
			t.contradicted += btoi(in[i] != in[0])
		}
	}
	return t, err
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// fields calls do for the fields of each line of a file.
func fields(path string, do func([]string) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	for n := 1; s.Scan(); n++ {
		line := strings.TrimRight(s.Text(), "\r")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := do(strings.Split(line, "\t")); err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	return s.Err()
}

// score is how a threshold does on judged pairs.
type score struct {
	threshold
	Found     int     `json:"found"`  // copies that it folds
	Missed    int     `json:"missed"` // copies that it does not
	Wrong     int     `json:"wrong"`  // different ones that it folds
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
}

// PrecisionText is the precision, or a dash if nothing is folded: a rule is right about
// nothing by any share.
func (s score) PrecisionText() string { return share(s.Precision, s.Found+s.Wrong) }

// RecallText is the recall, or a dash if there are no copies.
func (s score) RecallText() string { return share(s.Recall, s.Found+s.Missed) }

func share(v float64, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.4f", v)
}

// tally is judged pairs that every threshold treats alike, and their number.
type tally struct {
	judged
	n int
}

// tallied brings pairs together, so that thousands of thresholds can be tried on
// millions of pairs. No threshold that it is for has more than most as min_words.
func tallied(pairs []judged, most int) (all []tally) {
	type key struct{ lanes, hamming, words, verdict int }
	at := make(map[key]int)
	for _, p := range pairs {
		p.words = min(p.words, most)
		k := key{p.lanes, p.hamming, p.words, int(p.verdict)}
		i, ok := at[k]
		if !ok {
			i = len(all)
			at[k] = i
			all = append(all, tally{judged: p})
		}
		all[i].n++
	}
	return all
}

// score counts. Precision is 1 if nothing is folded, recall if there are no copies.
func (t threshold) score(pairs []tally) score {
	s := score{threshold: t, Precision: 1, Recall: 1}
	for _, p := range pairs {
		switch folds := t.folds(p.pair); {
		case p.verdict == copied && folds:
			s.Found += p.n
		case p.verdict == copied:
			s.Missed += p.n
		case p.verdict == different && folds:
			s.Wrong += p.n
		}
	}
	if s.Found+s.Wrong > 0 {
		s.Precision = float64(s.Found) / float64(s.Found+s.Wrong)
	}
	if s.Found+s.Missed > 0 {
		s.Recall = float64(s.Found) / float64(s.Found+s.Missed)
	}
	return s
}
