package gibbs

import "golang.org/x/sys/cpu"

// hasAVX2 reports whether this machine has the instructions of kernel_amd64.s.
var hasAVX2 = cpu.X86.HasAVX2

// products, find and share are the kernels of kernel.go. The number of elements is a positive multiple of padding.

func products(ends []uint64, row, mass []uint32) {
	if n := len(ends); hasAVX2 {
		productsAVX2(&ends[0], &row[:n][0], &mass[:n][0], n)
		return
	}
	plainProducts(ends, row, mass)
}

func find(ends []uint64, at uint64) int {
	if hasAVX2 {
		return findAVX2(&ends[0], len(ends), at)
	}
	return plainFind(ends, at)
}

func share(shares []float32, row, mass []uint32, scale float32) {
	if n := len(shares); hasAVX2 {
		shareAVX2(&shares[0], &row[:n][0], &mass[:n][0], n, scale)
		return
	}
	plainShare(shares, row, mass, scale)
}

//go:noescape
func productsAVX2(ends *uint64, row, mass *uint32, n int)

//go:noescape
func findAVX2(ends *uint64, n int, at uint64) int

//go:noescape
func shareAVX2(shares *float32, row, mass *uint32, n int, scale float32)
