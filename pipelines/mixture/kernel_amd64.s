#include "textflag.h"

// The kernels of mixture.go, eight observations at a time. beta points to slice headers of 24 bytes; the first 8 bytes of each are the
// address of a component's row.

// func explainAVX2(p, counts *float32, n int, beta *[]float32, theta *float32, components int)
//
// p_i = c_i / Σ_k θ_k β_ki, for 32 observations in four registers, and then for 8 in one.
TEXT ·explainAVX2(SB), NOSPLIT, $0-48
	MOVQ p+0(FP), DI
	MOVQ counts+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ beta+24(FP), BX
	MOVQ theta+32(FP), DX
	MOVQ components+40(FP), R8
	XORQ R9, R9 // bytes done

explain32:
	CMPQ CX, $32
	JLT  explain8
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	MOVQ BX, R10
	MOVQ DX, R11
	MOVQ R8, R12

explain32row:
	MOVQ (R10), R13
	ADDQ R9, R13
	VBROADCASTSS (R11), Y4
	VFMADD231PS (R13), Y4, Y0
	VFMADD231PS 32(R13), Y4, Y1
	VFMADD231PS 64(R13), Y4, Y2
	VFMADD231PS 96(R13), Y4, Y3
	ADDQ $24, R10
	ADDQ $4, R11
	DECQ R12
	JNZ  explain32row

	VMOVUPS (SI)(R9*1), Y4
	VDIVPS Y0, Y4, Y4
	VMOVUPS Y4, (DI)(R9*1)
	VMOVUPS 32(SI)(R9*1), Y5
	VDIVPS Y1, Y5, Y5
	VMOVUPS Y5, 32(DI)(R9*1)
	VMOVUPS 64(SI)(R9*1), Y6
	VDIVPS Y2, Y6, Y6
	VMOVUPS Y6, 64(DI)(R9*1)
	VMOVUPS 96(SI)(R9*1), Y7
	VDIVPS Y3, Y7, Y7
	VMOVUPS Y7, 96(DI)(R9*1)
	ADDQ $128, R9
	SUBQ $32, CX
	JMP  explain32

explain8:
	TESTQ CX, CX
	JLE  explained
	VXORPS Y0, Y0, Y0
	MOVQ BX, R10
	MOVQ DX, R11
	MOVQ R8, R12

explain8row:
	MOVQ (R10), R13
	VBROADCASTSS (R11), Y4
	VFMADD231PS (R13)(R9*1), Y4, Y0
	ADDQ $24, R10
	ADDQ $4, R11
	DECQ R12
	JNZ  explain8row

	VMOVUPS (SI)(R9*1), Y4
	VDIVPS Y0, Y4, Y4
	VMOVUPS Y4, (DI)(R9*1)
	ADDQ $32, R9
	SUBQ $8, CX
	JMP  explain8

explained:
	VZEROUPPER
	RET

// func shareAVX2(s *float32, beta *[]float32, components int, p *float32, n int)
//
// s_k = Σ_i p_i β_ki, for four components at a time, and then for one.
TEXT ·shareAVX2(SB), NOSPLIT, $0-40
	MOVQ s+0(FP), DI
	MOVQ beta+8(FP), BX
	MOVQ components+16(FP), R8
	MOVQ p+24(FP), SI
	MOVQ n+32(FP), CX
	SHLQ $2, CX // bytes

share4:
	CMPQ R8, $4
	JLT  share1
	MOVQ (BX), R10
	MOVQ 24(BX), R11
	MOVQ 48(BX), R12
	MOVQ 72(BX), R13
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	XORQ R9, R9

share4cells:
	VMOVUPS (SI)(R9*1), Y4
	VFMADD231PS (R10)(R9*1), Y4, Y0
	VFMADD231PS (R11)(R9*1), Y4, Y1
	VFMADD231PS (R12)(R9*1), Y4, Y2
	VFMADD231PS (R13)(R9*1), Y4, Y3
	ADDQ $32, R9
	CMPQ R9, CX
	JLT  share4cells

	// The sums of eight lanes each: pairs within halves, twice, then the halves.
	VHADDPS Y1, Y0, Y0
	VHADDPS Y3, Y2, Y2
	VHADDPS Y2, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPS X1, X0, X0
	VMOVUPS X0, (DI)
	ADDQ $16, DI
	ADDQ $96, BX
	SUBQ $4, R8
	JMP  share4

share1:
	TESTQ R8, R8
	JLE  shared
	MOVQ (BX), R10
	VXORPS Y0, Y0, Y0
	XORQ R9, R9

share1cells:
	VMOVUPS (SI)(R9*1), Y4
	VFMADD231PS (R10)(R9*1), Y4, Y0
	ADDQ $32, R9
	CMPQ R9, CX
	JLT  share1cells

	VHADDPS Y0, Y0, Y0
	VHADDPS Y0, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPS X1, X0, X0
	VMOVSS X0, (DI)
	ADDQ $4, DI
	ADDQ $24, BX
	DECQ R8
	JMP  share1

shared:
	VZEROUPPER
	RET
