package near

import "testing"

// The guard follows what 500 documents hold, or the share, whichever is more.
func TestMostHeld(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		share float64
		n     uint64
		want  int
	}{{0, 1e6, 0}, {1, 1e6, 0}, {.01, 100, 500}, {.01, 1e6, 10_000}, {.5, 1001, 501}} {
		if got := mostHeld(tt.share, tt.n); got != tt.want {
			t.Errorf("share %v of %d: got %d, want %d", tt.share, tt.n, got, tt.want)
		}
	}
}
