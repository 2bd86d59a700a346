package informed

// plainMultiplyTile is multiplyTile without vector instructions. It sets t_ij = Σ_k a_ki b_kj, where for each k a
// has height numbers and b has width numbers.
func plainMultiplyTile(t *tile, a, b []float32) {
	clear(t[:])
	for len(a) >= height && len(b) >= width {
		for i, x := range a[:height] {
			to, row := t[i*width:][:width], b[:width]
			for j, y := range row {
				to[j] += x * y
			}
		}
		a, b = a[height:], b[width:]
	}
}
