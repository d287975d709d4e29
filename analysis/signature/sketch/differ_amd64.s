//go:build !purego

#include "textflag.h"

// func differWords(a, b *uint64, n int) int
//
// Eight lanes at a time, with instructions that every amd64 processor has. An equal lane
// compares to -1; X0 adds these up.
TEXT ·differWords(SB), NOSPLIT, $0-32
	MOVQ    a+0(FP), SI
	MOVQ    b+8(FP), DI
	MOVQ    n+16(FP), CX
	LEAQ    (CX*4), AX         // all lanes; the equal ones are subtracted
	PXOR    X0, X0
	SUBQ    $4, CX
	JLT     pair

four:
	MOVOU   (SI), X1
	MOVOU   (DI), X2
	MOVOU   16(SI), X3
	MOVOU   16(DI), X4
	PCMPEQW X2, X1
	PCMPEQW X4, X3
	PADDW   X1, X0
	PADDW   X3, X0
	ADDQ    $32, SI
	ADDQ    $32, DI
	SUBQ    $4, CX
	JGE     four

pair:
	TESTQ   $2, CX
	JZ      one
	MOVOU   (SI), X1
	MOVOU   (DI), X2
	PCMPEQW X2, X1
	PADDW   X1, X0
	ADDQ    $16, SI
	ADDQ    $16, DI

one:
	TESTQ   $1, CX
	JZ      sum
	MOVQ    (SI), X1
	MOVQ    (DI), X2
	PCMPEQW X2, X1             // the four lanes above, all 0, are equal
	PADDW   X1, X0
	ADDQ    $4, AX

sum:
	PCMPEQW X1, X1             // -1 in every lane
	PMADDWL X1, X0             // so the result is the numbers of equal lanes
	PSHUFD  $0x4e, X0, X1
	PADDL   X1, X0
	PSHUFD  $0xb1, X0, X1
	PADDL   X1, X0
	MOVQ    X0, DX
	SUBL    DX, AX
	MOVQ    AX, ret+24(FP)
	RET
