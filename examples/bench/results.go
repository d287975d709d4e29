package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// results is what a directory has of earlier runs.
type results struct {
	Machine   string       `json:"machine"`
	Threshold float64      `json:"threshold"`
	Corpora   []corpusRow  `json:"corpora"`
	Programs  []programRow `json:"programs"`
	Runs      []result     `json:"runs"`

	path string
}

// corpusRow is what is known of a corpus.
type corpusRow struct {
	Name      string `json:"name"`
	About     string `json:"about"`
	Key       string `json:"key"`
	Documents int    `json:"documents"`
	Bytes     int    `json:"bytes"`    // of text
	Near      int    `json:"near"`     // pairs that resemble each other by the threshold or more
	Labelled  int    `json:"labelled"` // pairs that share a label
	Bins      []int  `json:"bins"`     // pairs by resemblance
}

// programRow is what is known of a program.
type programRow struct {
	Name    string `json:"name"`
	About   string `json:"about"`
	Version string `json:"version,omitempty"`
	Missing string `json:"missing,omitempty"`
}

// status says how a run ended.
type status string

const (
	done    status = "done"
	failed  status = "failed"
	overdue status = "overdue" // it was stopped
)

// result is what was measured of a program on a corpus.
type result struct {
	Program string `json:"program"`
	Corpus  string `json:"corpus"`
	Key     string `json:"key"` // of the program
	Status  status `json:"status"`
	Reason  string `json:"reason,omitempty"`
	Rounds  int    `json:"rounds,omitempty"`
	spent
	score
}

// openResults reads the results of a directory, or begins new ones.
func openResults(dir string) (*results, error) {
	r := &results{path: filepath.Join(dir, "results.json")}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(r.path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("%s: %w; remove it to measure all anew", r.path, err)
	}
	return r, nil
}

// save writes all, so that a run that is stopped loses one measurement at most.
func (r *results) save() error {
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(r.path+".new", append(data, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(r.path+".new", r.path)
}

// know puts a corpus in its place. What was measured on another one of its name is dropped.
func (r *results) know(c corpusRow) {
	i := slices.IndexFunc(r.Corpora, func(x corpusRow) bool { return x.Name == c.Name })
	switch {
	case i < 0:
		r.Corpora = append(r.Corpora, c)
	case r.Corpora[i].Key != c.Key:
		r.Runs = slices.DeleteFunc(r.Runs, func(x result) bool { return x.Corpus == c.Name })
		fallthrough
	default:
		r.Corpora[i] = c
	}
}

// of returns what was measured of a program on a corpus.
func (r *results) of(program, corpus string) (result, bool) {
	for _, x := range r.Runs {
		if x.Program == program && x.Corpus == corpus {
			return x, true
		}
	}
	return result{}, false
}

// put puts a result in its place.
func (r *results) put(x result) {
	r.Runs = slices.DeleteFunc(r.Runs, func(y result) bool { return y.Program == x.Program && y.Corpus == x.Corpus })
	r.Runs = append(r.Runs, x)
}
