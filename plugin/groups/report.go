package groups

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"iter"
)

// WriteJSON writes groups as JSON lines, each a Group. It stops at the first error of
// groups or w, and returns it; what came before is written.
func WriteJSON(w io.Writer, groups iter.Seq2[Group, error]) error { return writeLines(w, groups) }

// WriteContained does the same with what Contained lists.
func WriteContained(w io.Writer, all iter.Seq2[Containment, error]) error { return writeLines(w, all) }

func writeLines[T any](w io.Writer, all iter.Seq2[T, error]) error {
	if all == nil {
		return errors.New("groups: wanted groups, got nil")
	}
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for one, err := range all {
		if err == nil {
			err = enc.Encode(one)
		}
		if err != nil {
			_ = out.Flush() // what came before is written
			return err
		}
	}
	return out.Flush()
}
