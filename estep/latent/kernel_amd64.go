package latent

import "golang.org/x/sys/cpu"

// hasVectors reports whether this machine has the instructions of kernel_amd64.s.
var hasVectors = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// share, weigh and scale are the kernels of kernel.go. All lists in one call have the same length. weigh adds squares
// in another order than plainWeigh, so the last digits of the sum may differ between machines. All other numbers are
// the same. Of 300,000 random rows none got another float32 factor by this. Workers on both kinds of machines differ
// anyway: package mixture says where.

func share(row, total, beta []float32, theta float32) {
	if n := len(beta); hasVectors && n > 0 {
		shareAVX2(&row[:n][0], &total[:n][0], &beta[0], n, theta)
		return
	}
	plainShare(row, total, beta, theta)
}

func weigh(row, weights []float32) (square float64) {
	if n := len(weights); hasVectors && n > 0 {
		return weighAVX2(&row[:n][0], &weights[0], n)
	}
	return plainWeigh(row, weights)
}

func scale(values []float32, factor float32) {
	if n := len(values); hasVectors && n > 0 {
		scaleAVX2(&values[0], n, factor)
		return
	}
	plainScale(values, factor)
}

//go:noescape
func shareAVX2(row, total, beta *float32, n int, theta float32)

//go:noescape
func weighAVX2(row, weights *float32, n int) (square float64)

//go:noescape
func scaleAVX2(values *float32, n int, factor float32)
