//go:build !purego

package token

import "github.com/neardup/bleve-neardup/analysis/signature/internal/cpu"

// wordsBMI is wordsGo, with room for that many hashes at dst. It is faster than the
// compiler's code because it uses registers better.
//
//go:noescape
func wordsBMI(s *Scanner, dst *uint64, room int) (n, first int, odd uint64)

func (s *Scanner) hash(dst []uint64) (n, first int, odd uint64) {
	if !cpu.AVX2 {
		return s.wordsGo(dst)
	}
	return wordsBMI(s, &dst[0], len(dst))
}
