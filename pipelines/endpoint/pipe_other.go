//go:build !linux

package endpoint

import "os"

// widen does nothing: only Linux lets a process set a pipe's capacity.
func widen(*os.File) {}
