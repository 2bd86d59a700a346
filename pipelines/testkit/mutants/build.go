package mutants

import (
	"fmt"
	"os/exec"
	"path/filepath"

	"privpipe/pipelines/testkit/overlay"
)

// always is the package chosen for a program that is one mutant, whatever the environment says.
const always = `package chosen

const Number = 1

func Either[T any](_ int, changed, _ T) T { return changed }
`

// Build builds a stage with the mutant m into a folder and returns the program's path. The program is always the
// mutant.
func (m *Mutant) Build(root, folder, stage string) (string, error) {
	name, err := write(root, folder, func(o *overlay.Overlay) error { return plant(o, []*Mutant{m}, always) })
	if err != nil {
		return "", err
	}
	program := filepath.Join(folder, stage)
	build := exec.Command("go", "build", "-overlay", name, "-o", program, "./"+stage)
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("mutant %s: %w\n%s", m.Name, err, out)
	}
	return program, nil
}
