package latent

// plainShare sets row to θ·β, one number for each word, and adds it to total.
func plainShare(row, total, beta []float32, theta float32) {
	for i, b := range beta {
		row[i] = theta * b
		total[i] += row[i]
	}
}

// plainWeigh multiplies row by weights, number by number, and returns the sum of the squares.
func plainWeigh(row, weights []float32) (square float64) {
	for i, w := range weights {
		row[i] *= w
		square += float64(row[i]) * float64(row[i])
	}
	return square
}

// plainScale multiplies values by factor.
func plainScale(values []float32, factor float32) {
	for i := range values {
		values[i] *= factor
	}
}
