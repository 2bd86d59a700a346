// Package mixture has the steps of expectation maximization for mixtures, by vector instructions where the machine has
// them.
//
// A mixture has components k with weights θ. It gives observation i, seen c_i times, the likelihood Σ_k θ_k β_ki.
// Expectation maximization needs
//
//	Explain: p_i = c_i / Σ_k θ_k β_ki        (so θ_k β_ki p_i is c_i times the responsibility of k)
//	Share:   s_k = Σ_i p_i β_ki              (so θ_k s_k is their sum)
//
// For a document in a topic model, observations are its words, and components are topics. dirichlet.go has the other
// half of the step for weights with a Dirichlet prior.
//
// All numbers are float32, of 7 digits. The sums have at most a few thousand terms of one sign, so they lose one or two
// digits. Kernels add in different orders, so the last digits may differ from machine to machine.
package mixture

import "fmt"

// lanes is how many numbers kernels take at a time. Rows are padded to multiples of it.
const lanes = 8

// A Mixture has observations and the components that are live. Its memory is reused by Reset and Gather. The zero value
// has no component.
//
// Kernels in assembly trust these lengths, so nothing outside this package can change them:
//
//	width is observations, padded to lanes: there β is 1 and the count is 0
//	cells has at least (components padded to 4) × width numbers, a row of width for each component
//	live, theta, sums and gamma have the same length, components padded to lanes. The first n belong to the live
//	components. After them live is 0, which is a row, too.
type Mixture struct {
	components, observations, width int

	cells       []float32 // β
	counts, p   []float32 // width
	words       []uint32  // see Gather
	n           int
	live        []int32 // ascending components
	theta, sums []float32
	gamma       []float32 // see dirichlet.go

	ones    []float32 // 1, 1, …, for Reset
	numbers []int32   // 0, 1, …, for Reset
}

// Reset takes a number of components and observations, at least one component. All components are live, with weight 1.
// Counts are 0. It leaves β undefined: SetRow sets it.
func (m *Mixture) Reset(components, observations int) {
	if components < 1 || observations < 0 {
		panic(fmt.Sprintf("mixture of %d components and %d observations", components, observations))
	}
	m.components, m.observations, m.width = components, observations, padded(observations, lanes)
	m.cells = sized(m.cells, padded(components, 4)*m.width)
	m.counts, m.p = sized(m.counts, m.width), sized(m.p, m.width)
	clear(m.counts)
	n := padded(components, lanes)
	m.n, m.live = components, sized(m.live, n)
	m.theta, m.sums, m.gamma = sized(m.theta, n), sized(m.sums, n), sized(m.gamma, n)
	for j := len(m.ones); j < n; j++ {
		m.ones, m.numbers = append(m.ones, 1), append(m.numbers, int32(j))
	}
	copy(m.live, m.numbers)
	copy(m.theta, m.ones)
	copy(m.gamma, m.ones)
	clear(m.live[components:])
}

// padded rounds n up to a multiple of multiple, which is a power of 2.
func padded(n, multiple int) int { return (n + multiple - 1) &^ (multiple - 1) }

// sized returns a slice with n numbers, in the memory of s if there is enough.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n*3/2)
	}
	return s[:n]
}

// SetRow sets a component's β, one likelihood for each observation.
func (m *Mixture) SetRow(component int, beta []float32) {
	row := m.row(component)
	copy(row[:m.observations], beta[:m.observations])
	for i := m.observations; i < m.width; i++ {
		row[i] = 1
	}
}

func (m *Mixture) row(component int) []float32 {
	if component < 0 || component >= m.components {
		panic(fmt.Sprintf("component %d of %d", component, m.components))
	}
	return m.cells[component*m.width:][:m.width]
}

// Live is the number of live components. Component j of them, ascending, has number Component(j), Weights()[j] and
// Sums()[j].
func (m *Mixture) Live() int { return m.n }

// Component returns the number of the j-th live component, below Live.
func (m *Mixture) Component(j int) int { return int(m.live[:m.n][j]) }

// Row returns β of the j-th live component, one number for each observation.
func (m *Mixture) Row(j int) []float32 { return m.row(m.Component(j))[:m.observations] }

// Counts are c, one of at least 0 for each observation, to be set.
func (m *Mixture) Counts() []float32 { return m.counts[:m.observations] }

// Weights are θ of the live components, to be set, or set by ExpectWeights.
func (m *Mixture) Weights() []float32 { return m.theta[:m.n] }

// Explained is p, one number for each observation, as Explain set it.
func (m *Mixture) Explained() []float32 { return m.p[:m.observations] }

// Sums are s, one number for each live component, as Share set them.
func (m *Mixture) Sums() []float32 { return m.sums[:m.n] }

// Explain sets p from the counts, β and θ.
func (m *Mixture) Explain() {
	if m.width > 0 && m.n > 0 {
		chosen.explain(m)
	}
}

// Share sets s from β and p.
func (m *Mixture) Share() {
	if m.width > 0 && m.n > 0 {
		chosen.share(m)
		return
	}
	clear(m.sums)
}
