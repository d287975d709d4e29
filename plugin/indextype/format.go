package indextype

import (
	"errors"
	"fmt"
	"strings"

	"github.com/blevesearch/bleve/v2/index/scorch"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/column"
)

// tries is how many documents of a segment are looked at for a signature.
const tries = 16

// sketchPrefix and sketchSuffix stand before and after the name of a fingerprinted field in the
// name of its sketch.
var sketchPrefix, sketchSuffix, _ = strings.Cut(signature.Field("\x00").Sketch(), "\x00")

// checkFormat returns an error that wraps signature.ErrVersion if a snapshot has signatures of
// another format: nothing would fold, without any error. It looks at one signature of
// each segment, since a segment is written by one version. What is damaged is no reason not
// to open an index: searches count it.
func checkFormat(snapshot *scorch.IndexSnapshot) error {
	for _, s := range snapshot.Segments() {
		for n, signed := uint64(0), false; n < min(tries, uint64(s.FullSize())) && !signed; n++ {
			var err error
			if signed, err = read(s, n); errors.Is(err, signature.ErrVersion) {
				return fmt.Errorf("neardup: %w; package plugin/backfill makes a new index of this one, opened with read_only; Options.Fresh leaves marks and templates behind if they are of that format too", err)
			}
		}
	}
	return nil
}

// read reports whether the n-th document of a segment has a signature, and why the
// signature cannot be read.
func read(s *scorch.SegmentSnapshot, n uint64) (signed bool, err error) {
	var wrong error
	err = column.Visit(s, n, func(name string, value []byte) bool {
		if !strings.HasPrefix(name, sketchPrefix) || !strings.HasSuffix(name, sketchSuffix) {
			return true
		}
		signed, wrong = true, new(signature.Signature).UnmarshalText(value)
		return false
	})
	return signed, errors.Join(err, wrong)
}
