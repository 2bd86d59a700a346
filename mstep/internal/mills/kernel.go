package mills

// A kernel does the work of Add, for at least one number.
type kernel struct {
	name string
	add  func(ratio, derivative, y, pull []float64, inverse, weight float64)
}

// A candidate is a kernel for this architecture. runs says whether this machine has the kernel's instructions.
type candidate struct {
	kernel
	runs bool
}

// all has the fastest kernel first.
var all = append(vectorKernels(), candidate{kernel{"plain", plainAdd}, true})

var chosen = func() *kernel {
	for i := range all {
		if all[i].runs {
			return &all[i].kernel
		}
	}
	panic("the plain kernel runs everywhere")
}()

// EachKernel calls do for each kernel that this machine runs, and Add uses the kernel during the call. The machine's
// usual kernel comes first. EachKernel is for tests and benchmarks. It returns the names of the kernels that the
// machine lacks instructions for. It must not run beside Add.
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
