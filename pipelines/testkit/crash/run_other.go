//go:build !linux || !amd64

package crash

import (
	"errors"
	"fmt"
)

// Run needs Linux on amd64; elsewhere it fails with errors.ErrUnsupported.
func Run(Program, func(*Stop) (kill bool, err error)) (End, error) {
	return End{}, fmt.Errorf("crash: needs linux/amd64: %w", errors.ErrUnsupported)
}
