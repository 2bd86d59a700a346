package gibbs

// A sweep spends nearly all its time on sums over topics:
//
//	products: ends_i = Σ row_j · mass_j over the j ≤ i of i's lane, j ≡ i mod 4
//	find:     the element at a place of the sum of all
//	share:    shares_j += row_j · mass_j · scale
//
// A lane is an independent sum. Vector instructions (kernel_amd64.s) add four lanes at a time. The kernels in this file
// are the plain form. Both forms give the same whole numbers, so draws are the same on every machine. The last digit in
// a share may differ.
const lanes = 4

// padding divides the number of elements.
const padding = 8

func padded(n int) int { return (n + padding - 1) / padding * padding }

// element returns the element with this number when n elements are counted lane by lane.
func element(number, n int) int { return number%(n/lanes)*lanes + number/(n/lanes) }

// total is the sum of all products.
func total(ends []uint64) uint64 {
	last := ends[len(ends)-lanes:]
	return last[0] + last[1] + last[2] + last[3]
}

// plainProducts sets ends. The sum of all products must be below 2^63.
func plainProducts(ends []uint64, row, mass []uint32) {
	row, mass = row[:len(ends)], mass[:len(ends)]
	var a, b, c, d uint64
	for i := 0; i+lanes <= len(ends); i += lanes {
		r, m, e := row[i:i+lanes], mass[i:i+lanes], ends[i:i+lanes]
		a += uint64(r[0]) * uint64(m[0])
		b += uint64(r[1]) * uint64(m[1])
		c += uint64(r[2]) * uint64(m[2])
		d += uint64(r[3]) * uint64(m[3])
		e[0], e[1], e[2], e[3] = a, b, c, d
	}
}

// plainFind returns the number, lane by lane, of the element at the place at. at is below the sum of all products.
func plainFind(ends []uint64, at uint64) int {
	lane, last := 0, ends[len(ends)-lanes:]
	for at >= last[lane] {
		at -= last[lane]
		lane++
	}
	low, high := 0, len(ends)/lanes-1
	for low < high {
		if middle := (low + high) / 2; ends[middle*lanes+lane] > at {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return lane*(len(ends)/lanes) + low
}

// plainShare adds to shares. Elements of row and mass are below 2^31.
func plainShare(shares []float32, row, mass []uint32, scale float32) {
	row, mass = row[:len(shares)], mass[:len(shares)]
	for i := range shares {
		shares[i] += float32(row[i]) * float32(mass[i]) * scale
	}
}
