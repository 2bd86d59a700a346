package denoise

// A kernel does the work of addMills, for at least one number.
type kernel struct {
	name string
	add  func(ratio, derivative, y, pull []float64, inverse, weight float64)
}

// A candidate is a kernel for this architecture. runs says whether this machine has the kernel's instructions.
type candidate struct {
	kernel
	runs bool
}

// kernels has the fastest kernel first.
var kernels = append(vectorKernels(), candidate{kernel{"plain", plainAdd}, true})

var chosen = func() *kernel {
	for i := range kernels {
		if kernels[i].runs {
			return &kernels[i].kernel
		}
	}
	panic("the plain kernel runs everywhere")
}()
