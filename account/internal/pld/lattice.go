package pld

import (
	"math"

	"privpipe/account/internal/renyi"
)

// unit is the relative rounding error of a float64 operation.
const unit = 0x1p-53

// A lattice is a loss on the multiples of step, under P: a bound of a pair's loss, with bounds of its errors.
type lattice struct {
	step     float64
	first    int       // the index of mass[0]
	mass     []float64 // logarithms of probabilities at (first+i)·step; −Inf: none
	infinite float64   // upper bound of the probability cut off above, under P
	left     float64   // upper bound of the probability moved up to first, under P
	error    float64   // relative error of each exp(mass), at most
	offset   float64   // error of each loss, at most
	rounded  bool      // not all losses are on the grid
	moved    float64   // bound of the change of log P and log Q by rounded parameters

	last struct{ tilt, cumulant float64 } // the last one that was asked
}

// discretize returns the lattices of a pair and of its opposite. e^logTail bounds the probability cut off at each end,
// under P and under Q.
func discretize(p *Pair, step, logTail float64) (forward, backward *lattice) {
	from, to := p.span(logTail)
	first, last := int(math.Floor(from/step))-1, int(math.Ceil(to/step)) // one below the least, for rounding
	l := &lattice{step: step, first: first, mass: make([]float64, last-first+1), infinite: p.infinite, error: p.error}
	for i := range l.mass {
		l.mass[i] = math.Inf(-1)
	}
	l.offset = 8*unit*(math.Abs(from)+math.Abs(to)) + p.offset
	panels := 0
	if x := p.density; x != nil {
		panels = l.addDensity(p, logTail)
		l.rounded = true
		l.offset += 8 * unit * x.steep(max(-from, to)) * (1 + x.shift + x.slope*x.zReach(logTail))
		l.error += ruleError
	}
	for _, a := range p.atoms {
		l.addAtom(a)
	}
	l.moved = p.moved(max(-from, to), logTail)
	largest := 0.0
	for i, m := range l.mass {
		if !math.IsInf(m, -1) {
			largest = max(largest, math.Abs(m)+math.Abs(float64(l.first+i))*step)
		}
	}
	if x := p.density; x != nil { // the parts of a logarithm are larger than their sum
		z := x.zReach(logTail)
		largest += x.curved*z*z/2 + x.slope*z + x.shift + math.Abs(x.constant)
	}
	l.error += 4*l.offset/step + float64(8+2*panels)*unit*(largest+1)

	b := *l
	b.first = -(first + len(l.mass) - 1)
	b.mass = make([]float64, len(l.mass))
	for i, m := range l.mass {
		b.mass[len(b.mass)-1-i] = m - float64(first+i)*step
	}
	if x := p.density; x != nil && math.IsInf(x.reach, 1) {
		logLeft := logTail
		if z := x.zReach(logTail); !x.opposed { // Q's mean is 0, and that of P not below
			logLeft = -z * z / 2
		}
		for _, l := range []*lattice{l, &b} {
			l.left, l.infinite = math.Exp(logLeft), l.infinite+math.Exp(logTail)
			l.mass[2] = renyi.LogAdd(l.mass[2], logLeft) // the first point that is not below them
		}
	}
	l.complete()
	b.complete()
	return l, &b
}

// steep bounds the change of a loss over a change of u, for losses up to the greatest. This ratio is q·e^u/(1−q+q·e^u)
// or two such terms. It is at most 1, and at most e^greatest−(1−q). A relative error of u, or of z, moves the loss by
// the error times steep·(|u| + shift).
func (x *mixture) steep(greatest float64) float64 { return min(1, x.rate+math.Expm1(greatest)) }

// moved bounds the change of the logarithms of P's and Q's densities since their parameters were rounded, for losses up
// to the greatest. The probabilities of an atom, and of Laplace noise, move by no more than the loss does.
func (p *Pair) moved(greatest, logTail float64) float64 {
	change := 0.0
	for _, a := range p.atoms {
		change = max(change, math.Abs(a.loss))
	}
	if x := p.density; x != nil { // u is slope·z − slope²/2
		change += x.steep(greatest) * (2*x.shift + x.slope*x.zReach(logTail))
	}
	return (roundedBefore + p.rounded) * change
}

// complete counts missing probability, beyond its error, as a release that tells all. None is missing unless this
// package has a mistake. Even then the upper bound stays a bound.
func (l *lattice) complete() {
	sum := 0.0
	for _, m := range l.mass {
		sum += math.Exp(m)
	}
	if missing := 1 - sum - l.infinite; missing > 2*(l.error+float64(len(l.mass)+2)*unit) {
		l.infinite += missing
	}
}

// span returns the least and the largest loss, except for Gaussian tails.
func (p *Pair) span(logTail float64) (from, to float64) {
	for _, a := range p.atoms {
		from, to = min(from, a.loss), max(to, a.loss)
	}
	if x := p.density; x != nil {
		z := x.zReach(logTail)
		low := x.lossAt(-z)
		to = max(to, x.lossAt(z))
		if p.mirrored {
			low = -to
		}
		from = min(from, low)
	}
	return from, to
}

// zReach returns z so that P and Q have at most e^logTail beyond ±z, each. Φ(−y) ≤ e^(−y²/2)/2 (Chiani, Dardari and
// Simon, New Exponential Bounds and Approximations for the Computation of Error Probability, 2003), and means are
// within ±slope.
func (x *mixture) zReach(logTail float64) float64 {
	if !math.IsInf(x.reach, 1) {
		return x.reach
	}
	return math.Sqrt(-2*logTail) + x.slope
}

// addDensity adds the pair's density. It returns the greatest number of panels in one bucket.
func (l *lattice) addDensity(p *Pair, logTail float64) (panels int) {
	x := p.density
	z := x.zReach(logTail)
	at := func(i int) edge {
		e := edge{loss: float64(i) * l.step}
		e.u = x.root(e.loss)
		e.z = (e.u + x.shift) / x.slope
		return e
	}
	logRise, logFall := math.Log(math.Expm1(l.step)), math.Log(-math.Expm1(-l.step))
	last := l.first + len(l.mass) - 1
	begin := l.first
	if p.mirrored {
		begin = 0
	}
	lower, carried := at(begin), scaled{} // the part of the bucket before at its upper edge
	for i := begin; i < last; i++ {
		upper := at(i + 1)
		from, to := max(lower.z, -z), min(upper.z, z)
		if i == last-1 && !p.mirrored {
			to = z // the last point is above the largest loss except for rounding
		}
		if from < to {
			toLower, toUpper, n := x.bucket(lower, upper, from, to)
			panels = max(panels, n)
			toLower, toUpper = toLower.over(logRise), toUpper.over(logFall)
			l.add(i, carried.plus(toLower).logarithm())
			if p.mirrored { // Q of the same, at the opposite loss
				l.add(-i, toLower.logarithm()-lower.loss)
				l.add(-i-1, toUpper.logarithm()-upper.loss)
			}
			carried = toUpper
		} else {
			l.add(i, carried.logarithm())
			carried = scaled{}
		}
		lower = upper
	}
	l.add(last, carried.logarithm())
	return panels
}

func (l *lattice) add(index int, logMass float64) {
	if i := index - l.first; !math.IsInf(logMass, -1) {
		l.mass[i] = renyi.LogAdd(l.mass[i], logMass)
	}
}

// addAtom divides an atom among its neighbours on the grid: bucket, for a point.
func (l *lattice) addAtom(a atom) {
	h := l.step
	nearest := math.Round(a.loss / h)
	if off := math.Abs(a.loss - nearest*h); off <= 1e-13*math.Abs(a.loss) {
		l.offset = max(l.offset, 2*off)
		l.add(int(nearest), a.logP)
		return
	}
	l.rounded = true
	i := math.Floor(a.loss / h)
	below := a.loss - i*h
	l.add(int(i), a.logP+math.Log(math.Expm1(h-below)/math.Expm1(h)))
	l.add(int(i)+1, a.logP+math.Log(math.Expm1(-below)/math.Expm1(-h)))
}

// cumulant returns log E[e^(tL)] on the lattice. It is not safe for concurrent use.
func (l *lattice) cumulant(t float64) float64 {
	if l.last.tilt == t && l.last.cumulant != 0 {
		return l.last.cumulant
	}
	most := math.Inf(-1)
	for i, m := range l.mass {
		most = max(most, m+t*float64(l.first+i)*l.step)
	}
	sum := 0.0
	for i, m := range l.mass {
		if e := m + t*float64(l.first+i)*l.step - most; e > -50 {
			sum += math.Exp(e)
		}
	}
	l.last.tilt, l.last.cumulant = t, most+math.Log(sum)
	return l.last.cumulant
}
