#include "textflag.h"

DATA lane<>+0(SB)/4, $0
DATA lane<>+4(SB)/4, $1
DATA lane<>+8(SB)/4, $2
DATA lane<>+12(SB)/4, $3
DATA lane<>+16(SB)/4, $4
DATA lane<>+20(SB)/4, $5
DATA lane<>+24(SB)/4, $6
DATA lane<>+28(SB)/4, $7
GLOBL lane<>(SB), RODATA|NOPTR, $32

// func updateAVX2(gamma, theta, sums *float32, n int, alpha, least float32) (change float32, dropped bool)
//
// Y8 has the lanes of components, Y9 the sum of changes, Y10 marks those dropped.
TEXT ·updateAVX2(SB), NOSPLIT, $0-45
	MOVQ gamma+0(FP), DI
	MOVQ theta+8(FP), SI
	MOVQ sums+16(FP), DX
	MOVQ n+24(FP), CX
	VBROADCASTSS alpha+32(FP), Y11
	VBROADCASTSS least+36(FP), Y12
	VMOVDQU lane<>(SB), Y13
	VPCMPEQD Y14, Y14, Y14
	VPSRLD   $1, Y14, Y14 // all bits but the sign
	VXORPS Y9, Y9, Y9
	VXORPS Y10, Y10, Y10

update:
	VMOVQ CX, X8 // MOVQ has no VEX form: among 256-bit instructions it costs a hundred cycles
	VPBROADCASTD X8, Y8
	VPCMPGTD Y13, Y8, Y8
	VMOVUPS (SI), Y0
	VMULPS  (DX), Y0, Y0   // θ s
	VADDPS  Y11, Y0, Y1    // α + θ s
	VSUBPS  (DI), Y1, Y2
	VANDPS  Y14, Y2, Y2    // |change|
	VANDPS  Y8, Y2, Y2
	VADDPS  Y2, Y9, Y9
	VCMPPS  $1, Y12, Y0, Y3 // θ s < least
	VANDNPS Y1, Y3, Y1
	VMOVUPS Y1, (DI)
	VANDPS  Y8, Y3, Y3
	VORPS   Y3, Y10, Y10
	ADDQ $32, SI
	ADDQ $32, DX
	ADDQ $32, DI
	SUBQ $8, CX
	JG   update

	VEXTRACTF128 $1, Y9, X0
	VADDPS  X0, X9, X9
	VHADDPS X9, X9, X9
	VHADDPS X9, X9, X9
	VMOVSS  X9, change+40(FP)
	VMOVMSKPS Y10, AX
	TESTL AX, AX
	SETNE dropped+44(FP)
	VZEROUPPER
	RET

// Constants of expectAVX2.
#define FLOAT(name, value) \
	DATA name<>+0(SB)/4, value; \
	GLOBL name<>(SB), RODATA|NOPTR, $4
FLOAT(two, $2.0)
FLOAT(three, $3.0)
FLOAT(half, $0.5)
FLOAT(one, $1.0)
FLOAT(large, $16777216.0)
FLOAT(series1, $0.041666666666666664)
FLOAT(series3, $-0.006423611111111111)
FLOAT(series5, $0.0035524829144621)
FLOAT(lowest, $-80.0)
FLOAT(log2e, $1.4426950408889634)
FLOAT(minusln2high, $-0.693359375)
FLOAT(minusln2low, $0.00021219444005469057)
FLOAT(taylor6, $0.001388888888888889)
FLOAT(taylor5, $0.008333333333333333)
FLOAT(taylor4, $0.041666666666666664)
FLOAT(taylor3, $0.16666666666666666)
FLOAT(floor, $1e-18)

// EXPDIGAMMA sets Y1 to f and Y2 to s of digamma.go from x in Y0, with n = 4. The four terms of s are 1/x + 1/(x+3) = (2x+3)/u, where u = x(x+3),
// and 1/(x+1) + 1/(x+2) = (2x+3)/v, where v = u+2. One division gives 1/(uvz). Above 2^24, where it would underflow, s and 1/z are those of 2^24:
// s is below 3e-7 there. The first term that the series lacks is 2e-7 relative at z = 3.5.
#define EXPDIGAMMA \
	VMINPS Y15, Y0, Y3;         \
	VADDPS Y14, Y3, Y6;         \
	VMULPS Y3, Y6, Y4;          \ /* u */
	VBROADCASTSS two<>(SB), Y5; \
	VADDPS Y5, Y4, Y5;          \ /* v */
	VADDPS Y3, Y6, Y1;          \ /* 2x+3 */
	VADDPS Y13, Y6, Y6;         \ /* z */
	VMULPS Y5, Y4, Y7;          \ /* uv */
	VADDPS Y5, Y4, Y4;          \
	VMULPS Y1, Y4, Y4;          \ /* (2x+3)(u+v) */
	VMULPS Y6, Y4, Y4;          \
	VMULPS Y6, Y7, Y6;          \
	VDIVPS Y6, Y12, Y6;         \ /* 1/uvz */
	VMULPS Y6, Y4, Y2;          \ /* s */
	VMULPS Y6, Y7, Y6;          \ /* 1/z */
	VMULPS Y6, Y6, Y7;          \
	VMOVAPS Y11, Y4;            \
	VFMADD213PS Y10, Y7, Y4;    \
	VFMADD213PS Y9, Y7, Y4;     \
	VADDPS Y14, Y0, Y1;         \
	VADDPS Y13, Y1, Y1;         \ /* z, also of a large x */
	VFMADD231PS Y4, Y6, Y1

// HORNER sets Y4 to Y4 Y3 + the constant.
#define HORNER(constant) \
	VBROADCASTSS constant<>(SB), Y5; \
	VFMADD213PS Y5, Y3, Y4

// func expectAVX2(theta, gamma *float32, n int)
TEXT ·expectAVX2(SB), NOSPLIT, $32-24
	MOVQ theta+0(FP), DI
	MOVQ gamma+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTSS large<>(SB), Y15
	VBROADCASTSS three<>(SB), Y14
	VBROADCASTSS half<>(SB), Y13
	VBROADCASTSS one<>(SB), Y12
	VBROADCASTSS series5<>(SB), Y11
	VBROADCASTSS series3<>(SB), Y10
	VBROADCASTSS series1<>(SB), Y9

	// The largest γ, in all lanes of Y0.
	VXORPS Y0, Y0, Y0
	MOVQ SI, AX
	MOVQ CX, DX

largest:
	VMAXPS (AX), Y0, Y0
	ADDQ $32, AX
	SUBQ $8, DX
	JG   largest
	VPERM2F128 $1, Y0, Y0, Y1
	VMAXPS     Y1, Y0, Y0
	VPERMILPS  $0x4e, Y0, Y1
	VMAXPS     Y1, Y0, Y0
	VPERMILPS  $0xb1, Y0, Y1
	VMAXPS     Y1, Y0, Y0
	EXPDIGAMMA
	VDIVPS  Y1, Y12, Y8
	VMOVUPS Y8, scale-32(SP)
	VMOVAPS Y2, Y8

weights:
	VMOVUPS (SI), Y0
	EXPDIGAMMA
	VMULPS scale-32(SP), Y1, Y1 // f over the largest

	// exp of Y3, the largest's s less s. Below −80 it is far below the floor, and the rest would be denormal.
	VSUBPS Y2, Y8, Y3
	VBROADCASTSS lowest<>(SB), Y4
	VMAXPS Y4, Y3, Y3
	VBROADCASTSS log2e<>(SB), Y4
	VMULPS   Y4, Y3, Y2
	VROUNDPS $0, Y2, Y2 // the power of 2
	VBROADCASTSS minusln2high<>(SB), Y4
	VFMADD231PS  Y4, Y2, Y3
	VBROADCASTSS minusln2low<>(SB), Y4
	VFMADD231PS  Y4, Y2, Y3 // at most ln(2)/2: Taylor's remainder x⁷/7! is below 1.3e-7
	VBROADCASTSS taylor6<>(SB), Y4
	HORNER(taylor5)
	HORNER(taylor4)
	HORNER(taylor3)
	VFMADD213PS Y13, Y3, Y4
	VFMADD213PS Y12, Y3, Y4
	VFMADD213PS Y12, Y3, Y4
	VCVTPS2DQ Y2, Y2
	VPSLLD    $23, Y2, Y2
	VPADDD    Y2, Y4, Y4 // times a power of 2

	VMULPS Y4, Y1, Y1
	VBROADCASTSS floor<>(SB), Y4
	VCMPPS  $13, Y4, Y1, Y4 // at least the floor
	VANDPS  Y4, Y1, Y1
	VMOVUPS Y1, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JG   weights
	VZEROUPPER
	RET
