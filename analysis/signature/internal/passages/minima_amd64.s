//go:build !purego

#include "textflag.h"

DATA top<>+0(SB)/8, $0x8000000000000000
GLOBL top<>(SB), RODATA|NOPTR, $8

// What a mask of four bits leaves of four lanes of 64 bits, as VPERMD is told, a byte for each half: the lanes whose bit is 0
// come first, whatever comes after them.
DATA left<>+0(SB)/8, $0x0706050403020100
DATA left<>+8(SB)/8, $0x0100070605040302
DATA left<>+16(SB)/8, $0x0302070605040100
DATA left<>+24(SB)/8, $0x0302010007060504
DATA left<>+32(SB)/8, $0x0504070603020100
DATA left<>+40(SB)/8, $0x0504010007060302
DATA left<>+48(SB)/8, $0x0504030207060100
DATA left<>+56(SB)/8, $0x0504030201000706
DATA left<>+64(SB)/8, $0x0706050403020100
DATA left<>+72(SB)/8, $0x0706010005040302
DATA left<>+80(SB)/8, $0x0706030205040100
DATA left<>+88(SB)/8, $0x0706030201000504
DATA left<>+96(SB)/8, $0x0706050403020100
DATA left<>+104(SB)/8, $0x0706050401000302
DATA left<>+112(SB)/8, $0x0706050403020100
DATA left<>+120(SB)/8, $0x0706050403020100
GLOBL left<>(SB), RODATA|NOPTR, $128

// LESS makes x the less of itself and y, with signs, four times.
#define LESS(y, x) \
	VPCMPGTQ  y, x, Y2    \
	VBLENDVPD Y2, y, x, x

// SIXTEEN writes the least of the 16 fingerprints up to each of the next four. Windows of 2, 4 and 8 are
// put together to windows of twice as many: c, two and four become fingerprints and the least of 2 and 4, of which the
// four before are in c0, two0 and four0. eight is the least of 8 that end 8 places before, and becomes the least of 8.
#define SIXTEEN(off, c0, c, two0, two, four0, four, eight) \
	VPXOR      off(SI)(AX*8), Y15, c  \
	VPERM2I128 $0x21, c, c0, Y0       \ // the last two of c0, the first two of c
	VPALIGNR   $8, Y0, c, two         \ // the last of c0, the first three of c
	LESS(c, two)                      \
	VPERM2I128 $0x21, two, two0, four \
	LESS(two, four)                   \
	VPCMPGTQ   four0, four, Y2        \
	VBLENDVPD  Y2, four0, four, Y0    \
	VPCMPGTQ   eight, Y0, Y2          \
	VBLENDVPD  Y2, eight, Y0, Y1      \
	VMOVDQA    Y0, eight              \
	VMOVDQU    Y1, off(SI)(AX*8)

// func sixteens(places *uint64, n int)
//
// Whatever registers had before is in what is written to the first 15 places, of which each has fewer than 16 up to it.
TEXT ·sixteens(SB), NOSPLIT, $0-16
	MOVQ places+0(FP), SI
	MOVQ n+8(FP), CX
	VPBROADCASTQ top<>(SB), Y15
	XORL AX, AX

next:
	SIXTEEN(0, Y9, Y8, Y11, Y10, Y13, Y12, Y6)
	SIXTEEN(32, Y8, Y9, Y10, Y11, Y12, Y13, Y7)
	ADDQ $8, AX
	CMPQ AX, CX
	JLT  next
	VZEROUPPER
	RET

// func changes(dst, least *uint64, n, a, b int, before uint64) int
//
// Registers: Y6 the four minima before those in Y1, R11 how many were appended.
TEXT ·changes(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ least+8(FP), R8
	MOVQ n+16(FP), CX
	MOVQ a+24(FP), R9
	MOVQ b+32(FP), R10
	LEAQ (R8)(R9*8), R9
	LEAQ (R8)(R10*8), R10
	LEAQ left<>(SB), R13
	VPBROADCASTQ top<>(SB), Y15
	VPBROADCASTQ before+40(FP), Y6
	VPXOR Y15, Y6, Y6
	XORL R11, R11
	XORL AX, AX

next:
	VMOVDQU    (R8)(AX*8), Y1
	VMOVDQU    (R9)(AX*8), Y3
	VMOVDQU    (R10)(AX*8), Y4
	LESS(Y3, Y1)
	LESS(Y4, Y1)
	VPERM2I128 $0x21, Y1, Y6, Y0 // the last two of Y6, the first two of Y1
	VPALIGNR   $8, Y0, Y1, Y0    // the last of Y6, the first three of Y1
	VPCMPEQQ   Y1, Y0, Y0
	VMOVDQA    Y1, Y6
	VMOVMSKPD  Y0, DX
	VPXOR      Y15, Y1, Y1
	VPMOVZXBD  (R13)(DX*8), Y0
	VPERMD     Y1, Y0, Y1
	VMOVDQU    Y1, (DI)(R11*8)
	XORL       $15, DX
	POPCNTL    DX, BX
	ADDQ       BX, R11
	ADDQ       $4, AX
	CMPQ       AX, CX
	JLT        next

	// What is after the last of n came last.
	ANDL    $3, CX
	JZ      done
	SHRL    CX, DX
	POPCNTL DX, BX
	SUBQ    BX, R11

done:
	VZEROUPPER
	MOVQ R11, ret+48(FP)
	RET
