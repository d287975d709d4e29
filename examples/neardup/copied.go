package main

import (
	"fmt"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin/backfill"
)

// written is what index and backfill print as JSON.
type written struct {
	Index     string `json:"index"`
	New       bool   `json:"new"`
	Documents uint64 `json:"documents"` // of this run
	Total     uint64 `json:"total"`     // in the index
}

// copied closes the target of a copy and says what was copied.
func (a *app) copied(to string, made bool, target bleve.Index, status backfill.Status, err error) error {
	if err != nil {
		target.Close()
		return fmt.Errorf("%w (%d of %d documents are written)", err, status.Done-status.LeftOut, status.Total)
	}
	total, err := target.DocCount()
	if cerr := target.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	if a.json {
		return a.encode(written{to, made, status.Done - status.LeftOut, total})
	}
	a.summary("copied %d documents; %s has %d", status.Done-status.LeftOut, to, total)
	return nil
}
