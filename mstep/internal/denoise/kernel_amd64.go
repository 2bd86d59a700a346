package denoise

import "golang.org/x/sys/cpu"

// vectorKernels returns the kernel of add_amd64.s. There is no kernel with 512 bits: package mixture says why.
func vectorKernels() []candidate {
	return []candidate{{kernel{"AVX2", addWide}, cpu.X86.HasAVX2}}
}

// addWide passes addresses on. addMills has checked the lengths of the slices.
func addWide(ratio, derivative, y, pull []float64, inverse, weight float64) {
	addAVX2(&ratio[0], &derivative[0], &y[0], &pull[0], len(ratio), &constants[0][0], inverse, weight)
}

//go:noescape
func addAVX2(ratio, derivative, y, pull *float64, n int, constants *float64, inverse, weight float64)
