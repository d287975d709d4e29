package paging

import (
	"testing"

	"github.com/neardup/bleve-neardup/internal/ids"
)

// TestJSONSize compares the sizes of ids with what JSON makes of them.
func TestJSONSize(t *testing.T) {
	t.Parallel()
	for r := range rune(0x300) {
		for _, id := range []string{string(r), "a" + string(r) + "b", string([]byte{byte(r)}), "page 1"} {
			text, err := ids.ID(id).MarshalJSON()
			if err != nil || jsonSize(id) != len(text) {
				t.Fatalf("%q: %d bytes, want %d of %s, error %v", id, jsonSize(id), len(text), text, err)
			}
		}
	}
}
