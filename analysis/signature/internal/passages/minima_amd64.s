//go:build !purego

#include "textflag.h"

// The highest bit. AVX2 has only a comparison of signed numbers: with this bit flipped, they are in the order of unsigned ones.
DATA top<>+0(SB)/8, $0x8000000000000000
GLOBL top<>(SB), RODATA|NOPTR, $8

// For each mask of four bits, how VPERMD moves four numbers so that those whose bit is 0 come first, in order; what comes after
// them has no meaning. VPERMD moves halves of numbers: there is a byte for each half.
DATA front<>+0(SB)/8, $0x0706050403020100
DATA front<>+8(SB)/8, $0x0100070605040302
DATA front<>+16(SB)/8, $0x0302070605040100
DATA front<>+24(SB)/8, $0x0302010007060504
DATA front<>+32(SB)/8, $0x0504070603020100
DATA front<>+40(SB)/8, $0x0504010007060302
DATA front<>+48(SB)/8, $0x0504030207060100
DATA front<>+56(SB)/8, $0x0504030201000706
DATA front<>+64(SB)/8, $0x0706050403020100
DATA front<>+72(SB)/8, $0x0706010005040302
DATA front<>+80(SB)/8, $0x0706030205040100
DATA front<>+88(SB)/8, $0x0706030201000504
DATA front<>+96(SB)/8, $0x0706050403020100
DATA front<>+104(SB)/8, $0x0706050401000302
DATA front<>+112(SB)/8, $0x0706050403020100
DATA front<>+120(SB)/8, $0x0706050403020100
GLOBL front<>(SB), RODATA|NOPTR, $128

// LESS makes each of the four numbers of x the lesser of itself and the number of y, as signed numbers. It changes Y2.
#define LESS(y, x) \
	VPCMPGTQ  y, x, Y2    \
	VBLENDVPD Y2, y, x, x

// SIXTEEN writes the least of the 16 fingerprints up to each of four places, at off bytes after place AX. c becomes the four fingerprints,
// two the least of the 2 up to each, and four the least of the 4. c0, two0 and four0 are the same of the four places before.
// eight is the least of the 8 up to each place 8 before, and becomes the least of the 8 up to each. It changes Y0 to Y2.
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
// Registers: SI places, AX the next place, CX n; Y6 to Y13 as SIXTEEN says, in turns. They are not cleared: what they had before the
// call gets no further than the first 15 places, which have fewer than 16 up to them.
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
// Registers: DI dst, R8 least, R9 least+a, R10 least+b, AX the next window, CX n, Y1 the least of the next four windows, Y6 of the four
// before, DX the mask of those that are equal to the one before them, R11 how many were appended.
TEXT ·changes(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ least+8(FP), R8
	MOVQ n+16(FP), CX
	MOVQ a+24(FP), R9
	MOVQ b+32(FP), R10
	LEAQ (R8)(R9*8), R9
	LEAQ (R8)(R10*8), R10
	LEAQ front<>(SB), R13
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

	// Of the last four windows, those from n on were counted too.
	ANDL    $3, CX
	JZ      done
	SHRL    CX, DX
	POPCNTL DX, BX
	SUBQ    BX, R11

done:
	VZEROUPPER
	MOVQ R11, ret+48(FP)
	RET
