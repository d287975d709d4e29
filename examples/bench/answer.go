package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/neardup/bleve-neardup/examples/internal/join"
	"github.com/neardup/bleve-neardup/internal/strict"
)

// mostPairs is how many pairs a program may report: 16 bytes and more each.
const mostPairs = 20_000_000

// answer is the pairs that a program has reported.
type answer struct {
	numbers map[string]int32 // of documents, by their ids
	pairs   map[join.Pair]struct{}
}

// line is one line of a program: a pair, or a group. A group stands for all of its pairs.
type line struct {
	Pair  []string `json:"pair"`
	Group []string `json:"group"`
}

// read reads lines until the end.
func (a *answer) read(r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20)
	for n := 1; lines.Scan(); n++ {
		if err := a.line(lines.Bytes()); err != nil {
			return fmt.Errorf("line %d of its output: %w", n, err)
		}
	}
	return lines.Err()
}

func (a *answer) line(text []byte) error {
	var l line
	if err := strict.Decode(text, &l); err != nil {
		return errors.Join(fmt.Errorf(`wanted {"pair": [...]} or {"group": [...]}, got %.60q`, text), err)
	}
	ids := l.Group
	switch {
	case (l.Pair == nil) == (l.Group == nil):
		return fmt.Errorf(`wanted either "pair" or "group", got %.60q`, text)
	case l.Pair != nil && len(l.Pair) != 2:
		return fmt.Errorf("wanted a pair of 2 ids, got %d", len(l.Pair))
	case l.Pair != nil:
		ids = l.Pair
	}
	numbers := make([]int32, len(ids))
	for i, id := range ids {
		n, ok := a.numbers[id]
		if !ok {
			return fmt.Errorf("wanted the id of a document, got %.60q", id)
		}
		numbers[i] = n
	}
	for i, x := range numbers {
		for _, y := range numbers[:i] {
			if x == y {
				return fmt.Errorf("wanted each document once, got %.60q twice", ids[i])
			}
			a.pairs[join.Of(x, y)] = struct{}{}
			if len(a.pairs) > mostPairs {
				return errors.New("wanted 20,000,000 pairs or fewer, got more")
			}
		}
	}
	return nil
}
