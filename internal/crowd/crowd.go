// Package crowd is the guard of lookups: a key that too many documents hold is no evidence, and is not followed.
package crowd

import (
	"fmt"
	"math"
)

// MaxShare is the default of the guard in a search: the largest share of an index's documents that may
// hold a key which is followed.
const MaxShare = .01

// least is how many documents may hold a key whatever their share.
const least = 500

// CheckShare returns an error for a share at which no guard can stand.
func CheckShare(share float64) error {
	if !(share >= 0 && share <= 1) {
		return fmt.Errorf("max_share: wanted 0 to 1, got %v", share)
	}
	return nil
}

// Most returns how many of n documents may hold a key that is followed, 0 for all: the guard is
// off at a share of 0 or 1.
func Most(share float64, n uint64) int {
	if share == 0 || share >= 1 {
		return 0
	}
	return max(least, int(math.Ceil(share*float64(n))))
}
