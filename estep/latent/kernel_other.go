//go:build !amd64

package latent

func share(row, total, beta []float32, theta float32) { plainShare(row, total, beta, theta) }

func weigh(row, weights []float32) (square float64) { return plainWeigh(row, weights) }

func scale(values []float32, factor float32) { plainScale(values, factor) }
