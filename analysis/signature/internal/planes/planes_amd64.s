//go:build !purego

#include "textflag.h"

// ADD is a full adder: sum becomes the sum of a, b and sum, and carry their carry. It changes a and b.
#define ADD(a, b, sum, carry) \
	VPAND a, b, carry      \
	VPXOR a, b, b          \
	VPAND b, sum, a        \
	VPXOR b, sum, sum      \
	VPOR  a, carry, carry

// HALF is a half adder: x is added to sum, and becomes the carry. It changes Y0.
#define HALF(x, sum) \
	VPAND x, sum, Y0   \
	VPXOR x, sum, sum  \
	VMOVDQA Y0, x

// func addGroups(planes *[8][4]uint64, numbers *uint64, n int)
//
// Registers: DI planes, SI the next group, CX how many are left, Y8 to Y15 the planes.
TEXT ·addGroups(SB), NOSPLIT, $0-24
	MOVQ    planes+0(FP), DI
	MOVQ    numbers+8(FP), SI
	MOVQ    n+16(FP), CX
	VMOVDQU 0(DI), Y8
	VMOVDQU 32(DI), Y9
	VMOVDQU 64(DI), Y10
	VMOVDQU 96(DI), Y11
	VMOVDQU 128(DI), Y12
	VMOVDQU 160(DI), Y13
	VMOVDQU 192(DI), Y14
	VMOVDQU 224(DI), Y15

next:
	VMOVDQU 0(SI), Y0
	VMOVDQU 32(SI), Y1
	VMOVDQU 64(SI), Y2
	VMOVDQU 96(SI), Y3
	ADD(Y0, Y1, Y8, Y4)
	ADD(Y2, Y3, Y8, Y5)
	ADD(Y4, Y5, Y9, Y6)
	VMOVDQU 128(SI), Y0
	VMOVDQU 160(SI), Y1
	VMOVDQU 192(SI), Y2
	VMOVDQU 224(SI), Y3
	ADD(Y0, Y1, Y8, Y4)
	ADD(Y2, Y3, Y8, Y5)
	ADD(Y4, Y5, Y9, Y7)
	ADD(Y6, Y7, Y10, Y1)
	HALF(Y1, Y11)
	HALF(Y1, Y12)
	HALF(Y1, Y13)
	HALF(Y1, Y14)
	HALF(Y1, Y15)
	ADDQ    $256, SI
	DECQ    CX
	JNZ     next

	VMOVDQU Y8, 0(DI)
	VMOVDQU Y9, 32(DI)
	VMOVDQU Y10, 64(DI)
	VMOVDQU Y11, 96(DI)
	VMOVDQU Y12, 128(DI)
	VMOVDQU Y13, 160(DI)
	VMOVDQU Y14, 192(DI)
	VMOVDQU Y15, 224(DI)
	VZEROUPPER
	RET
