#include "textflag.h"

// WORD sets a register to the address of the table's row of the i-th word of eight; CX has the bytes of a row.
#define WORD(i, register) \
	MOVL  (4*i)(SI), register;      \
	IMULQ CX, register;             \
	ADDQ  table+16(FP), register

// PAIR loads four components of the words at two registers into the halves of a vector.
#define PAIR(low, high, x, y) \
	VMOVUPS     (low)(DX*1), x;         \
	VINSERTF128 $1, (high)(DX*1), y, y

// func gatherAVX2(cells *float32, width int, table *float32, stride int, words *uint32)
//
// Eight words by four components at a time are transposed: two unpackings turn the halves' 4 × 4 blocks.
TEXT ·gatherAVX2(SB), NOSPLIT, $0-40
	MOVQ words+32(FP), SI
	MOVQ cells+0(FP), DI
	MOVQ width+8(FP), R14
	MOVQ stride+24(FP), CX
	SHLQ $2, CX

words:
	WORD(0, R8)
	WORD(1, R9)
	WORD(2, R10)
	WORD(3, R11)
	WORD(4, R12)
	WORD(5, R13)
	WORD(6, AX)
	WORD(7, BX)
	XORQ DX, DX // bytes of the rows that are done
	MOVQ DI, R15

components:
	PAIR(R8, R12, X0, Y0)
	PAIR(R9, R13, X1, Y1)
	PAIR(R10, AX, X2, Y2)
	PAIR(R11, BX, X3, Y3)
	VUNPCKLPS Y1, Y0, Y4 // components 0 and 1 of words 0 and 1
	VUNPCKHPS Y1, Y0, Y5 // components 2 and 3
	VUNPCKLPS Y3, Y2, Y6 // the same of words 2 and 3
	VUNPCKHPS Y3, Y2, Y7
	VUNPCKLPD Y6, Y4, Y0
	VUNPCKHPD Y6, Y4, Y1
	VUNPCKLPD Y7, Y5, Y2
	VUNPCKHPD Y7, Y5, Y3
	VMOVUPS Y0, (R15)
	VMOVUPS Y1, (R15)(R14*4)
	LEAQ (R15)(R14*8), R15
	VMOVUPS Y2, (R15)
	VMOVUPS Y3, (R15)(R14*4)
	LEAQ (R15)(R14*8), R15
	ADDQ $16, DX
	CMPQ DX, CX
	JLT  components

	ADDQ $32, SI
	ADDQ $32, DI
	MOVQ DI, R8
	SUBQ cells+0(FP), R8
	SHRQ $2, R8
	CMPQ R8, R14
	JLT  words
	VZEROUPPER
	RET
