#include "textflag.h"

// The kernels of kernel.go with AVX2: a vector is four lanes of 64 bits. n is a positive multiple of 8. All loads and stores are within n.

// func productsAVX2(ends *uint64, row, mass *uint32, n int)
TEXT ·productsAVX2(SB), NOSPLIT, $0-32
	MOVQ  ends+0(FP), DI
	MOVQ  row+8(FP), SI
	MOVQ  mass+16(FP), DX
	MOVQ  n+24(FP), CX
	VPXOR Y0, Y0, Y0 // the sum of each lane

eight:
	VPMOVZXDQ (SI), Y1
	VPMOVZXDQ (DX), Y2
	VPMOVZXDQ 16(SI), Y3
	VPMOVZXDQ 16(DX), Y4
	VPMULUDQ  Y1, Y2, Y1
	VPMULUDQ  Y3, Y4, Y3
	VPADDQ    Y1, Y0, Y0
	VMOVDQU   Y0, (DI)
	VPADDQ    Y3, Y0, Y0
	VMOVDQU   Y0, 32(DI)
	ADDQ      $32, SI
	ADDQ      $32, DX
	ADDQ      $64, DI
	SUBQ      $8, CX
	JNE       eight
	VZEROUPPER
	RET

// func findAVX2(ends *uint64, n int, at uint64) int
TEXT ·findAVX2(SB), NOSPLIT, $0-32
	MOVQ ends+0(FP), DI
	MOVQ n+8(FP), CX
	MOVQ CX, AX

	// Y1 = at less the sums of the lanes before: of sums a, b, c, d these are 0, a, a+b, a+b+c.
	VPXOR        Y0, Y0, Y0
	VPERMQ       $0x90, -32(DI)(CX*8), Y1 // a, a, b, c
	VPBLENDD     $0x03, Y0, Y1, Y1        // 0, a, b, c
	VPERMQ       $0x90, Y1, Y2            // 0, 0, a, b
	VPADDQ       Y2, Y1, Y1               // 0, a, a+b, b+c
	VPERMQ       $0x40, Y1, Y2            // 0, 0, 0, a
	VPADDQ       Y2, Y1, Y1
	VPBROADCASTQ at+16(FP), Y2
	VPSUBQ       Y1, Y2, Y1

	VPXOR Y4, Y4, Y4 // Y0 and Y4: minus the ends of each lane that are above its at

eight:
	VMOVDQU  (DI), Y2
	VMOVDQU  32(DI), Y3
	VPCMPGTQ Y1, Y2, Y2 // −1 where the end is above
	VPCMPGTQ Y1, Y3, Y3
	VPADDQ   Y2, Y0, Y0
	VPADDQ   Y3, Y4, Y4
	ADDQ     $64, DI
	SUBQ     $8, CX
	JNE      eight

	VPADDQ       Y4, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDQ       X1, X0, X0
	VPSHUFD      $0x4e, X0, X1
	VPADDQ       X1, X0, X0
	VMOVQ        X0, BX
	ADDQ         BX, AX
	MOVQ         AX, ret+24(FP)
	VZEROUPPER
	RET

// func shareAVX2(shares *float32, row, mass *uint32, n int, scale float32)
TEXT ·shareAVX2(SB), NOSPLIT, $0-36
	MOVQ         shares+0(FP), DI
	MOVQ         row+8(FP), SI
	MOVQ         mass+16(FP), DX
	MOVQ         n+24(FP), CX
	VBROADCASTSS scale+32(FP), Y0

eight:
	VCVTDQ2PS (SI), Y1
	VCVTDQ2PS (DX), Y2
	VMULPS    Y1, Y2, Y1
	VMULPS    Y0, Y1, Y1
	VADDPS    (DI), Y1, Y1
	VMOVUPS   Y1, (DI)
	ADDQ      $32, SI
	ADDQ      $32, DX
	ADDQ      $32, DI
	SUBQ      $8, CX
	JNE       eight
	VZEROUPPER
	RET
