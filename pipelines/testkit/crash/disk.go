package crash

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Disk models a folder's files while programs change them: the files that processes see, and the files that a power
// cut leaves. It relies only on the promises of POSIX for a file system. A file's content is durable after the file's
// fsync, and a name is durable after the folder's fsync. A Disk follows one process at a time, and no other process may
// change the folder.
//
// Pillai et al. 2014, "All file systems are not created equal" (OSDI), describe such models and the mistakes of
// programs.
type Disk struct {
	root  string
	names map[string]*file // the files that processes see, by path; without root itself
	// durable has the synced names. pending has the later changes to the names in each folder, in order.
	durable map[string]*file
	pending map[string][]change
}

// A file is a file or a folder, under any number of names.
type file struct {
	folder bool
	synced []byte // the file's content at its last sync
	dirty  bool   // the content may have changed since the last sync
}

// A change is one atomic step in a folder. It maps names to their new files; nil removes the name.
type change map[string]*file

// NewDisk returns a model for the folder root. The folder's present content counts as durable.
func NewDisk(root string) (*Disk, error) {
	d := &Disk{root: root, names: make(map[string]*file), durable: make(map[string]*file),
		pending: make(map[string][]change)}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		f := &file{folder: entry.IsDir()}
		if !f.folder {
			if f.synced, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		d.names[path], d.durable[path] = f, f
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
	f := d.names[s.Path]
	switch s.Name {
	case "open", "openat", "creat":
		if f == nil && s.Flags&os.O_CREATE != 0 {
			d.change(change{s.Path: {}})
		} else if f != nil && s.Flags&os.O_TRUNC != 0 {
			f.dirty = true
		}
	case "write", "pwrite64", "writev", "pwritev", "pwritev2", "fallocate", "ftruncate", "truncate":
		if f == nil {
			return fmt.Errorf("crash: %s of a file without a name", s.Name)
		}
		f.dirty = true
	case "fsync", "fdatasync":
		return d.sync(s.Path)
	case "mkdir", "mkdirat":
		d.change(change{s.Path: {folder: true}})
	case "unlink", "unlinkat", "rmdir":
		d.change(change{s.Path: nil})
	case "rename", "renameat", "renameat2":
		if f == nil || f.folder || filepath.Dir(s.Path) != filepath.Dir(s.Target) {
			return fmt.Errorf("crash: %s of a folder, or to another one", s.Name)
		}
		d.change(change{s.Path: nil, s.Target: f})
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

func (d *Disk) change(c change) {
	var folder string
	for path, f := range c {
		folder = filepath.Dir(path)
		set(d.names, path, f)
	}
	d.pending[folder] = append(d.pending[folder], c)
}

func set(names map[string]*file, path string, f *file) {
	if f == nil {
		delete(names, path)
	} else {
		names[path] = f
	}
}

func (d *Disk) sync(path string) error {
	f := d.names[path]
	if path == d.root || f != nil && f.folder {
		d.settle(path, len(d.pending[path]))
		return nil
	}
	if f == nil {
		return fmt.Errorf("crash: fsync of a file without a name")
	}
	content, err := os.ReadFile(path)
	f.synced, f.dirty = content, false
	return err
}

// settle makes the first n pending changes in a folder durable, and drops the others.
func (d *Disk) settle(folder string, n int) {
	for _, c := range d.pending[folder][:n] {
		for path, f := range c {
			set(d.durable, path, f)
		}
	}
	delete(d.pending, folder)
}

// Volatile returns the parts that a power cut may undo: files that are not synced, and folders with names that are not
// synced. Only path counts, with everything below it and the folders on the way to it.
func (d *Disk) Volatile(path string) []string {
	var found []string
	for name, f := range d.names {
		if f.dirty && below(name, path) {
			found = append(found, name)
		}
	}
	for folder, changes := range d.pending {
		for _, c := range changes {
			for name := range c {
				if below(name, path) || below(path, name) {
					found = append(found, folder+"/")
				}
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// PowerCut changes the folder to a random state that a power cut now might leave. Each folder keeps some number of its
// first pending changes. A file that is not synced has its old content, its new content, or as much of the new content
// as was written back. The result counts as durable.
func (d *Disk) PowerCut(random *rand.Rand) error {
	contents := make(map[*file][]byte)
	for _, path := range slices.Sorted(maps.Keys(d.names)) {
		f := d.names[path]
		if f.folder || !f.dirty {
			continue
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		contents[f] = torn(f.synced, content, random)
	}
	for _, folder := range slices.Sorted(maps.Keys(d.pending)) {
		d.settle(folder, random.IntN(len(d.pending[folder])+1))
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
	there := map[string]bool{d.root: true}
	for _, path := range slices.Sorted(maps.Keys(d.durable)) { // a folder comes before its files
		f := d.durable[path]
		if there[path] = there[filepath.Dir(path)]; !there[path] {
			continue
		}
		content, dirty := contents[f]
		if !dirty {
			content = f.synced
		}
		if f.folder {
			err = os.Mkdir(path, 0o755)
		} else {
			err = os.WriteFile(path, content, 0o600)
		}
		if err != nil {
			return err
		}
	}
	after, err := NewDisk(d.root)
	if err == nil {
		*d = *after
	}
	return err
}

// torn returns the old content, the new content or a part of an append. An append reaches the disk in order.
func torn(before, now []byte, random *rand.Rand) []byte {
	switch {
	case random.IntN(3) == 0:
		return before
	case bytes.HasPrefix(now, before):
		return now[:len(before)+random.IntN(len(now)-len(before)+1)]
	}
	return now
}
