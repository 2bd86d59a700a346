package parallel

// Pieces is the largest number of parts. It is the same on every machine, because a sum over the parts must not depend
// on the number of cores.
const Pieces = 64

// Split splits [0, n) into at most Pieces parts with about equal lengths. It calls work on all cores, for each part
// that is not empty: from ≤ i < to, and piece in [0, Pieces). It returns after all calls have returned.
func Split(n int, work func(piece, from, to int)) {
	Each(Pieces, func(piece int) {
		if from, to := n*piece/Pieces, n*(piece+1)/Pieces; from < to {
			work(piece, from, to)
		}
	})
}
