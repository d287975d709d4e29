//go:build !purego

package token

import "github.com/neardup/bleve-neardup/analysis/signature/internal/cpu"

// blocksAVX2 is blocksGo for n blocks, one or more, 32 bytes at a time.
//
//go:noescape
func blocksAVX2(masks *uint64, n int, folded, text *byte) int

// wordsBMI is wordsGo, with room for that many hashes at dst. It is faster than the
// compiler's code because it uses registers better.
//
//go:noescape
func wordsBMI(s *Scanner, dst *uint64, room int) (n, first int, odd uint64)

func blocks(masks []uint64, folded, text []byte) int {
	if !cpu.AVX2 || len(masks) == 0 {
		return blocksGo(masks, folded, text)
	}
	_, _ = folded[len(masks)*block-1], text[len(masks)*block+1]
	return blocksAVX2(&masks[0], len(masks), &folded[0], &text[0])
}

func (s *Scanner) hash(dst []uint64) (n, first int, odd uint64) {
	if !cpu.AVX2 {
		return s.wordsGo(dst)
	}
	return wordsBMI(s, &dst[0], len(dst))
}
