package pld

import "math"

// A mixture is a pair of densities on a real line, with u = slope·z − shift:
//
//	Q(z) = base(z)·(1−q + q·e^(−u−2·shift)) if opposed, else base(z),   P(z) = base(z)·(1−q + q·e^u),
//	base(z) = exp(constant − linear·z − curved·z²/2).
type mixture struct {
	rate, logRate            float64 // q
	slope, shift             float64
	constant, linear, curved float64
	opposed                  bool
	reach                    float64 // z lies within ±reach; +Inf for the Gaussian
}

// u is the logarithm of the ratio for a unit that surely takes part.
func (x *mixture) u(z float64) float64 { return x.slope*z - x.shift }

// lossAt returns log P/Q at z.
func (x *mixture) lossAt(z float64) float64 {
	loss := logMix(x.rate, x.u(z))
	if x.opposed {
		loss -= logMix(x.rate, -x.u(z)-2*x.shift)
	}
	return loss
}

// logMix returns log(1−q + q·e^u).
func logMix(q, u float64) float64 {
	switch {
	case q == 1:
		return u
	case u > 30:
		return u + math.Log(q) + math.Log1p((1-q)/q*math.Exp(-u))
	case q > 0.5 && u < -1: // where 1−q is exact
		return math.Log((1 - q) + q*math.Exp(u))
	}
	return math.Log1p(q * math.Expm1(u))
}

// root returns the u with the given loss. It is −Inf if the loss is larger everywhere. The loss grows with z.
func (x *mixture) root(loss float64) float64 {
	q := x.rate
	switch {
	case q == 1 && !x.opposed:
		return loss
	case x.opposed && loss == 0:
		return -x.shift
	case x.opposed:
		// q·v² + (1−q)(1−t)·v − t·q·e^(−2·shift) = 0 for v = e^u, t = e^loss. The only positive root is computed
		// without cancellation. Losses below 0 follow by symmetry: z to −z.
		if loss < 0 {
			return -x.root(-loss) - 2*x.shift
		}
		// In units of t: v = t·y, with y of q·t·y² + (1−q)(1/t−1)·t·y − q·e^(−2·shift) = 0.
		b := (1 - q) * -math.Expm1(-loss) // times −t
		product := q * q * math.Exp(-loss-2*x.shift)
		return loss + math.Log((b+math.Sqrt(b*b+4*product))/(2*q))
	case loss > 30:
		return loss - math.Log(q) + math.Log1p(-(1-q)*math.Exp(-loss))
	}
	if loss < -1 {
		return math.Log(max(0, math.Exp(loss)-(1-q)) / q)
	}
	return math.Log1p(max(-1, math.Expm1(loss)/q))
}
