//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// func hashBlocksBMI(s *Scanner, dst *uint64, room int) (n, first int, odd uint64)
//
// Registers: SI s, DI dst, R8 selects, R9 s.folded, R10 the edges left in the block, R11 the
// place of the block from s.base on, R12 start, counted likewise, R13 open, R15 the number of
// hashes written.
TEXT ·hashBlocksBMI(SB), NOSPLIT, $0-48
	MOVQ  s+0(FP), SI
	MOVQ  dst+8(FP), DI
	LEAQ  ·selects(SB), R8
	LEAQ  Scanner_folded(SI), R9
	MOVQ  Scanner_start(SI), R12
	SUBQ  Scanner_base(SI), R12
	MOVQ  Scanner_open(SI), R13
	XORL  R15, R15
	MOVQ  $0, odd+40(FP)

nextBlock:
	MOVQ  Scanner_next(SI), R11
	CMPQ  R11, Scanner_have(SI)
	JGE   finish
	MOVQ  room+16(FP), AX
	SUBQ  R15, AX
	CMPQ  AX, $const_MaxBlock
	JLT   finish
	INCQ  Scanner_next(SI)
	MOVQ  Scanner_masks(SI)(R11*8), AX
	SHLQ  $6, R11              // times the size of a block
	LEAQ  (AX)(AX*1), R10
	ORQ   R13, R10
	XORQ  AX, R10
	TZCNTQ R10, BX
	ADDQ  R11, BX
	BLSRQ R10, CX
	TESTQ R13, R13             // no word open: the first edge is a start
	CMOVQEQ BX, R12
	CMOVQEQ CX, R10
	MOVQ  AX, R13
	SHRQ  $63, R13
	MOVQ  R15, first+32(FP)
	TESTQ R10, R10
	JZ    nextBlock

word:
	TZCNTQ R10, BX
	BLSRQ R10, R10
	ADDQ  R11, BX              // where the word ends
	MOVQ  BX, CX
	SUBQ  R12, CX              // its size
	MOVL  R12, AX
	ANDL  $(const_ring-1), AX
	MOVQ  (R9)(AX*1), AX       // its first bytes
	CMPQ  CX, $const_short
	JHI   oddWord
	CMPB  AX, $0x5f
	JEQ   oddWord
	LEAL  -8(BX), DX
	ANDL  $(const_ring-1), DX
	MOVQ  (R9)(DX*1), DX       // its last bytes
	MOVQ  CX, BX
	SHLL  $4, BX
	MOVQ  (R8)(BX*1), R12
	ANDQ  DX, R12
	ANDQ  8(R8)(BX*1), DX
	CMPQ  CX, $8
	CMOVQHI AX, R12
	XORQ  (Scanner_key+Key_k0)(SI), R12
	XORQ  (Scanner_key+Key_k1)(SI), DX
	XORQ  CX, DX
	MULXQ R12, AX, DX
	XORQ  DX, AX
	MOVQ  AX, (DI)(R15*8)

nextWord:
	INCQ  R15
	TZCNTQ R10, R12
	ADDQ  R11, R12
	BLSRQ R10, R10
	JNZ   word
	CMPQ  odd+40(FP), $0
	JEQ   nextBlock

finish:
	ADDQ  Scanner_base(SI), R12
	MOVQ  R12, Scanner_start(SI)
	MOVQ  R13, Scanner_open(SI)
	MOVQ  R15, n+24(FP)
	RET

oddWord:
	SHLQ  $16, R12
	ORQ   BX, R12
	MOVQ  R12, (DI)(R15*8)
	MOVQ  R15, CX
	SUBQ  first+32(FP), CX
	MOVL  $1, AX
	SHLQ  CX, AX
	ORQ   AX, odd+40(FP)
	JMP   nextWord
