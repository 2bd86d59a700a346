package crash

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"privpipe/pipelines/testkit/durable"
)

// A Disk models a folder's files while programs change them: see package durable. A Disk follows one process at a time,
// and no other process may change the folder.
type Disk struct {
	root  string
	model *durable.Model
}

// NewDisk returns a model for the folder root. The folder's present content counts as durable.
func NewDisk(root string) (*Disk, error) {
	d := &Disk{root: root, model: durable.New(root)}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		var content []byte
		if !entry.IsDir() {
			if content, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		d.model.Add(path, entry.IsDir(), content)
		return nil
	})
	return d, err
}

// Apply updates the model by a stop. It fails on calls below the folder that the model does not know.
func (d *Disk) Apply(s *Stop) error {
	if s.Name == "io_uring_setup" {
		return fmt.Errorf("crash: no account can be kept of what io_uring does")
	}
	if !s.After || s.Result < 0 || !s.Below(d.root) || strings.HasSuffix(s.Path, " (deleted)") {
		return nil
	}
	f := d.model.At(s.Path)
	switch s.Name {
	case "open", "openat", "creat":
		if f == nil && s.Flags&os.O_CREATE != 0 {
			d.model.Create(s.Path, false)
		} else if f != nil && s.Flags&os.O_TRUNC != 0 {
			f.Touch()
		}
	case "write", "pwrite64", "writev", "pwritev", "pwritev2", "fallocate", "ftruncate", "truncate":
		if f == nil {
			return fmt.Errorf("crash: %s of a file without a name", s.Name)
		}
		f.Touch()
	case "fsync", "fdatasync":
		return d.sync(s.Path)
	case "mkdir", "mkdirat":
		d.model.Create(s.Path, true)
	case "unlink", "unlinkat", "rmdir":
		d.model.Remove(s.Path)
	case "rename", "renameat", "renameat2":
		if f == nil || f.Folder || filepath.Dir(s.Path) != filepath.Dir(s.Target) {
			return fmt.Errorf("crash: %s of a folder, or to another one", s.Name)
		}
		d.model.Rename(s.Path, s.Target)
	case "read", "pread64", "close", "flock", "mmap":
		if s.Name == "mmap" && s.Flags&mapShared != 0 {
			return fmt.Errorf("crash: no account can be kept of a file that is mapped")
		}
	default:
		return fmt.Errorf("crash: the account of the disk does not know %q", s.Name)
	}
	return nil
}

const mapShared = 1 // MAP_SHARED of mmap(2)

func (d *Disk) sync(path string) error {
	f := d.model.At(path)
	if path == d.root || f != nil && f.Folder {
		d.model.SyncFolder(path)
		return nil
	}
	if f == nil {
		return fmt.Errorf("crash: fsync of a file without a name")
	}
	content, err := os.ReadFile(path)
	f.Sync(content)
	return err
}

// Volatile returns the parts that a power cut may undo: see durable.Model.
func (d *Disk) Volatile(path string) []string { return d.model.Volatile(path) }

// PowerCut changes the folder to a random state that a power cut now might leave: see durable.Model.Cut. The result
// counts as durable.
func (d *Disk) PowerCut(random *rand.Rand) error {
	after, err := d.model.Cut(random, func(path string, _ *durable.File) ([]byte, error) { return os.ReadFile(path) })
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(d.root)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := os.RemoveAll(filepath.Join(d.root, entry.Name())); err != nil {
			return err
		}
	}
	for _, path := range after.Paths() {
		if f := after.At(path); f.Folder {
			err = os.Mkdir(path, 0o755)
		} else {
			err = os.WriteFile(path, f.Content, 0o600)
		}
		if err != nil {
			return err
		}
	}
	d.model = after
	return nil
}
