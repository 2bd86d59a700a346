#include "textflag.h"

// C is the i-th row of constants.
#define C(i) (32*i)(DX)

// HORNER multiplies two sums by two numbers and adds a constant.
#define HORNER(i, x, y, a, b) \
	VMULPD x, a, a;    \
	VMULPD y, b, b;    \
	VADDPD C(i), a, a; \
	VADDPD C(i), b, b

// NEAR is a step of both polynomials in Y2 and Y3.
#define NEAR(i) \
	HORNER(i, Y2, Y3, Y6, Y7); \
	HORNER((i+8), Y2, Y3, Y8, Y9)

// FAR is a step of both polynomials in Y4 and Y5.
#define FAR(i) \
	HORNER(i, Y4, Y5, Y6, Y7); \
	HORNER((i+6), Y4, Y5, Y8, Y9)

// POLYNOMIAL sets Y12 and Y13 to the polynomial of degree 5 in Y4 and Y5 with the coefficients from i on.
#define POLYNOMIAL(i) \
	VMOVUPD C((i+5)), Y12;             \
	VMOVUPD C((i+5)), Y13;             \
	HORNER((i+4), Y4, Y5, Y12, Y13); \
	HORNER((i+3), Y4, Y5, Y12, Y13); \
	HORNER((i+2), Y4, Y5, Y12, Y13); \
	HORNER((i+1), Y4, Y5, Y12, Y13); \
	HORNER(i, Y4, Y5, Y12, Y13)

// INVERSE sets Y2 and Y3 to 1/t, and Y4 and Y5 to x.
#define INVERSE \
	VMOVUPD C(44), Y4;     \
	VDIVPD  Y0, Y4, Y2;    \
	VDIVPD  Y1, Y4, Y3;    \
	VMULPD  Y2, Y2, Y4;    \
	VMULPD  Y3, Y3, Y5

// REDUCE subtracts k ln 2 from x, where shifted has k in its last bits.
#define REDUCE(shifted, x) \
	VSUBPD C(37), shifted, Y12; \
	VMULPD C(38), Y12, Y13;     \
	VSUBPD Y13, x, x;           \
	VMULPD C(39), Y12, Y13;     \
	VSUBPD Y13, x, x

// ABOVE sets ratio and derivative from power, exp(z²/2), where mask says that z > 0.
#define ABOVE(z, power, mask, ratio, derivative) \
	VMULPD C(45), power, power;                    \
	VSUBPD ratio, power, power;                    \
	VBLENDVPD mask, power, ratio, ratio;           \
	VMULPD z, power, power;                        \
	VADDPD C(41), power, power;                    \
	VBLENDVPD mask, power, derivative, derivative

// SUM adds numbers, times the weight, to eight in memory.
#define SUM(a, b, to) \
	VMULPD  Y14, a, a;             \
	VMULPD  Y14, b, b;             \
	VADDPD  (to)(AX*8), a, a;      \
	VADDPD  32(to)(AX*8), b, b;    \
	VMOVUPD a, (to)(AX*8);         \
	VMOVUPD b, 32(to)(AX*8)

// func addAVX2(ratio, derivative, y, pull *float64, n int, constants *float64, inverse, weight float64)
//
// It does what mills_plain.go does, operation by operation, without fused ones: so all machines compute the same bits.
// It takes two vectors of four numbers at a time, in pairs of registers, so that one works while the other waits: Y0
// and Y1 have z, Y6 and Y7 the ratio, Y8 and Y9 the derivative. Most numbers of a topic model are far below 0: words
// that its topic expects less of than the noise. Eight such numbers take one short way.
TEXT ·addAVX2(SB), NOSPLIT, $0-64
	MOVQ ratio+0(FP), DI
	MOVQ derivative+8(FP), SI
	MOVQ y+16(FP), R8
	MOVQ pull+24(FP), R9
	MOVQ n+32(FP), CX
	MOVQ constants+40(FP), DX
	VBROADCASTSD inverse+48(FP), Y15
	VBROADCASTSD weight+56(FP), Y14
	XORQ AX, AX

next:
	VMULPD    (R9)(AX*8), Y15, Y0
	VMULPD    32(R9)(AX*8), Y15, Y1
	VMOVUPD   (R8)(AX*8), Y2
	VMOVUPD   32(R8)(AX*8), Y3
	VSUBPD    Y0, Y2, Y0
	VSUBPD    Y1, Y3, Y1
	VCMPPD    $0x12, C(43), Y0, Y10 // z ≤ −4
	VCMPPD    $0x12, C(43), Y1, Y11
	VANDPD    Y10, Y11, Y12
	VMOVMSKPD Y12, BX
	CMPL      BX, $15
	JEQ       far

	VPSLLQ  $1, Y0, Y2
	VPSLLQ  $1, Y1, Y3
	VPSRLQ  $1, Y2, Y2          // |z|
	VPSRLQ  $1, Y3, Y3
	VADDPD  C(42), Y2, Y2
	VADDPD  C(42), Y3, Y3
	VMOVUPD C(41), Y4
	VDIVPD  Y2, Y4, Y2          // u
	VDIVPD  Y3, Y4, Y3
	VMOVUPD C(7), Y6
	VMOVUPD C(7), Y7
	VMOVUPD C(15), Y8
	VMOVUPD C(15), Y9
	NEAR(6)
	NEAR(5)
	NEAR(4)
	NEAR(3)
	NEAR(2)
	NEAR(1)
	NEAR(0)
	VMULPD Y2, Y6, Y6
	VMULPD Y3, Y7, Y7
	VMULPD Y2, Y2, Y2
	VMULPD Y3, Y3, Y3
	VMULPD Y2, Y8, Y8
	VMULPD Y3, Y9, Y9

	VORPD     Y10, Y11, Y12
	VMOVMSKPD Y12, BX
	TESTL     BX, BX
	JZ        sign
	INVERSE
	POLYNOMIAL(16)
	VMULPD    Y2, Y12, Y12
	VMULPD    Y3, Y13, Y13
	VBLENDVPD Y10, Y12, Y6, Y6
	VBLENDVPD Y11, Y13, Y7, Y7
	POLYNOMIAL(22)
	VMULPD    Y4, Y12, Y12
	VMULPD    Y5, Y13, Y13
	VBLENDVPD Y10, Y12, Y8, Y8
	VBLENDVPD Y11, Y13, Y9, Y9

sign:
	VXORPD    Y13, Y13, Y13
	VCMPPD    $0x1e, Y13, Y0, Y10 // z > 0
	VCMPPD    $0x1e, Y13, Y1, Y11
	VORPD     Y10, Y11, Y12
	VMOVMSKPD Y12, BX
	TESTL     BX, BX
	JZ        add
	VMULPD Y0, Y0, Y2
	VMULPD Y1, Y1, Y3
	VMULPD C(40), Y2, Y2
	VMULPD C(40), Y3, Y3
	VANDPD Y10, Y2, Y2          // z²/2, or 0
	VANDPD Y11, Y3, Y3
	VMULPD C(36), Y2, Y4
	VMULPD C(36), Y3, Y5
	VADDPD C(37), Y4, Y4
	VADDPD C(37), Y5, Y5
	REDUCE(Y4, Y2)
	REDUCE(Y5, Y3)
	VMOVUPD C(35), Y12
	VMOVUPD C(35), Y13
	HORNER(34, Y2, Y3, Y12, Y13)
	HORNER(33, Y2, Y3, Y12, Y13)
	HORNER(32, Y2, Y3, Y12, Y13)
	HORNER(31, Y2, Y3, Y12, Y13)
	HORNER(30, Y2, Y3, Y12, Y13)
	HORNER(29, Y2, Y3, Y12, Y13)
	HORNER(28, Y2, Y3, Y12, Y13)
	VPSLLQ $52, Y4, Y4
	VPSLLQ $52, Y5, Y5
	VPADDQ Y4, Y12, Y12
	VPADDQ Y5, Y13, Y13
	ABOVE(Y0, Y12, Y10, Y6, Y8)
	ABOVE(Y1, Y13, Y11, Y7, Y9)

add:
	SUM(Y6, Y7, DI)
	SUM(Y8, Y9, SI)
	ADDQ $8, AX
	CMPQ AX, CX
	JLT  next
	VZEROUPPER
	RET

far:
	INVERSE
	VMOVUPD C(21), Y6
	VMOVUPD C(21), Y7
	VMOVUPD C(27), Y8
	VMOVUPD C(27), Y9
	FAR(20)
	FAR(19)
	FAR(18)
	FAR(17)
	FAR(16)
	VMULPD Y2, Y6, Y6
	VMULPD Y3, Y7, Y7
	VMULPD Y4, Y8, Y8
	VMULPD Y5, Y9, Y9
	JMP add
