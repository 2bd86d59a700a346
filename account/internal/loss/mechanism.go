package loss

import (
	"fmt"
	"math"

	"privpipe/account/internal/pld"
)

// Gaussian is Gaussian noise on a vector.
type Gaussian struct {
	Noise       float64 // standard deviation; in steps if discrete, else over the norm of what a unit adds
	Sensitivity float64 // L2 distance of neighbours' sums, likewise
	Discrete    bool    // of whole steps
}

// Laplace is Laplace noise on a vector.
type Laplace struct {
	Scale       float64 // in steps if discrete
	Sensitivity float64 // L1 distance of neighbours' sums, likewise
	Discrete    bool    // of whole steps
}

// RandomizedResponse is a value of so many buckets, of which the true one is told with probability 1−Noise and else any, all
// with the same probability. Neighbours differ in the value.
type RandomizedResponse struct {
	Noise   float64
	Buckets int
}

// Pure is anything of ε-differential privacy.
type Pure struct{ Epsilon float64 }

// Approximate is anything of (ε, δ)-differential privacy.
type Approximate struct{ Epsilon, Delta float64 }

// Concentrated is anything of ρ-zero-concentrated differential privacy.
type Concentrated struct{ Rho float64 }

// DiscreteGaussian is discrete Gaussian noise on one whole number, which neighbours change by at most Sensitivity.
type DiscreteGaussian struct {
	Variance    float64
	Sensitivity int
}

// DiscreteLaplace is discrete Laplace noise on one whole number, which neighbours change by at most Sensitivity.
type DiscreteLaplace struct {
	Scale       float64
	Sensitivity int
}

func (m Gaussian) String() string { return noiseString("gaussian", m.Noise, m.Sensitivity, m.Discrete) }

func (m Laplace) String() string { return noiseString("laplace", m.Scale, m.Sensitivity, m.Discrete) }

func noiseString(name string, noise, sensitivity float64, discrete bool) string {
	if discrete {
		name = "discrete " + name
	}
	return fmt.Sprintf("%s(%v/%v)", name, noise, sensitivity)
}

func (m RandomizedResponse) String() string {
	return fmt.Sprintf("randomized response(%v, %d)", m.Noise, m.Buckets)
}

func (m Pure) String() string { return fmt.Sprintf("pure(%v)", m.Epsilon) }

func (m Approximate) String() string { return fmt.Sprintf("approximate(%v, %v)", m.Epsilon, m.Delta) }

func (m Concentrated) String() string { return fmt.Sprintf("concentrated(%v)", m.Rho) }

func (m DiscreteGaussian) String() string {
	return fmt.Sprintf("gaussian on one number(%v, %d)", m.Variance, m.Sensitivity)
}

func (m DiscreteLaplace) String() string {
	return fmt.Sprintf("laplace on one number(%v, %d)", m.Scale, m.Sensitivity)
}

// The range of noise over sensitivity in which the bounds are known to be right.
const leastNoise, mostNoise = 0.02, 1e8

func checkNoise(what string, x float64) error {
	if !(x >= leastNoise && x <= mostNoise) {
		return fmt.Errorf("%s must be in [%v, %v], is %v", what, leastNoise, mostNoise, x)
	}
	return nil
}

// Check reports the first rule that m breaks.
func (m Gaussian) Check() error { return checkRatio("noise over sensitivity", m.Noise, m.Sensitivity) }

// Check reports the first rule that m breaks.
func (m Laplace) Check() error { return checkRatio("scale over sensitivity", m.Scale, m.Sensitivity) }

func checkRatio(what string, noise, sensitivity float64) error {
	if !(sensitivity > 0) {
		return fmt.Errorf("sensitivity must be above 0, is %v", sensitivity)
	}
	return checkNoise(what, noise/sensitivity)
}

// mostPure is where e^ε is within float64.
const mostPure = 700

// Check reports the first rule that m breaks.
func (m Pure) Check() error {
	if !(m.Epsilon >= 0 && m.Epsilon <= mostPure) {
		return fmt.Errorf("ε of a mechanism must be in [0, %v], is %v", mostPure, m.Epsilon)
	}
	return nil
}

// Check reports the first rule that m breaks.
func (m RandomizedResponse) Check() error {
	if !(m.Noise >= 0 && m.Noise <= 1) {
		return fmt.Errorf("noise of randomized response must be in [0, 1], is %v", m.Noise)
	}
	if m.Buckets < 2 || m.Buckets > math.MaxInt32 {
		return fmt.Errorf("buckets of randomized response must be from 2 to %d, are %d", math.MaxInt32, m.Buckets)
	}
	return Pure{m.epsilon()}.Check()
}

// epsilon is the pure ε, rounded up.
func (m RandomizedResponse) epsilon() float64 { return pld.ResponseLoss(m.Noise, m.Buckets) }

// Check reports the first rule that m breaks.
func (m Approximate) Check() error {
	if !(m.Delta >= 0 && m.Delta < 1) {
		return fmt.Errorf("δ of a mechanism must be in [0, 1), is %v", m.Delta)
	}
	return Pure{m.Epsilon}.Check()
}

// Check reports the first rule that m breaks.
func (m Concentrated) Check() error {
	if !(m.Rho >= 0 && m.Rho <= 1e6) {
		return fmt.Errorf("ρ of a mechanism must be in [0, 1e6], is %v", m.Rho)
	}
	return nil
}

// Check reports the first rule that m breaks.
func (m DiscreteGaussian) Check() error {
	if m.Sensitivity < 1 {
		return fmt.Errorf("sensitivity must be at least 1, is %d", m.Sensitivity)
	}
	return checkNoise("noise over sensitivity", math.Sqrt(m.Variance)/float64(m.Sensitivity))
}

// Check reports the first rule that m breaks.
func (m DiscreteLaplace) Check() error {
	if m.Sensitivity < 1 {
		return fmt.Errorf("sensitivity must be at least 1, is %d", m.Sensitivity)
	}
	return checkNoise("scale over sensitivity", m.Scale/float64(m.Sensitivity))
}

// sigma is noise over sensitivity, rounded down.
func (m Gaussian) sigma() float64 { return math.Nextafter(m.Noise/m.Sensitivity, 0) }

// smoothing is t² of the package's doc, twice for what is off the diagonal of a symmetric matrix.
const smoothing = 2 * 9

// continuous returns continuous noise that protects no more than m. It is none for noise of few steps.
func (m Gaussian) continuous() Gaussian {
	if m.Discrete { // rounded down
		m.Noise, m.Discrete = m.Noise*math.Sqrt(max(0, 1-smoothing/(m.Noise*m.Noise)))*(1-1e-15), false
	}
	return m
}

// inSteps says that a unit may move one cell by the whole sensitivity, and that noise is of enough steps for stepped.
func (m Gaussian) inSteps() bool { return wholeSteps(m.Sensitivity) && m.Noise >= 10 }

func wholeSteps(x float64) bool { return x == math.Trunc(x) }

// stepped is above the part by which continuous noise that protects no more than m in steps, of s²−18, is below noise that
// protects as much as m or more, of s²+9 (see the package).
func (m Gaussian) stepped() float64 { return (smoothing + 9) / (m.Noise*m.Noise - smoothing) }

// continuous returns continuous noise that protects no more than m.
func (m Laplace) continuous() Laplace {
	if m.Discrete {
		m.Sensitivity, m.Discrete = m.Sensitivity+2, false
	}
	return m
}

// scale is scale over sensitivity, rounded down.
func (m Laplace) scale() float64 { return math.Nextafter(m.Scale/m.Sensitivity, 0) }
