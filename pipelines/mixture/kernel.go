package mixture

// A kernel does the arithmetic for a mixture with a live component and an observation. Mixture states the lengths of
// its slices and the numbers after the live components. A kernel may leave anything in theta, sums and gamma after the
// first n.
type kernel struct {
	name    string
	explain func(m *Mixture)
	share   func(m *Mixture)
	// gather sets cells, one row for each of t.stride components, from the rows of the table that m.words names.
	gather func(m *Mixture, t *Table)
	// update does what Update does, but instead of dropping a component it sets its gamma to 0.
	update func(m *Mixture, alpha, least float32) (change float32, dropped bool)
	// expect does what ExpectWeights does. After its first n numbers, gamma has copies of its first number.
	expect func(m *Mixture)
}

var plain = kernel{"plain", plainExplain, plainShare, plainGather, plainUpdate, plainExpect}

// A candidate is a kernel for this architecture. runs says whether this machine has the kernel's instructions.
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

// EachKernel calls do for each kernel that this machine runs, beginning with the usual one. During the call all
// mixtures use that kernel. It is for tests and benchmarks. It returns the names of the kernels that the machine lacks
// the instructions for. It must not run beside other functions of this package.
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
