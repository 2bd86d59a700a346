// Package durable models how changes to files survive a power cut. It relies only on the promises of POSIX for a file
// system. A file's content is durable after the file's fsync, and a name is durable after the folder's fsync.
//
// Pillai et al. 2014, "All file systems are not created equal" (OSDI), describe such models and the mistakes of
// programs.
package durable

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
)

// A Model has the files below a folder: the files that processes see, and the files that a power cut leaves.
type Model struct {
	root  string
	names map[string]*File // the files that processes see, by path; without root itself
	// durable has the synced names. pending has the later changes to the names in each folder, in order.
	durable map[string]*File
	pending map[string][]change
}

// A File is a file or a folder, under any number of names.
type File struct {
	Folder  bool
	Content []byte // the content that processes see, if the owner of the model keeps it here
	Owner   any    // for more that the owner keeps
	synced  []byte // the content at the last sync
	dirty   bool   // the content may have changed since the last sync
}

// A change is one atomic step in a folder. It maps names to their new files; nil removes the name.
type change map[string]*File

// New returns a model of an empty folder.
func New(root string) *Model {
	return &Model{root: root, names: make(map[string]*File), durable: make(map[string]*File),
		pending: make(map[string][]change)}
}

// Add adds a durable file with the given content, or a durable folder.
func (m *Model) Add(path string, folder bool, content []byte) {
	f := &File{Folder: folder, Content: content, synced: content}
	m.names[path], m.durable[path] = f, f
}

// At returns the file that processes see at a path, or nil.
func (m *Model) At(path string) *File { return m.names[path] }

// Paths returns the paths that processes see, sorted.
func (m *Model) Paths() []string { return slices.Sorted(maps.Keys(m.names)) }

// Create makes a new file or folder.
func (m *Model) Create(path string, folder bool) *File {
	f := &File{Folder: folder}
	m.change(path, change{path: f})
	return f
}

// Remove removes a name.
func (m *Model) Remove(path string) { m.change(path, change{path: nil}) }

// Rename renames a file within its folder.
func (m *Model) Rename(from, to string) { m.change(from, change{from: nil, to: m.names[from]}) }

func (m *Model) change(path string, c change) {
	for name, f := range c {
		set(m.names, name, f)
	}
	folder := filepath.Dir(path)
	m.pending[folder] = append(m.pending[folder], c)
}

func set(names map[string]*File, path string, f *File) {
	if f == nil {
		delete(names, path)
	} else {
		names[path] = f
	}
}

// Touch notes that the file's content changed.
func (f *File) Touch() { f.dirty = true }

// Sync makes the file's content durable.
func (f *File) Sync(content []byte) { f.synced, f.dirty = content, false }

// SyncFolder makes the names in a folder durable.
func (m *Model) SyncFolder(path string) { m.settle(path, len(m.pending[path])) }

// settle makes the first n pending changes in a folder durable, and drops the others.
func (m *Model) settle(folder string, n int) {
	for _, c := range m.pending[folder][:n] {
		for path, f := range c {
			set(m.durable, path, f)
		}
	}
	delete(m.pending, folder)
}

// Durable returns the content that a power cut cannot take from a path.
func (m *Model) Durable(path string) []byte {
	if f := m.durable[path]; f != nil && m.names[path] == f {
		return f.synced
	}
	return nil
}

// Volatile returns the parts that a power cut may undo: files that are not synced, and folders with names that are not
// synced. Only path counts, with everything below it and the folders on the way to it.
func (m *Model) Volatile(path string) []string {
	var found []string
	for name, f := range m.names {
		if f.dirty && Below(name, path) {
			found = append(found, name)
		}
	}
	for folder, changes := range m.pending {
		for _, c := range changes {
			for name := range c {
				if Below(name, path) || Below(path, name) {
					found = append(found, folder+"/")
				}
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// Below says whether a path is a folder or leads to something in it.
func Below(path, folder string) bool {
	rest, found := strings.CutPrefix(path, folder)
	return found && (rest == "" || rest[0] == '/')
}

// Cut returns a model of a random state that a power cut now might leave. Each folder keeps some number of its first
// pending changes. A file that is not synced has its old content, its new content, or as much of the new content as was
// written back. content returns the content that processes see.
func (m *Model) Cut(random *rand.Rand, content func(path string, f *File) ([]byte, error)) (*Model, error) {
	contents := make(map[*File][]byte)
	for _, path := range m.Paths() {
		f := m.names[path]
		if f.Folder || !f.dirty {
			continue
		}
		now, err := content(path, f)
		if err != nil {
			return nil, err
		}
		contents[f] = torn(f.synced, now, random)
	}
	for _, folder := range slices.Sorted(maps.Keys(m.pending)) {
		m.settle(folder, random.IntN(len(m.pending[folder])+1))
	}
	after := New(m.root)
	for _, path := range slices.Sorted(maps.Keys(m.durable)) { // a folder comes before its files
		if folder := filepath.Dir(path); folder != m.root && after.names[folder] == nil {
			continue
		}
		f := m.durable[path]
		left, dirty := contents[f]
		if !dirty {
			left = f.synced
		}
		after.Add(path, f.Folder, left)
		after.names[path].Owner = f.Owner
	}
	return after, nil
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
