package endtoend

import (
	"fmt"
	"path/filepath"
	"testing"
)

// TestPython trains from Python, and has it refuse, fail and be killed.
func TestPython(t *testing.T) {
	t.Parallel()
	interpreter := python(t, "numpy", "pyarrow")
	folder := t.TempDir()
	comments(t, folder)
	run(t, folder, fmt.Sprintf("%q -B %q", interpreter, filepath.Join(root, "pipelines/python/training_test.py")))
}
