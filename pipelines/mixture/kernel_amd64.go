package mixture

import "golang.org/x/sys/cpu"

// hasAVX2 reports whether this machine has the instructions of kernel_amd64.s.
var hasAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// Explain sets p, of n numbers, from counts, of n, beta, whose rows have n, and theta, of one for each row. n is a multiple of Lanes. With AVX2 it
// adds in another order, so the last digit may differ from machine to machine.
func Explain(p, counts []float32, beta [][]float32, theta []float32) {
	if n := len(counts); hasAVX2 && n > 0 && n%Lanes == 0 && len(beta) > 0 {
		explainAVX2(&p[:n][0], &counts[0], n, &beta[0], &theta[:len(beta)][0], len(beta))
		return
	}
	plainExplain(p, counts, beta, theta)
}

// Share sets s, one number for each row of beta, from beta and p, as Explain does.
func Share(s []float32, beta [][]float32, p []float32) {
	if n := len(p); hasAVX2 && n > 0 && n%Lanes == 0 && len(beta) > 0 {
		shareAVX2(&s[:len(beta)][0], &beta[0], len(beta), &p[0], n)
		return
	}
	plainShare(s, beta, p)
}

//go:noescape
func explainAVX2(p, counts *float32, n int, beta *[]float32, theta *float32, components int)

//go:noescape
func shareAVX2(s *float32, beta *[]float32, components int, p *float32, n int)
