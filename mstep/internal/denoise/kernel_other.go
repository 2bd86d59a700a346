//go:build !amd64

package denoise

func vectorKernels() []candidate { return nil }
