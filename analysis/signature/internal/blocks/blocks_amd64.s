//go:build !purego

#include "textflag.h"

// bytes32 defines name as 32 times one byte.
#define bytes32(name, x) \
	DATA name<>+0(SB)/8, $x    \
	DATA name<>+8(SB)/8, $x    \
	DATA name<>+16(SB)/8, $x   \
	DATA name<>+24(SB)/8, $x   \
	GLOBL name<>(SB), RODATA|NOPTR, $32

bytes32(space, 0x2020202020202020)     // the bit by which cases differ
bytes32(fromA, 0x1f1f1f1f1f1f1f1f)     // 0x80 - 'a': brings 'a' to the least signed byte
bytes32(fromZero, 0x5050505050505050)  // 0x80 - '0'
bytes32(letters, 0x9a9a9a9a9a9a9a9a)   // 0x80 + 26
bytes32(digits, 0x8a8a8a8a8a8a8a8a)    // 0x80 + 10
bytes32(under, 0x5f5f5f5f5f5f5f5f)
bytes32(nibble, 0x0f0f0f0f0f0f0f0f)
bytes32(midLetter, 0x0303030303030303) // bits of mids that join letters
bytes32(midDigit, 0x0d0d0d0d0d0d0d0d)  // bits of mids that join digits

// A mid has one bit that the entries of its low and its high half share:
// 1 for ' and ., 2 for :, 4 for , and 8 for ;
DATA lowHalf<>+0(SB)/8, $0x0100000000000000
DATA lowHalf<>+8(SB)/8, $0x0001000408020000
DATA lowHalf<>+16(SB)/8, $0x0100000000000000
DATA lowHalf<>+24(SB)/8, $0x0001000408020000
GLOBL lowHalf<>(SB), RODATA|NOPTR, $32
DATA highHalf<>+0(SB)/8, $0x000000000a050000
DATA highHalf<>+8(SB)/8, $0x0000000000000000
DATA highHalf<>+16(SB)/8, $0x000000000a050000
DATA highHalf<>+24(SB)/8, $0x0000000000000000
GLOBL highHalf<>(SB), RODATA|NOPTR, $32

// HALF classifies the 32 bytes at i+1(SI), writes them folded to i(DI) and their
// bits to out; Y15 collects all bytes seen. A byte is in a range of n from c if it
// is less than 0x80+n as a signed number after 0x80-c was added. Two bytes are both
// in the range if the greater one is.
#define HALF(i, out) \
	VMOVDQU   i+0(SI), Y1                \
	VMOVDQU   i+1(SI), Y0                \
	VMOVDQU   i+2(SI), Y2                \
	VPOR      Y0, Y15, Y15               \
	VPOR      Y2, Y15, Y15               \
	VPOR      Y8, Y0, Y3                 \
	VPADDB    Y9, Y3, Y3                 \
	VPCMPGTB  Y3, Y10, Y3                \ // letters
	VPAND     Y8, Y3, Y4                 \
	VPOR      Y0, Y4, Y4                 \
	VMOVDQU   Y4, i(DI)                  \
	VPADDB    Y11, Y0, Y4                \
	VPCMPGTB  Y4, Y12, Y4                \ // digits
	VPOR      Y4, Y3, Y3                 \
	VPCMPEQB  under<>(SB), Y0, Y4        \
	VPOR      Y4, Y3, Y3                 \
	VPADDB    Y11, Y1, Y4                \
	VPADDB    Y11, Y2, Y5                \
	VPMAXSB   Y5, Y4, Y4                 \
	VPCMPGTB  Y4, Y12, Y4                \ // digits on both sides
	VPAND     midDigit<>(SB), Y4, Y4     \
	VPOR      Y8, Y1, Y1                 \
	VPOR      Y8, Y2, Y2                 \
	VPADDB    Y9, Y1, Y1                 \
	VPADDB    Y9, Y2, Y2                 \
	VPMAXSB   Y2, Y1, Y1                 \
	VPCMPGTB  Y1, Y10, Y1                \ // letters on both sides
	VPAND     midLetter<>(SB), Y1, Y1    \
	VPOR      Y4, Y1, Y1                 \
	VPSHUFB   Y0, Y13, Y4                \
	VPSRLW    $4, Y0, Y0                 \
	VPAND     nibble<>(SB), Y0, Y0       \
	VPSHUFB   Y0, Y14, Y0                \
	VPAND     Y4, Y0, Y0                 \
	VPAND     Y1, Y0, Y0                 \
	VPCMPGTB  Y7, Y0, Y0                 \ // mids that join
	VPOR      Y0, Y3, Y3                 \
	VPMOVMSKB Y3, out

// func findAVX2(masks *uint64, n int, folded, text *byte) int
TEXT ·findAVX2(SB), NOSPLIT, $0-40
	MOVQ    masks+0(FP), R8
	MOVQ    n+8(FP), CX
	MOVQ    folded+16(FP), DI
	MOVQ    text+24(FP), SI
	MOVQ    CX, R9
	VPXOR   Y7, Y7, Y7
	VMOVDQU space<>(SB), Y8
	VMOVDQU fromA<>(SB), Y9
	VMOVDQU letters<>(SB), Y10
	VMOVDQU fromZero<>(SB), Y11
	VMOVDQU digits<>(SB), Y12
	VMOVDQU lowHalf<>(SB), Y13
	VMOVDQU highHalf<>(SB), Y14
	VPXOR   Y15, Y15, Y15

next:
	HALF(0, AX)
	HALF(32, BX)
	VPMOVMSKB Y15, DX
	TESTL   DX, DX
	JNZ     done
	SHLQ    $32, BX
	ORQ     BX, AX
	MOVQ    AX, (R8)
	ADDQ    $8, R8
	ADDQ    $64, SI
	ADDQ    $64, DI
	DECQ    CX
	JNZ     next

done:
	VZEROUPPER
	SUBQ    CX, R9
	MOVQ    R9, ret+32(FP)
	RET
