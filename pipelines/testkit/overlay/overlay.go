// Package overlay changes source files for one build, by the flag -overlay of the go command. The sources themselves
// stay. So tests build the programs with another source of noise, with planted faults, or on a simulated machine, and
// the shipped programs have no switch for it.
package overlay

import (
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// An Overlay has the changed and the added files of one build.
type Overlay struct {
	Root  string            // the folder of the module
	Files map[string]string // content by name, relative to the root
}

// New returns an overlay without files.
func New(root string) (*Overlay, error) {
	root, err := filepath.Abs(root)
	return &Overlay{root, make(map[string]string)}, err
}

// An Edit changes one place in a file.
type Edit struct{ File, From, To string }

// Read returns a file with the changes so far.
func (o *Overlay) Read(file string) (string, error) {
	if content, ok := o.Files[file]; ok {
		return content, nil
	}
	content, err := os.ReadFile(filepath.Join(o.Root, file))
	return string(content), err
}

// Edit makes changes. Each place must be in its file once.
func (o *Overlay) Edit(edits ...Edit) error {
	for _, e := range edits {
		content, err := o.Read(e.File)
		if err != nil {
			return err
		}
		if n := strings.Count(content, e.From); n != 1 {
			return fmt.Errorf("%s has %q %d times, the changed build wants it once", e.File, e.From, n)
		}
		o.Files[e.File] = strings.Replace(content, e.From, e.To, 1)
	}
	return nil
}

// Imports replaces imports in all source files of the given folders, and of the folders below them without the folders
// that except names. instead has the new packages by the old ones. A replaced package keeps its name in the source.
func (o *Overlay) Imports(instead map[string]string, folders, except []string) error {
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(o.Root, folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			name, err := filepath.Rel(o.Root, path)
			switch {
			case err != nil:
				return err
			case entry.IsDir() && (entry.Name() == "testdata" || slices.Contains(except, name)):
				return filepath.SkipDir
			case !entry.Type().IsRegular() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			return o.ImportsOf(instead, name)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ImportsOf replaces imports in one source file.
func (o *Overlay) ImportsOf(instead map[string]string, name string) error {
	content, err := o.Read(name)
	if err != nil {
		return err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, content, parser.ImportsOnly)
	if err != nil {
		return err
	}
	for _, i := range slices.Backward(file.Imports) {
		old, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return err
		}
		to, replaced := instead[old]
		if !replaced {
			continue
		}
		at := set.Position(i.Path.Pos()).Offset
		content = content[:at] + strconv.Quote(to) + content[at+len(i.Path.Value):]
		o.Files[name] = content
	}
	return nil
}

// Write writes the files into a folder, and returns the name of the file for -overlay.
func (o *Overlay) Write(folder string) (string, error) {
	replace := make(map[string]string)
	for name, content := range o.Files {
		to := filepath.Join(folder, strings.ReplaceAll(name, "/", "-"))
		replace[filepath.Join(o.Root, name)] = to
		if err := os.WriteFile(to, []byte(content), 0o600); err != nil {
			return "", err
		}
	}
	table, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name := filepath.Join(folder, "overlay.json")
	return name, os.WriteFile(name, table, 0o600)
}
