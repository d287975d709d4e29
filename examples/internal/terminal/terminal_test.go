package terminal

import (
	"bytes"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A bar that is ended in the middle leaves an empty line, with the cursor at its start.
func TestEnd(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the library leaves what the bar showed there")
	}
	for _, done := range []int{40, 100} {
		var out bytes.Buffer
		bar := newBar(&out, "indexing", 100, false)
		for range done {
			bar.Add(1)
			time.Sleep(3 * time.Millisecond) // or it shows nothing
		}
		if !strings.Contains(out.String(), "indexing") {
			t.Fatalf("the bar shows %q", out.String())
		}
		bar.End()
		line, at := []rune{}, 0
		for _, r := range out.String() {
			switch {
			case r == '\r':
				at = 0
				continue
			case r == '\n':
				t.Errorf("after %d of 100: a line is left: %q", done, string(line))
			case at == len(line):
				line = append(line, r)
			default:
				line[at] = r
			}
			at++
		}
		if left := strings.TrimSpace(string(line)); left != "" || at != 0 {
			t.Errorf("after %d of 100: %q is left, with the cursor at %d", done, left, at)
		}
	}
}
