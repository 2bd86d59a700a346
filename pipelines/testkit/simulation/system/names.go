package system

import (
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"privpipe/pipelines/testkit/durable"
)

// attributes are the facts about a file beside its content.
type attributes struct {
	mode    fs.FileMode
	changed time.Time
	pipe    *Pipe // of a FIFO
}

func attributesOf(f *durable.File) *attributes {
	a, ok := f.Owner.(*attributes)
	if !ok {
		a = &attributes{mode: 0o600}
		f.Owner = a
	}
	return a
}

// Put puts a durable file on the disk, or with nil a folder.
func (m *Machine) Put(path string, content []byte) { m.Files.Add(path, content == nil, content) }

// PutFIFO puts a named pipe on the disk.
func (m *Machine) PutFIFO(path string, p *Pipe) {
	m.Files.Add(path, false, nil)
	attributesOf(m.Files.At(path)).pipe = p
}

// checkFolder returns an error unless the folder of a path is there.
func (m *Machine) checkFolder(path string) error {
	switch parent, f := filepath.Dir(path), m.Files.At(filepath.Dir(path)); {
	case parent == "/":
		return nil
	case f == nil:
		return syscall.ENOENT
	case !f.Folder:
		return syscall.ENOTDIR
	}
	return nil
}

// root is the folder of all others.
var root = &durable.File{Folder: true}

func (m *Machine) at(path string) *durable.File {
	if path == "/" {
		return root
	}
	return m.Files.At(path)
}

// Open opens a file, or an end of a FIFO without a wait.
func Open(path string, flags int, mode fs.FileMode) (h *Handle, err error) {
	faults := reading
	if flags&syscall.O_CREAT != 0 {
		faults = writing
	}
	err = named("open", path, func(c *call, at string) error {
		f, access := c.at(at), flags&syscall.O_ACCMODE
		switch {
		case at == null:
		case f == nil && flags&syscall.O_CREAT == 0:
			return cmpErr(c.checkFolder(at), syscall.ENOENT)
		case f == nil:
			if err := c.checkFolder(at); err != nil {
				return err
			}
			f = c.Files.Create(at, false)
			f.Owner = &attributes{mode: mode.Perm(), changed: time.Now()}
		case flags&syscall.O_EXCL != 0:
			return syscall.EEXIST
		case f.Folder && access != syscall.O_RDONLY:
			return syscall.EISDIR
		case flags&syscall.O_TRUNC != 0:
			f.Content = nil
			f.Touch()
		}
		h = c.handle(path, at, f, flags)
		if f != nil && h.pipe != nil && access == syscall.O_WRONLY && h.pipe.readers == 0 {
			return syscall.ENXIO
		}
		c.hold(h)
		return nil
	}, faults...)
	return h, err
}

func cmpErr(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Stat describes a file.
func Stat(path string) (info fs.FileInfo, err error) {
	err = named("stat", path, func(c *call, at string) error {
		f := c.at(at)
		if f == nil {
			return cmpErr(c.checkFolder(at), syscall.ENOENT)
		}
		info = describe(filepath.Base(at), f)
		return nil
	})
	return info, err
}

// Rename renames a file.
func Rename(from, to string) error {
	return named("rename", from, func(c *call, at string) error {
		f, other := c.at(at), filepath.Join("/", to)
		if f == nil {
			return syscall.ENOENT
		}
		if f.Folder || filepath.Dir(at) != filepath.Dir(other) {
			return syscall.EXDEV // the model of durable names knows no other
		}
		c.Files.Rename(at, other)
		return nil
	}, writing...)
}

// Remove removes a file or an empty folder.
func Remove(path string) error {
	return named("remove", path, func(c *call, at string) error {
		if c.at(at) == nil {
			return syscall.ENOENT
		}
		if len(c.below(at)) > 0 {
			return syscall.ENOTEMPTY
		}
		c.Files.Remove(at)
		return nil
	}, reading...)
}

// Mkdir makes a folder.
func Mkdir(path string) error {
	return named("mkdir", path, func(c *call, at string) error {
		if c.at(at) != nil {
			return syscall.EEXIST
		}
		if err := c.checkFolder(at); err != nil {
			return err
		}
		f := c.Files.Create(at, true)
		f.Owner = &attributes{mode: fs.ModeDir | 0o700, changed: time.Now()}
		return nil
	}, writing...)
}

// ReadDir lists a folder, sorted.
func ReadDir(path string) (entries []fs.DirEntry, err error) {
	err = named("readdir", path, func(c *call, at string) error {
		if f := c.at(at); f == nil {
			return syscall.ENOENT
		} else if !f.Folder {
			return syscall.ENOTDIR
		}
		below := c.below(at)
		for _, name := range slices.Sorted(maps.Keys(below)) {
			entries = append(entries, fs.FileInfoToDirEntry(describe(name, below[name])))
		}
		return nil
	}, reading...)
	return entries, err
}

// below returns the files in a folder, by their names there.
func (m *Machine) below(folder string) map[string]*durable.File {
	found := make(map[string]*durable.File)
	for _, path := range m.Files.Paths() {
		if filepath.Dir(path) == folder {
			found[filepath.Base(path)] = m.Files.At(path)
		}
	}
	return found
}

// Chtimes sets a file's time.
func Chtimes(path string, at time.Time) error {
	return named("chtimes", path, func(c *call, path string) error {
		f := c.at(path)
		if f == nil {
			return syscall.ENOENT
		}
		attributesOf(f).changed = at
		return nil
	})
}

// Readlink fails: there are no links.
func Readlink(path string) error {
	return named("readlink", path, func(c *call, at string) error {
		return cmpErr(map[bool]error{true: syscall.ENOENT}[c.at(at) == nil], syscall.EINVAL)
	})
}

// An info describes a file.
type info struct {
	name string
	file any // for SameFile
	size int64
	attributes
}

func describe(name string, f *durable.File) *info {
	if f == nil { // the null device
		return &info{name, nil, 0, attributes{mode: fs.ModeDevice | fs.ModeCharDevice | 0o666}}
	}
	i := &info{name, f, int64(len(f.Content)), *attributesOf(f)}
	switch {
	case f.Folder:
		i.mode |= fs.ModeDir
	case i.pipe != nil:
		i.mode, i.file = fs.ModeNamedPipe|0o600, i.pipe
	}
	return i
}

func (i *info) Name() string       { return i.name }
func (i *info) Size() int64        { return i.size }
func (i *info) Mode() fs.FileMode  { return i.mode }
func (i *info) ModTime() time.Time { return i.changed }
func (i *info) IsDir() bool        { return i.mode.IsDir() }
func (i *info) Sys() any           { return nil }

// SameFile says whether both describe the same file.
func SameFile(a, b fs.FileInfo) bool {
	one, ok := a.(*info)
	other, too := b.(*info)
	return ok && too && one.file != nil && one.file == other.file
}
