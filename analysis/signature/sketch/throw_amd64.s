//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// func throwWords(lanes *uint64, k uint64, elements *uint64, n int, key, mul, first uint64)
//
// Registers: DI lanes, R9 k, SI the end of elements, CX the number of elements left,
// negated, R10 key, R11 mul, R12 first. A lane that was filled in an earlier round is less than any value of
// this one, and stays.
TEXT ·throwWords(SB), NOSPLIT, $0-56
	MOVQ  lanes+0(FP), DI
	MOVQ  k+8(FP), R9
	MOVQ  elements+16(FP), SI
	MOVQ  n+24(FP), CX
	MOVQ  key+32(FP), R10
	MOVQ  mul+40(FP), R11
	MOVQ  first+48(FP), R12
	LEAQ  (SI)(CX*8), SI
	NEGQ  CX
	TESTQ R12, R12
	JZ    round0

later:
	MOVQ  (SI)(CX*8), AX
	XORQ  R10, AX
	MULQ  R11
	XORQ  DX, AX
	MULQ  R9
	SHRQ  $(64-const_roundShift), AX
	ORQ   R12, AX
	MOVQ  (DI)(DX*8), BX
	CMPQ  AX, BX
	CMOVQCS AX, BX
	MOVQ  BX, (DI)(DX*8)
	INCQ  CX
	JNZ   later
	RET

round0:
	MOVQ  (SI)(CX*8), AX
	MULQ  R9
	SHRQ  $(64-const_roundShift), AX
	MOVQ  (DI)(DX*8), BX
	CMPQ  AX, BX
	CMOVQCS AX, BX
	MOVQ  BX, (DI)(DX*8)
	INCQ  CX
	JNZ   round0
	RET
