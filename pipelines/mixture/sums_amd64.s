#include "textflag.h"

// Explain and Share over blocks of vectors of eight observations: 1 to 12 for Explain, 1 to 8 for Share. The block's sums, or its p, stay in
// registers while all components pass by. Of more vectors each of two blocks takes half, of more than twice as many the first is full: a block of
// few would wait for its own additions. Share's sums depend on its blocks, in their last digits. Explain's do not.

// BLOCK sets AX, the vectors of the next block, from CX, the vectors left, and leaves if none is left.
#define BLOCK(most, size, none) \
	MOVQ CX, AX;            \
	CMPQ CX, $most;         \
	JLE  size;              \
	INCQ AX;                \
	SHRQ $1, AX;            \
	CMPQ CX, $(2*most);     \
	JLE  size;              \
	MOVQ $most, AX;         \
size:                    \
	TESTQ AX, AX;           \
	JZ   none

// ROW sets a register to the address of the j-th live component's cells of this block; R8 has the bytes of a row, R9 live, DX cells.
#define ROW(j, register) \
	MOVLQSX j, register;    \
	IMULQ   R8, register;   \
	ADDQ    DX, register

#define ZERO1 VXORPS Y0, Y0, Y0
#define ZERO2 ZERO1; VXORPS Y1, Y1, Y1
#define ZERO3 ZERO2; VXORPS Y2, Y2, Y2
#define ZERO4 ZERO3; VXORPS Y3, Y3, Y3
#define ZERO5 ZERO4; VXORPS Y4, Y4, Y4
#define ZERO6 ZERO5; VXORPS Y5, Y5, Y5
#define ZERO7 ZERO6; VXORPS Y6, Y6, Y6
#define ZERO8 ZERO7; VXORPS Y7, Y7, Y7
#define ZERO9 ZERO8; VXORPS Y9, Y9, Y9
#define ZERO10 ZERO9; VXORPS Y10, Y10, Y10
#define ZERO11 ZERO10; VXORPS Y11, Y11, Y11
#define ZERO12 ZERO11; VXORPS Y12, Y12, Y12

#define ADD1 VFMADD231PS (R11), Y8, Y0
#define ADD2 ADD1; VFMADD231PS 32(R11), Y8, Y1
#define ADD3 ADD2; VFMADD231PS 64(R11), Y8, Y2
#define ADD4 ADD3; VFMADD231PS 96(R11), Y8, Y3
#define ADD5 ADD4; VFMADD231PS 128(R11), Y8, Y4
#define ADD6 ADD5; VFMADD231PS 160(R11), Y8, Y5
#define ADD7 ADD6; VFMADD231PS 192(R11), Y8, Y6
#define ADD8 ADD7; VFMADD231PS 224(R11), Y8, Y7
#define ADD9 ADD8; VFMADD231PS 256(R11), Y8, Y9
#define ADD10 ADD9; VFMADD231PS 288(R11), Y8, Y10
#define ADD11 ADD10; VFMADD231PS 320(R11), Y8, Y11
#define ADD12 ADD11; VFMADD231PS 352(R11), Y8, Y12

#define DIVIDE(at, sum) VMOVUPS at(SI), Y8; VDIVPS sum, Y8, Y8; VMOVUPS Y8, at(DI)
#define DIVIDE1 DIVIDE(0, Y0)
#define DIVIDE2 DIVIDE1; DIVIDE(32, Y1)
#define DIVIDE3 DIVIDE2; DIVIDE(64, Y2)
#define DIVIDE4 DIVIDE3; DIVIDE(96, Y3)
#define DIVIDE5 DIVIDE4; DIVIDE(128, Y4)
#define DIVIDE6 DIVIDE5; DIVIDE(160, Y5)
#define DIVIDE7 DIVIDE6; DIVIDE(192, Y6)
#define DIVIDE8 DIVIDE7; DIVIDE(224, Y7)
#define DIVIDE9 DIVIDE8; DIVIDE(256, Y9)
#define DIVIDE10 DIVIDE9; DIVIDE(288, Y10)
#define DIVIDE11 DIVIDE10; DIVIDE(320, Y11)
#define DIVIDE12 DIVIDE11; DIVIDE(352, Y12)

#define EXPLAIN(loop, zero, add, divide) \
	zero;                                   \
loop:                                    \
	ROW((R9)(R12*4), R11);                  \
	VBROADCASTSS (BX)(R12*4), Y8;           \
	add;                                    \
	INCQ R12;                               \
	CMPQ R12, R10;                          \
	JLT  loop;                              \
	divide;                                 \
	JMP  explained

// func explainAVX2(p, counts, cells *float32, width int, live *int32, theta *float32, n int)
TEXT ·explainAVX2(SB), NOSPLIT, $0-56
	MOVQ p+0(FP), DI
	MOVQ counts+8(FP), SI
	MOVQ cells+16(FP), DX
	MOVQ width+24(FP), CX
	MOVQ live+32(FP), R9
	MOVQ theta+40(FP), BX
	MOVQ n+48(FP), R10
	MOVQ CX, R8
	SHLQ $2, R8
	SHRQ $3, CX

next:
	BLOCK(12, size, done)
	XORQ R12, R12
	CMPQ AX, $2
	JLT  vectors1
	JEQ  vectors2
	CMPQ AX, $4
	JLT  vectors3
	JEQ  vectors4
	CMPQ AX, $6
	JLT  vectors5
	JEQ  vectors6
	CMPQ AX, $8
	JLT  vectors7
	JEQ  vectors8
	CMPQ AX, $10
	JLT  vectors9
	JEQ  vectors10
	CMPQ AX, $12
	JLT  vectors11
	EXPLAIN(loop12, ZERO12, ADD12, DIVIDE12)
vectors11:
	EXPLAIN(loop11, ZERO11, ADD11, DIVIDE11)
vectors10:
	EXPLAIN(loop10, ZERO10, ADD10, DIVIDE10)
vectors9:
	EXPLAIN(loop9, ZERO9, ADD9, DIVIDE9)
vectors8:
	EXPLAIN(loop8, ZERO8, ADD8, DIVIDE8)
vectors7:
	EXPLAIN(loop7, ZERO7, ADD7, DIVIDE7)
vectors6:
	EXPLAIN(loop6, ZERO6, ADD6, DIVIDE6)
vectors5:
	EXPLAIN(loop5, ZERO5, ADD5, DIVIDE5)
vectors4:
	EXPLAIN(loop4, ZERO4, ADD4, DIVIDE4)
vectors3:
	EXPLAIN(loop3, ZERO3, ADD3, DIVIDE3)
vectors2:
	EXPLAIN(loop2, ZERO2, ADD2, DIVIDE2)
vectors1:
	EXPLAIN(loop1, ZERO1, ADD1, DIVIDE1)

explained:
	SUBQ AX, CX
	SHLQ $5, AX
	ADDQ AX, DI
	ADDQ AX, SI
	ADDQ AX, DX
	JMP  next

done:
	VZEROUPPER
	RET

#define LOAD1 VMOVUPS (SI), Y0
#define LOAD2 LOAD1; VMOVUPS 32(SI), Y1
#define LOAD3 LOAD2; VMOVUPS 64(SI), Y2
#define LOAD4 LOAD3; VMOVUPS 96(SI), Y3
#define LOAD5 LOAD4; VMOVUPS 128(SI), Y4
#define LOAD6 LOAD5; VMOVUPS 160(SI), Y5
#define LOAD7 LOAD6; VMOVUPS 192(SI), Y6
#define LOAD8 LOAD7; VMOVUPS 224(SI), Y7

// TIMES and PLUS take one vector of p and the four components at R10 to R13.
#define TIMES \
	VMULPS (R10), Y0, Y8;  \
	VMULPS (R11), Y0, Y9;  \
	VMULPS (R12), Y0, Y10; \
	VMULPS (R13), Y0, Y11
#define PLUS(at, p) \
	VFMADD231PS at(R10), p, Y8;  \
	VFMADD231PS at(R11), p, Y9;  \
	VFMADD231PS at(R12), p, Y10; \
	VFMADD231PS at(R13), p, Y11
#define PLUS1 TIMES
#define PLUS2 PLUS1; PLUS(32, Y1)
#define PLUS3 PLUS2; PLUS(64, Y2)
#define PLUS4 PLUS3; PLUS(96, Y3)
#define PLUS5 PLUS4; PLUS(128, Y4)
#define PLUS6 PLUS5; PLUS(160, Y5)
#define PLUS7 PLUS6; PLUS(192, Y6)
#define PLUS8 PLUS7; PLUS(224, Y7)

// SHARE adds the sums of eight lanes each: pairs within halves, twice, then the halves.
#define SHARE(loop, load, plus) \
	load;                          \
loop:                           \
	ROW((R9)(BX*4), R10);          \
	ROW(4(R9)(BX*4), R11);         \
	ROW(8(R9)(BX*4), R12);         \
	ROW(12(R9)(BX*4), R13);        \
	plus;                          \
	VHADDPS Y9, Y8, Y8;            \
	VHADDPS Y11, Y10, Y10;         \
	VHADDPS Y10, Y8, Y8;           \
	VEXTRACTF128 $1, Y8, X9;       \
	VADDPS X9, X8, X8;             \
	VADDPS (DI)(BX*4), X8, X8;     \
	VMOVUPS X8, (DI)(BX*4);        \
	ADDQ $4, BX;                   \
	CMPQ BX, R14;                  \
	JLT  loop;                     \
	JMP  shared

// func shareAVX2(sums, cells *float32, live *int32, n int, p *float32, width int)
//
// Four components at a time, also behind the last.
TEXT ·shareAVX2(SB), NOSPLIT, $0-48
	MOVQ sums+0(FP), DI
	MOVQ cells+8(FP), DX
	MOVQ live+16(FP), R9
	MOVQ n+24(FP), R14
	MOVQ p+32(FP), SI
	MOVQ width+40(FP), CX
	MOVQ CX, R8
	SHLQ $2, R8
	SHRQ $3, CX
	VXORPS X0, X0, X0
	XORQ BX, BX

clear:
	VMOVUPS X0, (DI)(BX*4)
	ADDQ $4, BX
	CMPQ BX, R14
	JLT  clear

next:
	BLOCK(8, size, done)
	XORQ BX, BX
	CMPQ AX, $2
	JLT  vectors1
	JEQ  vectors2
	CMPQ AX, $4
	JLT  vectors3
	JEQ  vectors4
	CMPQ AX, $6
	JLT  vectors5
	JEQ  vectors6
	CMPQ AX, $8
	JLT  vectors7
	SHARE(loop8, LOAD8, PLUS8)
vectors7:
	SHARE(loop7, LOAD7, PLUS7)
vectors6:
	SHARE(loop6, LOAD6, PLUS6)
vectors5:
	SHARE(loop5, LOAD5, PLUS5)
vectors4:
	SHARE(loop4, LOAD4, PLUS4)
vectors3:
	SHARE(loop3, LOAD3, PLUS3)
vectors2:
	SHARE(loop2, LOAD2, PLUS2)
vectors1:
	SHARE(loop1, LOAD1, PLUS1)

shared:
	SUBQ AX, CX
	SHLQ $5, AX
	ADDQ AX, SI
	ADDQ AX, DX
	JMP  next

done:
	VZEROUPPER
	RET
