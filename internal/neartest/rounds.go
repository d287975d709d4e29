package neartest

import (
	"flag"
	"testing"
)

var long = flag.Bool("long", false, "tests that repeat something with random input do so five times as often")

// Rounds returns how often a test repeats something with random input: all rounds with the
// flag -long, a fifth of them without it, and a twentieth of them with -short.
func Rounds(all int) int {
	switch {
	case testing.Short():
		return all / 20
	case *long:
		return all
	}
	return all / 5
}
