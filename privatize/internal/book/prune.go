package book

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Prune removes a run's stored releases up to round last. Their charges stand: a replay of them is refused, and no
// noise is drawn for them again.
func (b *Book) Prune(run string, last int) error {
	folder := filepath.Join(b.path+".releases", run)
	files, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, file := range files {
		number, _, _ := strings.Cut(file.Name(), ".")
		if round, err := strconv.Atoi(number); err != nil || round > last {
			continue
		}
		if err := os.Remove(filepath.Join(folder, file.Name())); err != nil {
			return err
		}
	}
	return nil
}
