package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
)

// results is what was measured.
type results struct {
	Machine   string       `json:"machine"`
	Threshold float64      `json:"threshold"`
	Corpora   []corpusRow  `json:"corpora"`
	Programs  []programRow `json:"programs"`
	Runs      []result     `json:"runs"`
}

// corpusRow is what is known of a corpus.
type corpusRow struct {
	Name      string `json:"name"`
	About     string `json:"about"`
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
	Status  status `json:"status"`
	Reason  string `json:"reason,omitempty"`
	Rounds  int    `json:"rounds,omitempty"`
	spent
	score
}

// save writes the results and the page into a directory.
func (r *results) save(dir string) error {
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return errors.Join(
		os.MkdirAll(dir, 0o755),
		os.WriteFile(filepath.Join(dir, "results.json"), append(data, '\n'), 0o644),
		os.WriteFile(filepath.Join(dir, "README.md"), []byte(r.markdown()), 0o644),
	)
}

// of returns what was measured of a program on a corpus.
func (r *results) of(program, corpus string) (result, bool) {
	i := slices.IndexFunc(r.Runs, func(x result) bool { return x.Program == program && x.Corpus == corpus })
	if i < 0 {
		return result{}, false
	}
	return r.Runs[i], true
}
