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

// A Disk keeps account of a folder's files while programs change them: what processes see, and what a power cut leaves
// of it. It takes of a file system what POSIX promises and no more: a file's content is durable after its fsync, a name
// after the fsync of its folder. It sees one process at a time, and no other may change the folder.
//
// Pillai et al. 2014, "All file systems are not created equal" (OSDI), describe such models and what programs get wrong.
type Disk struct {
	root  string
	names map[string]*file // as processes see them, by their paths below root; root itself is not among them
	// durable are the names that are synced, and pending what happened to the names of each folder since, in order.
	durable map[string]*file
	pending map[string][]change
}

// A file is a file or a folder, whatever its names.
type file struct {
	folder bool
	synced []byte // content of a file at its last sync
	dirty  bool   // it may have another content since
}

// A change is one step of a folder: names that get a file, or nil for none, at once.
type change map[string]*file

// NewDisk returns the account of a folder whose content is durable.
func NewDisk(root string) (*Disk, error) {
	d := &Disk{root: root, names: make(map[string]*file), durable: make(map[string]*file), pending: make(map[string][]change)}
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

// Apply takes a stop into account. It fails on calls below the folder that the model does not know.
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

// settle makes the first n pending changes of a folder durable, and forgets the others.
func (d *Disk) settle(folder string, n int) {
	for _, c := range d.pending[folder][:n] {
		for path, f := range c {
			set(d.durable, path, f)
		}
	}
	delete(d.pending, folder)
}

// Volatile returns what of the folder a power cut may undo: files that are not synced, and folders whose names are not. Only
// what is at path, or below it, or a folder on the way to it counts.
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

// PowerCut makes of the folder what a power cut now might leave, by chance: of each folder the first few of its pending
// changes, of a file that is not synced its old content, its new one, or as much of the new one as was written back.
// All of it is durable then.
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
	for _, path := range slices.Sorted(maps.Keys(d.durable)) { // a folder comes before what is in it
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

// torn is the content of a file that was before, or now, or on its way: bytes at its end come in order.
func torn(before, now []byte, random *rand.Rand) []byte {
	switch {
	case random.IntN(3) == 0:
		return before
	case bytes.HasPrefix(now, before):
		return now[:len(before)+random.IntN(len(now)-len(before)+1)]
	}
	return now
}
