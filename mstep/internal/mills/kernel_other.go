//go:build !amd64

package mills

func vectorKernels() []candidate { return nil }
