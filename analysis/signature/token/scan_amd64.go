//go:build !purego

package token

// blocksAVX2 is blocksGo for n blocks, one or more, 32 bytes at a time.
//
//go:noescape
func blocksAVX2(masks *uint64, n int, folded, text *byte) int

// wordsBMI is wordsGo, with room for so many hashes at dst. What is gained over the
// compiler's code is in registers.
//
//go:noescape
func wordsBMI(s *Scanner, dst *uint64, room int) (n, first int, odd uint64)

func cpuid(leaf uint32) (eax, ebx, ecx uint32)

func xgetbv() uint32

// assembly tells whether the processor has AVX2, BMI1 and BMI2, and the operating
// system keeps the AVX registers (Intel, "Software Developer's Manual", vol. 1,
// 14.3 and 14.7.1).
var assembly = func() bool {
	const (
		osxsave = 1 << 27     // leaf 1, ecx
		saved   = 1<<1 | 1<<2 // xcr0: SSE and AVX registers
		bmi1    = 1 << 3      // leaf 7, ebx
		avx2    = 1 << 5      // ibid.
		bmi2    = 1 << 8      // ibid.
		wanted  = bmi1 | avx2 | bmi2
	)
	if leaves, _, _ := cpuid(0); leaves < 7 {
		return false
	}
	if _, _, ecx := cpuid(1); ecx&osxsave == 0 || xgetbv()&saved != saved {
		return false
	}
	_, ebx, _ := cpuid(7)
	return ebx&wanted == wanted
}()

func blocks(masks []uint64, folded, text []byte) int {
	if !assembly || len(masks) == 0 {
		return blocksGo(masks, folded, text)
	}
	_, _ = folded[len(masks)*block-1], text[len(masks)*block+1]
	return blocksAVX2(&masks[0], len(masks), &folded[0], &text[0])
}

func (s *Scanner) hash(dst []uint64) (n, first int, odd uint64) {
	if !assembly {
		return s.wordsGo(dst)
	}
	return wordsBMI(s, &dst[0], len(dst))
}
