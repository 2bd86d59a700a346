package noise

import "math/bits"

// bernoulliExp is true with probability exp(−n/d), for n < d ≤ 2^63: Canonne, Kamath and Steinke, The Discrete Gaussian
// for Differential Privacy (NeurIPS 2020), algorithm 1: the number of the trial k at which Bernoulli(n/(d·k)) first
// fails is odd with that probability. digit is the first of the first trial's random digits.
//
// The first trial fails whenever digit exceeds that of n/d; a caller who knows that asks no further.
func (s *source) bernoulliExp(n, d, digit uint64) bool {
	if !s.bernoulli(n, d, digit) {
		return true
	}
	for k := uint64(2); ; k++ {
		// Bernoulli(n/(d·k)) is Bernoulli(n/d) and Bernoulli(1/k).
		if !s.bernoulli(1, k, s.uint16()) || !s.bernoulli(n, d, s.uint16()) {
			return k%2 == 1
		}
	}
}

// bernoulli is true with probability n/d, for n < d ≤ 2^63, exactly: the digits of a uniform real in [0, 1) in base
// 2^16, of which digit is the first, are drawn until one differs from that of n/d.
func (s *source) bernoulli(n, d, digit uint64) bool {
	for {
		own, rest := bits.Div64(n>>48, n<<16, d) // the quotient is below 2^16, because n < d
		if digit != own {
			return digit < own
		}
		n = rest
		digit = s.uint16()
	}
}
