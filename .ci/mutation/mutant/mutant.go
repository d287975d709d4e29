// Package mutant is added to the library's build by .ci/mutate: each change of the code asks it whether
// it is in force. One is at most, by its number in the environment.
package mutant

import (
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
)

var (
	inForce, _ = strconv.Atoi(os.Getenv("MUTANT"))
	log        = open(os.Getenv("MUTANT_REACHED")) // of the numbers of changes that were reached
	reached    [1 << 14]atomic.Bool
)

func open(name string) *os.File {
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	return f
}

// On reports whether change n is in force.
func On(n int) bool {
	if log != nil && !reached[n].Swap(true) {
		fmt.Fprintln(log, n)
	}
	return n == inForce
}

type whole interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

type number interface{ whole | ~float32 | ~float64 }

// Step is 1, or -1.
func Step[T number](n int, _ T) T {
	if one := T(1); !On(n) {
		return one
	}
	return Negative(0, T(1))
}

// Negative is -x, or x.
func Negative[T number](n int, x T) T {
	if n > 0 && On(n) {
		return x
	}
	return -x
}

// Rest is x % y, or x * y.
func Rest[T whole](n int, x, y T) T {
	if On(n) {
		return x * y
	}
	return x % y
}

// Sum is x op y, or x other y.
func Sum[T number](n int, op, other string, x, y T) T {
	if On(n) {
		op = other
	}
	switch op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	}
	return x / y
}
