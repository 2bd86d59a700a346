package mixture

import "fmt"

// A kernel does the arithmetic of a mixture with a live component and an observation. Mixture says how long its slices are and what is behind
// the live components. A kernel may leave anything in theta, sums and gamma behind the first n.
type kernel struct {
	name    string
	explain func(m *Mixture)
	share   func(m *Mixture)
	// gather sets cells, a row for each of t.stride components, from the rows of m.words, which are rows of the table.
	gather func(m *Mixture, t *Table)
	// update does what Update does, but instead of dropping a component it sets its gamma to 0.
	update func(m *Mixture, alpha, least float32) (change float32, dropped bool)
	// expect does what ExpectWeights does. Behind the first n gamma has copies of its first number.
	expect func(m *Mixture)
}

var plain = kernel{"plain", plainExplain, plainShare, plainGather, plainUpdate, plainExpect}

// A candidate is a kernel for this architecture; runs says whether this machine has its instructions.
type candidate struct {
	kernel
	runs bool
}

// all has the fastest first.
var all = append(vectorKernels(), candidate{plain, true})

var chosen = func() *kernel {
	for i := range all {
		if all[i].runs {
			return &all[i].kernel
		}
	}
	return &plain
}()

// Kernels returns the names of the kernels that this machine runs, the one it uses first, and of those whose instructions it lacks.
func Kernels() (run, lacking []string) {
	for _, k := range all {
		if k.runs {
			run = append(run, k.name)
		} else {
			lacking = append(lacking, k.name)
		}
	}
	return run, lacking
}

// Use makes all mixtures use a kernel of Kernels, for tests and benchmarks, until restore is called. It must not run beside other functions of
// this package.
func Use(name string) (restore func(), err error) {
	before := chosen
	for i := range all {
		if all[i].name == name && all[i].runs {
			chosen = &all[i].kernel
			return func() { chosen = before }, nil
		}
	}
	return nil, fmt.Errorf("this machine runs no kernel %q", name)
}
