//go:build !amd64

package product

func multiply(t *tile, a, b []float32) { plainMultiply(t, a, b) }
