package indextype

import (
	"errors"
	"fmt"
	"strings"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// formatTries is how many documents of a segment are looked at for a signature.
const formatTries = 16

// openFormat returns an error that wraps signature.ErrVersion if the index has signatures of
// another format: nothing would fold, and nobody would be told. It looks at one signature of
// each segment, since a segment is written by one version.
func (x *Index) openFormat() error {
	snapshot, err := x.snapshot()
	if err != nil {
		return err
	}
	defer snapshot.Close()
	for _, s := range snapshot.Segments() {
		for n, seen := uint64(0), false; n < min(formatTries, uint64(s.FullSize())) && !seen; n++ {
			var sig signature.Signature
			var wrong error
			err := s.Segment().VisitStoredFields(n, func(name string, _ byte, value []byte, _ []uint64) bool {
				if !signature.Reserved(name) || !strings.HasSuffix(name, ".sketch") {
					return true
				}
				seen, wrong = true, sig.UnmarshalText(value)
				return false
			})
			if err != nil {
				return err
			}
			if errors.Is(wrong, signature.ErrVersion) {
				return fmt.Errorf("neardup: %w; package plugin/backfill makes a new index of this one, opened with read_only", wrong)
			}
		}
	}
	return nil
}
