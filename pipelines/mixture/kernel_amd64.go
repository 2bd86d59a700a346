package mixture

import "golang.org/x/sys/cpu"

// vectorKernels returns the kernel of the files *_amd64.s. There is none of 512 bits: on the machines at hand, of AMD's Zen 4, C++ with vectors of
// 512 bits was no faster than with 256 (BenchmarkEStep of package endtoend prints both).
func vectorKernels() []candidate {
	return []candidate{{
		kernel{"AVX2", explainWide, shareWide, gatherWide, updateWide, expectWide},
		cpu.X86.HasAVX2 && cpu.X86.HasFMA,
	}}
}

// These functions pass lengths on, which they check as far as a slice expression can.

func explainWide(p, counts, cells []float32, live []int32, theta []float32) {
	explainAVX2(&p[0], &counts[:len(p)][0], &cells[0], len(p), &live[0], &theta[:len(live)][0], len(live))
}

func shareWide(sums, cells []float32, live []int32, n int, p []float32) {
	shareAVX2(&sums[:padded(n, 4)][0], &cells[0], &live[:padded(n, 4)][0], n, &p[0], len(p))
}

func gatherWide(cells []float32, width int, table []float32, stride int, words []uint32) {
	gatherAVX2(&cells[:stride*width][0], width, &table[0], stride, &words[:width][0])
}

func updateWide(gamma, theta, sums []float32, n int, alpha, least float32) (change float32, dropped bool) {
	full := padded(n, lanes)
	return updateAVX2(&gamma[:full][0], &theta[:full][0], &sums[:full][0], n, alpha, least)
}

func expectWide(theta, gamma []float32, n int) {
	full := padded(n, lanes)
	expectAVX2(&theta[:full][0], &gamma[:full][0], n)
}

//go:noescape
func explainAVX2(p, counts, cells *float32, width int, live *int32, theta *float32, n int)

//go:noescape
func shareAVX2(sums, cells *float32, live *int32, n int, p *float32, width int)

//go:noescape
func gatherAVX2(cells *float32, width int, table *float32, stride int, words *uint32)

//go:noescape
func updateAVX2(gamma, theta, sums *float32, n int, alpha, least float32) (change float32, dropped bool)

//go:noescape
func expectAVX2(theta, gamma *float32, n int)
