//go:build !amd64

package lda

func explain(p, counts []float32, beta [][]float32, theta []float32) {
	plainExplain(p, counts, beta, theta)
}

func share(s []float32, beta [][]float32, p []float32) { plainShare(s, beta, p) }
