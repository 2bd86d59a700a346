//go:build !amd64

package gibbs

func products(ends []uint64, row, mass []uint32) { plainProducts(ends, row, mass) }

func find(ends []uint64, at uint64) int { return plainFind(ends, at) }

func share(shares []float32, row, mass []uint32, scale float32) { plainShare(shares, row, mass, scale) }
