//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// Registers of run and runAll: SI a, R8 and R9 the ends of last and first, CX the number of
// tokens left, negated, R10 sum, R11 what the token that leaves it next is worth, R15
// multiplier, R13 table, BX mask, AX the fingerprint, DX its slot, R14 what is in the slot; DI is
// base plus the number of members, and R12 the address of members minus base members, so that the
// value of a slot needs no subtraction.

// BEGIN sets them.
#define BEGIN \
	MOVQ  adding_n(SI), CX       \
	MOVQ  adding_last(SI), R8    \
	MOVQ  adding_first(SI), R9   \
	LEAQ  (R8)(CX*8), R8         \
	LEAQ  (R9)(CX*8), R9         \
	NEGQ  CX                     \
	MOVQ  adding_sum(SI), R10    \
	XORL  R11, R11               \
	MOVQ  adding_members(SI), R12 \
	MOVQ  adding_base(SI), AX    \
	MOVQ  adding_have(SI), DI    \
	ADDQ  AX, DI                 \
	SHLQ  $3, AX                 \
	SUBQ  AX, R12                \
	MOVQ  adding_table(SI), R13  \
	MOVQ  adding_mask(SI), BX    \
	MOVQ  $const_multiplier, R15

// FINGERPRINT makes the next one.
#define FINGERPRINT \
	IMULQ R15, R10               \
	MOVQ  (R8)(CX*8), AX         \
	SUBQ  R11, AX                \
	ADDQ  AX, R10                \
	MOVQ  (R9)(CX*8), R11        \
	IMULQ adding_top(SI), R11    \
	MOVQ  adding_k0(SI), AX      \
	XORQ  R10, AX                \
	MULQ  adding_k1(SI)          \
	XORQ  DX, AX

// ADD adds it, goes on at token until there are no more, and then makes DI the number of members.
#define ADD \
	MOVQ  adding_salt(SI), DX    \
	IMULQ AX, DX                 \
	SHRQ  $32, DX                \
	ANDQ  BX, DX                 \
probe: \
	MOVL  (R13)(DX*4), R14       \
	CMPL  R14, adding_base(SI)   \
	JHI   taken                  \
	MOVQ  AX, (R12)(DI*8)        \
	INCQ  DI                     \
	MOVL  DI, (R13)(DX*4)        \
	INCQ  CX                     \
	JNZ   token                  \
	JMP   done                   \
taken: \
	CMPQ  AX, -8(R12)(R14*8)     \
	JEQ   known                  \
	INCQ  DX                     \
	ANDQ  BX, DX                 \
	JMP   probe                  \
known: \
	INCQ  CX                     \
	JNZ   token                  \
done: \
	SUBQ  adding_base(SI), DI

// func run(a *adding) int
TEXT ·run(SB), NOSPLIT, $0-16
	MOVQ  a+0(FP), SI
	BEGIN

token:
	FINGERPRINT
	ADD
	MOVQ  DI, ret+8(FP)
	RET

// func runAll(a *adding) int
//
// end is the end of adding_all.
TEXT ·runAll(SB), NOSPLIT, $8-16
	MOVQ  a+0(FP), SI
	MOVQ  adding_n(SI), CX
	MOVQ  adding_all(SI), R14
	LEAQ  (R14)(CX*8), R14
	MOVQ  R14, end-8(SP)
	BEGIN

token:
	FINGERPRINT
	MOVQ  end-8(SP), R14
	MOVQ  AX, (R14)(CX*8)
	ADD
	MOVQ  DI, ret+8(FP)
	RET
