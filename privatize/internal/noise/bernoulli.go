package noise

import "math/bits"

// bernoulliExp is true with probability exp(−n/d), for n < d ≤ 2^63. It is algorithm 1 of Canonne, Kamath and Steinke,
// The Discrete Gaussian for Differential Privacy (NeurIPS 2020). Trial k is Bernoulli(n/(d·k)). The number of the first
// trial that fails is odd with that probability. digit is the first random digit for the first trial.
//
// The first trial fails whenever digit exceeds the first digit of n/d. bernoulliExp is then true, so a caller who knows
// this does not ask.
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

// bernoulli is true with probability n/d, for n < d ≤ 2^63, exactly. It compares a uniform real in [0, 1) with n/d in
// base 2^16: it draws digits of the real until one differs from the digit of n/d. digit is the real's first digit.
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
