#include "textflag.h"

// C is the i-th row of constants.
#define C(i) (32*i)(DX)

// HORNER multiplies two sums by two numbers and adds a constant.
#define HORNER(i, x, y, a, b) \
	VMULPD x, a, a;    \
	VMULPD y, b, b;    \
	VADDPD C(i), a, a; \
	VADDPD C(i), b, b

// FAR sets ratio and derivative, in two registers each, by the polynomial for numbers far below.
#define FAR(ratio1, ratio2, derivative1, derivative2) \
	VMOVUPD C(30), Y4;                                   \
	VDIVPD  Y0, Y4, Y2;                                  \
	VDIVPD  Y1, Y4, Y3;                                  \
	VMULPD  Y2, Y2, Y4;                                  \
	VMULPD  Y3, Y3, Y5;                                  \
	VMOVUPD C(13), derivative1;                          \
	VMOVUPD C(13), derivative2;                          \
	HORNER(12, Y4, Y5, derivative1, derivative2);        \
	HORNER(11, Y4, Y5, derivative1, derivative2);        \
	HORNER(10, Y4, Y5, derivative1, derivative2);        \
	HORNER(9, Y4, Y5, derivative1, derivative2);         \
	HORNER(8, Y4, Y5, derivative1, derivative2);         \
	VMULPD  Y4, derivative1, derivative1;                \
	VMULPD  Y5, derivative2, derivative2;                \
	VMOVUPD C(27), Y5;                                   \
	VSUBPD  derivative1, Y5, ratio1;                     \
	VSUBPD  derivative2, Y5, ratio2;                     \
	VMULPD  Y2, ratio1, ratio1;                          \
	VMULPD  Y3, ratio2, ratio2

// REDUCE subtracts k ln 2 from x, where shifted has k in its last bits.
#define REDUCE(shifted, x) \
	VSUBPD C(23), shifted, Y12; \
	VMULPD C(24), Y12, Y13;     \
	VSUBPD Y13, x, x;           \
	VMULPD C(25), Y12, Y13;     \
	VSUBPD Y13, x, x

// ABOVE sets ratio from power, exp(z²/2), where mask says that z > 0.
#define ABOVE(power, mask, ratio) \
	VMULPD C(31), power, power;          \
	VSUBPD ratio, power, power;          \
	VBLENDVPD mask, power, ratio, ratio

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
	VCMPPD    $0x12, C(29), Y0, Y10 // z ≤ −4
	VCMPPD    $0x12, C(29), Y1, Y11
	VANDPD    Y10, Y11, Y12
	VMOVMSKPD Y12, BX
	CMPL      BX, $15
	JEQ       far

	VPSLLQ  $1, Y0, Y2
	VPSLLQ  $1, Y1, Y3
	VPSRLQ  $1, Y2, Y2          // |z|
	VPSRLQ  $1, Y3, Y3
	VADDPD  C(28), Y2, Y2
	VADDPD  C(28), Y3, Y3
	VMOVUPD C(27), Y4
	VDIVPD  Y2, Y4, Y2          // u
	VDIVPD  Y3, Y4, Y3
	VMOVUPD C(7), Y6
	VMOVUPD C(7), Y7
	HORNER(6, Y2, Y3, Y6, Y7)
	HORNER(5, Y2, Y3, Y6, Y7)
	HORNER(4, Y2, Y3, Y6, Y7)
	HORNER(3, Y2, Y3, Y6, Y7)
	HORNER(2, Y2, Y3, Y6, Y7)
	HORNER(1, Y2, Y3, Y6, Y7)
	HORNER(0, Y2, Y3, Y6, Y7)
	VMULPD Y2, Y6, Y6
	VMULPD Y3, Y7, Y7

	VXORPD    Y13, Y13, Y13
	VCMPPD    $0x1e, Y13, Y0, Y8 // z > 0
	VCMPPD    $0x1e, Y13, Y1, Y9
	VORPD     Y8, Y9, Y12
	VMOVMSKPD Y12, BX
	TESTL     BX, BX
	JZ        derive
	VMULPD Y0, Y0, Y2
	VMULPD Y1, Y1, Y3
	VMULPD C(26), Y2, Y2
	VMULPD C(26), Y3, Y3
	VANDPD Y8, Y2, Y2            // z²/2, or 0
	VANDPD Y9, Y3, Y3
	VMULPD C(22), Y2, Y4
	VMULPD C(22), Y3, Y5
	VADDPD C(23), Y4, Y4
	VADDPD C(23), Y5, Y5
	REDUCE(Y4, Y2)
	REDUCE(Y5, Y3)
	VMOVUPD C(21), Y12
	VMOVUPD C(21), Y13
	HORNER(20, Y2, Y3, Y12, Y13)
	HORNER(19, Y2, Y3, Y12, Y13)
	HORNER(18, Y2, Y3, Y12, Y13)
	HORNER(17, Y2, Y3, Y12, Y13)
	HORNER(16, Y2, Y3, Y12, Y13)
	HORNER(15, Y2, Y3, Y12, Y13)
	HORNER(14, Y2, Y3, Y12, Y13)
	VPSLLQ $52, Y4, Y4
	VPSLLQ $52, Y5, Y5
	VPADDQ Y4, Y12, Y12
	VPADDQ Y5, Y13, Y13
	ABOVE(Y12, Y8, Y6)
	ABOVE(Y13, Y9, Y7)

derive:
	VMULPD Y0, Y6, Y8
	VMULPD Y1, Y7, Y9
	VADDPD C(27), Y8, Y8
	VADDPD C(27), Y9, Y9

	VORPD     Y10, Y11, Y12
	VMOVMSKPD Y12, BX
	TESTL     BX, BX
	JZ        add
	FAR(Y4, Y5, Y12, Y13)
	VBLENDVPD Y10, Y4, Y6, Y6
	VBLENDVPD Y11, Y5, Y7, Y7
	VBLENDVPD Y10, Y12, Y8, Y8
	VBLENDVPD Y11, Y13, Y9, Y9

add:
	SUM(Y6, Y7, DI)
	SUM(Y8, Y9, SI)
	ADDQ $8, AX
	CMPQ AX, CX
	JLT  next
	VZEROUPPER
	RET

far:
	FAR(Y6, Y7, Y8, Y9)
	JMP add
