//go:build !purego

package blocks

import "github.com/neardup/bleve-neardup/analysis/signature/internal/cpu"

// findAVX2 is findGo for n blocks, one or more, 32 bytes at a time.
//
//go:noescape
func findAVX2(masks *uint64, n int, folded, text *byte) int

func find(masks []uint64, folded, text []byte) int {
	if !cpu.AVX2 || len(masks) == 0 {
		return findGo(masks, folded, text)
	}
	_, _ = folded[len(masks)*Size-1], text[len(masks)*Size+1]
	return findAVX2(&masks[0], len(masks), &folded[0], &text[0])
}
