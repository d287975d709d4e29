//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// The bytes 0 to 63: the places in a block.
DATA count<>+0(SB)/8, $0x0706050403020100
DATA count<>+8(SB)/8, $0x0f0e0d0c0b0a0908
DATA count<>+16(SB)/8, $0x1716151413121110
DATA count<>+24(SB)/8, $0x1f1e1d1c1b1a1918
DATA count<>+32(SB)/8, $0x2726252423222120
DATA count<>+40(SB)/8, $0x2f2e2d2c2b2a2928
DATA count<>+48(SB)/8, $0x3736353433323130
DATA count<>+56(SB)/8, $0x3f3e3d3c3b3a3938
GLOBL count<>(SB), RODATA|NOPTR, $64

// ALL sets the eight numbers of z to x.
#define ALL(x, z) \
	MOVQ         x, AX \
	VPBROADCASTQ AX, z

// func hashRunAVX512(s *Scanner, dst *uint64, blocks int) (edges int)
//
// Registers for listing: SI s, DI s.lists.edges, R8 the mask of the next block, CX how many
// blocks are left, R11 the place of the block from s.base on, R13 open, DX the number of edges.
TEXT ·hashRunAVX512(SB), NOSPLIT, $0-32
	MOVQ      s+0(FP), SI
	MOVQ      blocks+16(FP), CX
	MOVQ      Scanner_next(SI), R11
	LEAQ      Scanner_masks(SI)(R11*8), R8
	SHLQ      $6, R11
	MOVQ      Scanner_open(SI), R13
	MOVQ      R13, DX
	LEAQ      (Scanner_lists+lists_edges)(SI), DI
	VMOVDQU64 count<>(SB), Z0

nextBlock:
	MOVQ      (R8), AX
	LEAQ      (AX)(AX*1), BX
	ORQ       R13, BX
	XORQ      AX, BX
	MOVQ      AX, R13
	SHRQ      $63, R13
	KMOVQ     BX, K1
	VPBROADCASTW R11, Z3
	VPCOMPRESSB.Z Z0, K1, Z1
	VPMOVZXBW Y1, Z2
	VPADDW    Z3, Z2, Z2
	VMOVDQU64 Z2, (DI)(DX*2)
	VEXTRACTI64X4 $1, Z1, Y1
	VPMOVZXBW Y1, Z2
	VPADDW    Z3, Z2, Z2
	VMOVDQU64 Z2, 64(DI)(DX*2)
	POPCNTQ   BX, BX
	ADDQ      BX, DX
	ADDQ      $8, R8
	ADDQ      $64, R11
	DECQ      CX
	JNZ       nextBlock

	MOVQ      DX, edges+24(FP)
	SHRQ      $1, DX
	JZ        done

	// Registers for hashing: DI s.lists.edges, CX the words done, DX the number of words, R9
	// s.folded, R8 dst, R10 the next 8 bits of s.lists.odd. The product of 64 by 64 bits is put
	// together from four of 32 by 32.
	MOVQ      dst+8(FP), R8
	LEAQ      Scanner_folded(SI), R9
	LEAQ      (Scanner_lists+lists_odd)(SI), R10
	XORL      CX, CX
	ALL($0xffff, Z16)
	ALL($(const_ring-1), Z17)
	ALL($8, Z18)
	ALL($const_short, Z19)
	ALL($0x5f, Z20)
	ALL($0xff, Z21)
	ALL($-1, Z22)
	ALL($64, Z23)
	ALL($128, Z24)
	VPBROADCASTQ (Scanner_key+Key_k0)(SI), Z25
	VPBROADCASTQ (Scanner_key+Key_k1)(SI), Z26
	VPSRLQ    $32, Z22, Z27

nextWords:
	VPMOVZXDQ (DI)(CX*4), Z1
	VPSRLQ    $16, Z1, Z2                  // ends
	VPANDQ    Z17, Z1, Z3
	VPSUBQ    Z18, Z2, Z4
	VPANDQ    Z17, Z4, Z4
	KXNORB    K1, K1, K1
	KXNORB    K2, K2, K2
	VPXORQ    Z5, Z5, Z5
	VPXORQ    Z6, Z6, Z6
	VPGATHERQQ (R9)(Z3*1), K1, Z5          // the first bytes of the words
	VPGATHERQQ (R9)(Z4*1), K2, Z6          // the last
	VPSUBQ    Z1, Z2, Z2
	VPANDQ    Z16, Z2, Z2                  // sizes
	VPCMPUQ   $6, Z19, Z2, K3
	VPANDQ    Z21, Z5, Z3
	VPCMPEQQ  Z20, Z3, K4
	KORB      K3, K4, K3
	KMOVB     K3, (R10)
	VPSLLQ    $3, Z2, Z3
	VPSUBUSW  Z3, Z23, Z4
	VPSUBQ    Z3, Z24, Z3
	VPSLLVQ   Z4, Z22, Z4
	VPSLLVQ   Z3, Z22, Z3
	VPANDQ    Z6, Z4, Z4
	VPCMPUQ   $6, Z18, Z2, K3
	VMOVDQA64 Z5, K3, Z4
	VPANDQ    Z6, Z3, Z3
	VPXORQ    Z25, Z4, Z4                  // the first halves
	VPTERNLOGQ $0x96, Z26, Z2, Z3          // the second
	VPSRLQ    $32, Z4, Z5
	VPSRLQ    $32, Z3, Z6
	VPMULUDQ  Z4, Z3, Z7
	VPMULUDQ  Z5, Z3, Z8
	VPMULUDQ  Z4, Z6, Z9
	VPMULUDQ  Z5, Z6, Z10
	VPSRLQ    $32, Z7, Z11
	VPADDQ    Z11, Z8, Z8
	VPANDQ    Z27, Z8, Z11
	VPADDQ    Z11, Z9, Z9
	VPSRLQ    $32, Z8, Z8
	VPADDQ    Z8, Z10, Z10
	VPSRLQ    $32, Z9, Z8
	VPADDQ    Z8, Z10, Z10                 // the upper half of the product
	VPSLLQ    $32, Z9, Z9
	VPANDQ    Z27, Z7, Z7
	VPTERNLOGQ $0x96, Z9, Z7, Z10
	VMOVDQU64 Z10, (R8)(CX*8)
	INCQ      R10
	ADDQ      $8, CX
	CMPQ      CX, DX
	JLT       nextWords

	// What comes after the last word is not odd, up to the end of 64 bits.
	SUBQ      DX, CX               // hashes too many
	MOVL      $0xff, AX
	SHRL      CX, AX
	ANDB      AX, -1(R10)
	MOVQ      $0, (R10)

done:
	VZEROUPPER
	RET
