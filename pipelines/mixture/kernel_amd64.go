package mixture

import "golang.org/x/sys/cpu"

// vectorKernels returns the kernel in the files *_amd64.s. No kernel uses 512 bits. On Zen 4, C++ with 512-bit vectors
// was no faster than with 256 bits (BenchmarkLimit in package endtoend prints both). On Ice Lake, a kernel with
// Explain, Share and ExpectWeights in 512 bits took as long as this one at 6 iterations, and up to a tenth longer at
// 100. Few topics stay live, so the latency of one iteration counts. Wide vectors slow the clock.
func vectorKernels() []candidate {
	return []candidate{{
		kernel{"AVX2", explainWide, shareWide, gatherWide, updateWide, expectWide},
		cpu.X86.HasAVX2 && cpu.X86.HasFMA,
	}}
}

// These functions pass addresses on. Mixture and Table keep the lengths that the assembly relies on.

func explainWide(m *Mixture) {
	explainAVX2(&m.p[0], &m.counts[0], &m.cells[0], m.width, &m.live[0], &m.theta[0], m.n)
}

func shareWide(m *Mixture) { shareAVX2(&m.sums[0], &m.cells[0], &m.live[0], m.n, &m.p[0], m.width) }

func gatherWide(m *Mixture, t *Table) {
	gatherAVX2(&m.cells[0], m.width, &t.cells[0], t.stride, &m.words[0])
}

func updateWide(m *Mixture, alpha, least float32) (change float32, dropped bool) {
	return updateAVX2(&m.gamma[0], &m.theta[0], &m.sums[0], m.n, alpha, least)
}

func expectWide(m *Mixture) { expectAVX2(&m.theta[0], &m.gamma[0], m.n) }

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
