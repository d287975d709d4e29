package main

import (
	"fmt"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin"
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
	unsigned := signedNothing(target)
	if cerr := target.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	if a.json {
		err = a.encode(written{to, made, status.Done - status.LeftOut, total})
	}
	a.summary("copied %d documents; %s has %d", status.Done-status.LeftOut, to, total)
	return a.unsigned(err, unsigned)
}

// signedNothing reports whether documents were written to an index of type neardup since it was opened, and none has a
// signature of any text.
func signedNothing(x bleve.Index) bool {
	inner, err := plugin.Of(x)
	if err != nil {
		return false
	}
	counts := inner.StatsMap()
	count := func(name string) uint64 {
		n, _ := counts["neardup_"+name].(uint64)
		return n
	}
	return count("signed") == count("empty") && count("empty")+count("unsigned") > 0
}

// unsigned returns err, or what ends a command that has signed nothing.
func (a *app) unsigned(err error, unsigned bool) error {
	if err != nil || !unsigned {
		return err
	}
	fmt.Fprintln(a.stderr, "no document was signed: none has text in a field that the mapping fingerprints, which --text names")
	return errFinding
}
