//go:build !purego

// Package cpu reports which instructions the processor has, for packages that have a piece
// of assembly and the same code in Go.
package cpu

// Instructions can be used if the processor has them and the operating system saves their
// registers (Intel, "Software Developer's Manual", vol. 1, 14.3, 14.7.1 and 15.2 to 15.4).
var (
	// AVX2 stands for AVX2, BMI1, BMI2 and POPCNT: Intel since 2013, AMD since 2015.
	AVX2 bool

	// AVX512 stands for all of these and F, DQ, BW, VL and VBMI2 of AVX-512: Intel servers since
	// 2021, AMD since 2022.
	AVX512 bool
)

func init() {
	const (
		wanted1  = 1<<23 | 1<<27 | 1<<28                   // leaf 1, ecx: POPCNT, OSXSAVE, AVX
		ymm      = 1<<1 | 1<<2                             // xcr0: SSE and AVX registers
		zmm      = ymm | 1<<5 | 1<<6 | 1<<7                // xcr0: the AVX-512 registers too
		wanted2  = 1<<3 | 1<<5 | 1<<8                      // leaf 7, ebx: BMI1, AVX2, BMI2
		wanted5  = wanted2 | 1<<16 | 1<<17 | 1<<30 | 1<<31 // ibid.: AVX512F, DQ, BW, VL
		compress = 1 << 6                                  // leaf 7, ecx: AVX512_VBMI2
	)
	if leaves, _, _ := cpuid(0); leaves < 7 {
		return
	}
	if _, _, ecx := cpuid(1); ecx&wanted1 != wanted1 {
		return
	}
	saved := xgetbv()
	_, ebx, ecx := cpuid(7)
	AVX2 = saved&ymm == ymm && ebx&wanted2 == wanted2
	AVX512 = saved&zmm == zmm && ebx&wanted5 == wanted5 && ecx&compress != 0
}

func cpuid(leaf uint32) (eax, ebx, ecx uint32)

func xgetbv() uint32
