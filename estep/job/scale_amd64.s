#include "textflag.h"

// func int16AVX2(values *byte, n int, scale float32)
//
// VPACKSSDW packs within halves of a vector, and VPERMQ orders the quarters.
TEXT ·int16AVX2(SB), NOSPLIT, $0-20
	MOVQ         values+0(FP), SI
	MOVQ         n+8(FP), CX
	VBROADCASTSS scale+16(FP), Y0
	MOVQ         SI, DI

loop:
	VMULPS    (SI), Y0, Y1
	VMULPS    32(SI), Y0, Y2
	VCVTPS2DQ Y1, Y1
	VCVTPS2DQ Y2, Y2
	VPACKSSDW Y2, Y1, Y1
	VPERMQ    $0xD8, Y1, Y1
	VMOVDQU   Y1, (DI)
	ADDQ      $64, SI
	ADDQ      $32, DI
	SUBQ      $16, CX
	JNE       loop
	VZEROUPPER
	RET

// func magnitudeAVX2(values *byte, n int) (bits uint32)
TEXT ·magnitudeAVX2(SB), NOSPLIT, $0-20
	MOVQ     values+0(FP), SI
	MOVQ     n+8(FP), CX
	VPCMPEQD Y0, Y0, Y0
	VPSRLD   $1, Y0, Y0 // all bits but the sign
	VPXOR    Y1, Y1, Y1

loop:
	VPAND   (SI), Y0, Y2
	VPMAXUD Y2, Y1, Y1
	ADDQ    $32, SI
	SUBQ    $8, CX
	JNE     loop
	VEXTRACTI128 $1, Y1, X2
	VPMAXUD      X2, X1, X1
	VPSHUFD      $0x4E, X1, X2
	VPMAXUD      X2, X1, X1
	VPSHUFD      $0xB1, X1, X2
	VPMAXUD      X2, X1, X1
	VMOVD        X1, AX
	VZEROUPPER
	MOVL         AX, bits+16(FP)
	RET
