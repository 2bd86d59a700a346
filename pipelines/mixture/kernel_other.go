//go:build !amd64

package mixture

func vectorKernels() []candidate { return nil }
