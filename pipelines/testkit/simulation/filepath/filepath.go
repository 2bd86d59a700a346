// Package filepath has the names of the standard library's package path/filepath that the stages use. What looks at
// files looks at a simulated machine.
package filepath

import (
	"io/fs"
	"path/filepath"
	"slices"

	"privpipe/pipelines/testkit/simulation/system"
)

const Separator = filepath.Separator

var (
	Base       = filepath.Base
	Clean      = filepath.Clean
	Dir        = filepath.Dir
	Ext        = filepath.Ext
	FromSlash  = filepath.FromSlash
	IsAbs      = filepath.IsAbs
	IsLocal    = filepath.IsLocal
	Join       = filepath.Join
	Match      = filepath.Match
	Rel        = filepath.Rel
	Split      = filepath.Split
	ToSlash    = filepath.ToSlash
	VolumeName = filepath.VolumeName
	SkipDir    = filepath.SkipDir
	SkipAll    = filepath.SkipAll
)

// Abs returns an absolute path: processes run in the folder /.
func Abs(path string) (string, error) { return filepath.Join("/", path), nil }

// EvalSymlinks returns the path of a file. There are no links.
func EvalSymlinks(path string) (string, error) {
	if _, err := system.Stat(path); err != nil {
		return "", err
	}
	return filepath.Clean(path), nil
}

// Glob returns the files in one folder that match.
func Glob(pattern string) (found []string, err error) {
	entries, err := system.ReadDir(filepath.Dir(pattern))
	if err != nil {
		return nil, nil
	}
	for _, e := range entries {
		if ok, err := filepath.Match(filepath.Base(pattern), e.Name()); err != nil {
			return nil, err
		} else if ok {
			found = append(found, filepath.Join(filepath.Dir(pattern), e.Name()))
		}
	}
	slices.Sort(found)
	return found, nil
}

// WalkDir calls f for a folder and all below it.
func WalkDir(root string, f fs.WalkDirFunc) error {
	info, err := system.Stat(root)
	if err != nil {
		return f(root, nil, err)
	}
	return walk(root, fs.FileInfoToDirEntry(info), f)
}

func walk(path string, entry fs.DirEntry, f fs.WalkDirFunc) error {
	if err := f(path, entry, nil); err != nil || !entry.IsDir() {
		if err == fs.SkipDir {
			return nil
		}
		return err
	}
	entries, err := system.ReadDir(path)
	if err != nil {
		return f(path, entry, err)
	}
	for _, e := range entries {
		if err := walk(filepath.Join(path, e.Name()), e, f); err != nil {
			return err
		}
	}
	return nil
}
