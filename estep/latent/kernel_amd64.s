#include "textflag.h"

// Each kernel takes eight numbers at a time while there are eight, then one at a time. AX is the number of those done, CX that of all, and
// BX where the last eight may begin.
#define BEGIN(rest) \
	XORQ AX, AX;       \
	MOVQ CX, BX;       \
	SUBQ $8, BX;       \
	JLT  rest

#define NEXT(loop) \
	ADDQ $8, AX;      \
	CMPQ AX, BX;      \
	JLE  loop

// func shareAVX2(row, total, beta *float32, n int, theta float32)
TEXT ·shareAVX2(SB), NOSPLIT, $0-36
	MOVQ         row+0(FP), DI
	MOVQ         total+8(FP), SI
	MOVQ         beta+16(FP), DX
	MOVQ         n+24(FP), CX
	VBROADCASTSS theta+32(FP), Y0
	BEGIN(one)

eight:
	VMULPS  (DX)(AX*4), Y0, Y1
	VMOVUPS Y1, (DI)(AX*4)
	VADDPS  (SI)(AX*4), Y1, Y1
	VMOVUPS Y1, (SI)(AX*4)
	NEXT(eight)

one:
	CMPQ   AX, CX
	JGE    done
	VMULSS (DX)(AX*4), X0, X1
	VMOVSS X1, (DI)(AX*4)
	VADDSS (SI)(AX*4), X1, X1
	VMOVSS X1, (SI)(AX*4)
	INCQ   AX
	JMP    one

done:
	VZEROUPPER
	RET

// func weighAVX2(row, weights *float32, n int) (square float64)
//
// Squares of float32 are exact as float64. Y4 and Y5 have eight sums of them, then X4 the sum of all.
TEXT ·weighAVX2(SB), NOSPLIT, $0-32
	MOVQ   row+0(FP), DI
	MOVQ   weights+8(FP), SI
	MOVQ   n+16(FP), CX
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	BEGIN(sum)

eight:
	VMOVUPS      (SI)(AX*4), Y0
	VMULPS       (DI)(AX*4), Y0, Y0
	VMOVUPS      Y0, (DI)(AX*4)
	VEXTRACTF128 $1, Y0, X2
	VCVTPS2PD    X0, Y1
	VCVTPS2PD    X2, Y2
	VFMADD231PD  Y1, Y1, Y4
	VFMADD231PD  Y2, Y2, Y5
	NEXT(eight)

sum:
	VADDPD       Y5, Y4, Y4
	VEXTRACTF128 $1, Y4, X5
	VADDPD       X5, X4, X4
	VUNPCKHPD    X4, X4, X5
	VADDSD       X5, X4, X4

one:
	CMPQ        AX, CX
	JGE         done
	VMOVSS      (SI)(AX*4), X0
	VMULSS      (DI)(AX*4), X0, X0
	VMOVSS      X0, (DI)(AX*4)
	VCVTSS2SD   X0, X0, X1
	VFMADD231SD X1, X1, X4
	INCQ        AX
	JMP         one

done:
	VZEROUPPER
	VMOVSD X4, square+24(FP)
	RET

// func scaleAVX2(values *float32, n int, factor float32)
TEXT ·scaleAVX2(SB), NOSPLIT, $0-20
	MOVQ         values+0(FP), DI
	MOVQ         n+8(FP), CX
	VBROADCASTSS factor+16(FP), Y0
	BEGIN(one)

eight:
	VMULPS  (DI)(AX*4), Y0, Y1
	VMOVUPS Y1, (DI)(AX*4)
	NEXT(eight)

one:
	CMPQ   AX, CX
	JGE    done
	VMULSS (DI)(AX*4), X0, X1
	VMOVSS X1, (DI)(AX*4)
	INCQ   AX
	JMP    one

done:
	VZEROUPPER
	RET
