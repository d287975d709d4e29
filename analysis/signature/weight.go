package signature

import (
	"fmt"
	"slices"
	"sync"
)

// Weight says how much a feature of the simhash counts: one of the constants, or the name of a
// function that RegisterWeight got.
type Weight string

const (
	// WeightDistinct counts each distinct feature once.
	WeightDistinct Weight = "distinct"

	// WeightCount counts a feature as often as it occurs. A line repeated a hundred times
	// then decides the simhash alone: examples/docs/measured.md has how many unlike mails that brings
	// together.
	WeightCount Weight = "count"

	// WeightLog counts a feature that occurs n times 1+log2(n) times, rounded down: the
	// logarithm of the vector space model (Manning, Raghavan, Schütze, "Introduction to
	// Information Retrieval", 6.4.1) in whole numbers.
	WeightLog Weight = "log"
)

// weights are the values of Params.SimhashWeight that need no registering, the default first.
var weights = []Weight{WeightDistinct, WeightCount, WeightLog}

// WeightFunc returns how much a feature counts that a document has n times, n being 1 or more: its
// term frequency. The feature is its tokens, folded, joined by one space, and valid during the call.
// 0 means that it does not count. A text of which no feature counts has the simhash 0, which matches
// none. It is called once for each distinct feature, in any order.
//
// Signatures can be compared only if their functions always gave the same weights. So the
// function must not depend on anything that changes; if it changes, it needs another name. It is
// called by several goroutines at once.
type WeightFunc func(feature []byte, n int) uint32

// functions has the registered functions by name.
var functions sync.Map // Weight -> WeightFunc

// RegisterWeight gives a function a name, which Params.SimhashWeight and the option
// simhash_weight of the analyzer can then have. The name is part of Params.ID. Call it before an
// index that names the function is opened, in each process that opens it. It returns an error if
// the name is empty or taken, or the function nil.
func RegisterWeight(name string, f WeightFunc) error {
	switch {
	case f == nil:
		return fmt.Errorf("signature: simhash_weight %q: wanted a function, got nil", name)
	case name == "":
		return fmt.Errorf("signature: simhash_weight: wanted a name for the function, got %q", name)
	case !printable(name):
		return fmt.Errorf("signature: simhash_weight: wanted a name of printable ASCII, got %q", name)
	case slices.Contains(weights, Weight(name)):
		return fmt.Errorf("signature: simhash_weight: wanted a name other than %q, got %q", weights, name)
	}
	if _, taken := functions.LoadOrStore(Weight(name), f); taken {
		return fmt.Errorf("signature: simhash_weight: wanted a name that is not registered yet, got %q", name)
	}
	return nil
}

// Function returns the function that was registered with the name w, or nil.
func (w Weight) Function() WeightFunc {
	f, _ := functions.Load(w)
	function, _ := f.(WeightFunc)
	return function
}

// Validate returns an error unless w is one of the constants, "" or the name of a registered
// function.
func (w Weight) Validate() error {
	if w == "" || slices.Contains(weights, w) || w.Function() != nil {
		return nil
	}
	return fmt.Errorf("wanted one of %q, got %q: a function must be registered with signature.RegisterWeight before its name is used", weights, string(w))
}
