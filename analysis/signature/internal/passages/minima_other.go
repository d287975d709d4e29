//go:build !amd64 || purego

package passages

// minima is never made here: a Selector has to select.
type minima struct{}

func newMinima(int) *minima { return nil }

func (*minima) reset() {}

func (*minima) room() []uint64 { return nil }

func (*minima) append(dst, _ []uint64) []uint64 { return dst }
