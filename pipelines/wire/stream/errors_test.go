package stream

import (
	"io/fs"
	"syscall"
	"testing"
)

// TestDiskThatFails: a disk that cannot read a stream is no fault of the stream, and a service manager tries again.
func TestDiskThatFails(t *testing.T) {
	for code, err := range map[int]error{101: &fs.PathError{Op: "read", Err: syscall.EIO}, 90: errTruncated} {
		if got := (&FormatError{Err: err}).ExitCode(); got != code {
			t.Errorf("%v: exit code %d, must be %d", err, got, code)
		}
	}
}
