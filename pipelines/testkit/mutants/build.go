package mutants

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Overlay writes the changed sources into a folder and returns the file that go's flag -overlay wants. With it a build takes
// the changed files in place of those below root, and all else from the build cache.
func (m *Mutant) Overlay(root, folder string) (string, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	sources, err := m.Sources(root)
	if err != nil {
		return "", err
	}
	replace := make(map[string]string)
	for file, text := range sources {
		name := filepath.Join(folder, fmt.Sprintf("%d.go", len(replace)))
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(root, file)] = name
	}
	encoded, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(folder, "overlay.json")
	return overlay, os.WriteFile(overlay, encoded, 0o600)
}

// Build builds a stage with m into a folder and returns the program.
func (m *Mutant) Build(root, folder, stage string) (string, error) {
	overlay, err := m.Overlay(root, folder)
	if err != nil {
		return "", err
	}
	program := filepath.Join(folder, stage)
	build := exec.Command("go", "build", "-overlay", overlay, "-o", program, "./"+stage)
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("mutant %s: %w\n%s", m.Name, err, out)
	}
	return program, nil
}
