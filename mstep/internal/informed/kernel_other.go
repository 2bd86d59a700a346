//go:build !amd64

package informed

func multiplyTile(t *tile, a, b []float32) { plainMultiplyTile(t, a, b) }
