package noise

// A Laplace draws from the discrete Laplace distribution of scale t: P[x] = (1−r)/(1+r)·r^|x| with r = exp(−1/t), on
// the integers. It is a [Sampler].
//
// With |x| = w·j + u (proposer), exp(−(wj + u)/t) = exp(−w/t)^j · exp(−u/t): j is geometric, from a table, and the
// second factor is the probability to accept.
type Laplace struct {
	proposer
	scale  uint64
	reject uint64 // above the first digit of the exponent u/t, for every u
}

// NewLaplace returns a Laplace of scale t in [1, MaxScale] steps. It panics for others: the caller checks the grant.
func NewLaplace(scale uint64) *Laplace {
	l := &Laplace{scale: scale, proposer: newProposer(scale, func(width uint64) law {
		return law{n: width, d: scale, half: width == 1}
	})}
	if l.shift > 0 { // 0 for w = 1, where u = 0 is always accepted
		l.reject = 1<<l.shift<<16/scale + 1
	}
	return l
}

// Twin returns another Laplace with the same scale, for another goroutine.
func (l *Laplace) Twin() Sampler {
	twin := *l
	twin.random = newSource()
	return &twin
}

// Next draws one number.
func (l *Laplace) Next() int64 {
	for {
		j, u, digit, sign := l.propose()
		if digit >= l.reject || l.random.bernoulliExp(u, l.scale, digit) {
			return l.number(j, u, sign)
		}
	}
}
