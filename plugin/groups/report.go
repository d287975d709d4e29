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
func WriteJSON(w io.Writer, groups iter.Seq2[Group, error]) error {
	if groups == nil {
		return errors.New("groups: wanted groups, got nil")
	}
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for one, err := range groups {
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
