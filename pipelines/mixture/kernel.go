package mixture

import "fmt"

// A kernel does the arithmetic. Mixture says how long its slices are and what is behind their ends. A kernel may use what is behind the first n
// numbers of theta, sums and gamma, up to the next multiple of lanes, and leaves anything there.
type kernel struct {
	name string
	// explain sets p from counts, of equal length, the rows of cells that live names, and as many of theta.
	explain func(p, counts, cells []float32, live []int32, theta []float32)
	// share adds Σ_i p_i β_ki to sums, for the first n of live.
	share func(sums, cells []float32, live []int32, n int, p []float32)
	// gather sets cells, stride rows of width, from a row of the table for each of width words.
	gather func(cells []float32, width int, table []float32, stride int, words []uint32)
	// update is Update, which says what it sets. Instead of dropping a component it sets its gamma to 0.
	update func(gamma, theta, sums []float32, n int, alpha, least float32) (change float32, dropped bool)
	// expect is ExpectWeights. After the first n, up to the next multiple of lanes, gamma has copies of its first number.
	expect func(theta, gamma []float32, n int)
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
