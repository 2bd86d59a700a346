package mixture

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

// EachKernel calls do for each kernel that this machine runs, the one it uses first, while all mixtures use that kernel: for tests and benchmarks.
// It returns the names of those whose instructions the machine lacks. It must not run beside other functions of this package.
func EachKernel(do func(name string)) (lacking []string) {
	usual := chosen
	defer func() { chosen = usual }()
	for i := range all {
		if !all[i].runs {
			lacking = append(lacking, all[i].name)
			continue
		}
		chosen = &all[i].kernel
		do(all[i].name)
	}
	return lacking
}
