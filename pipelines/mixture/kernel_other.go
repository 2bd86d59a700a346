//go:build !amd64

package mixture

// Explain sets p, of n numbers, from counts, of n, beta, whose rows have n, and theta, of one for each row. n is a multiple of Lanes.
func Explain(p, counts []float32, beta [][]float32, theta []float32) {
	plainExplain(p, counts, beta, theta)
}

// Share sets s, one number for each row of beta, from beta and p, as Explain does.
func Share(s []float32, beta [][]float32, p []float32) { plainShare(s, beta, p) }
