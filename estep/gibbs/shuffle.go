package gibbs

import (
	"math/bits"
	"math/rand/v2"
)

// mostBatch is the largest number of elements for drawing four places at a time. The product of four factors up to
// mostBatch is below 2^57.
const mostBatch = 1 << 14

// shuffle brings the elements into an order that is uniform over all permutations, as Rand.Shuffle does. Where it can,
// it draws four places from one number.
func shuffle(order []uint32, coins *rand.Rand) {
	n := uint64(len(order))
	for n > 1 {
		if n > mostBatch || n < 4 {
			swap(order, n-1, coins.Uint64N(n))
			n--
			continue
		}
		a, b, c, d := places(n, coins)
		swap(order, n-1, a)
		swap(order, n-2, b)
		swap(order, n-3, c)
		swap(order, n-4, d)
		n -= 4
	}
}

func swap(order []uint32, i, j uint64) { order[i], order[j] = order[j], order[i] }

// places draws independent whole numbers below n, n−1, n−2 and n−3. P is the product of these bases. The four numbers
// are the digits of ⌊r·P/2^64⌋ in these bases, for a random r of 64 bits. The result is uniform below P, because an r
// is rejected if r·P mod 2^64 is among the 2^64 mod P lowest values (Lemire 2019; Brackett-Rozinsky and Lemire 2024).
func places(n uint64, coins *rand.Rand) (a, b, c, d uint64) {
	product := n * (n - 1) * (n - 2) * (n - 3)
	for {
		rest := coins.Uint64()
		a, rest = bits.Mul64(rest, n)
		b, rest = bits.Mul64(rest, n-1)
		c, rest = bits.Mul64(rest, n-2)
		d, rest = bits.Mul64(rest, n-3)
		if rest >= product || rest >= -product%product {
			return a, b, c, d
		}
	}
}
