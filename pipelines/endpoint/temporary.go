package endpoint

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// A temporary file is hidden beside its target: .NAME.XXXXXXXX.tmp. Its writer holds a lock on it, so a file left by a
// killed writer differs from a file that is being written. The next run with the same output removes the left file.

// random is the number of random letters in a temporary file's name. They tell the temporary files for one target
// apart.
const random = 8

// longestBase bounds the part of the target's name that a temporary name repeats: a name has at most 255 bytes.
const longestBase = 255 - len("..") - random - len(".tmp")

// around returns the parts of a temporary file's name before and after the random letters.
func around(path string) (before, after string) {
	base := filepath.Base(path)
	return filepath.Join(filepath.Dir(path), "."+base[:min(len(base), longestBase)]+"."), ".tmp"
}

// createTemporary creates and locks a temporary file. It first removes the temporary files that killed runs left.
func (r *run) createTemporary(path string, mode os.FileMode) (*os.File, error) {
	before, after := around(path)
	if _, again := r.swept.LoadOrStore(path, true); !again { // once, since a folder may have many files
		Sweep(path)
	}
	for {
		name := before + rand.Text()[:random] + after
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if err != nil {
			return nil, err
		}
		r.remember(name)
		// On a file system without locks this fails, but Sweep gets no lock there, either.
		syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if there(f) {
			return f, nil
		}
		r.forget(name) // a Sweep in another run came between
		f.Close()
	}
}

// there says whether a file still has its name.
func there(f *os.File) bool {
	open, err := f.Stat()
	named, missing := os.Lstat(f.Name())
	return err == nil && missing == nil && os.SameFile(open, named)
}

// Sweep removes a target's temporary files if their writers are gone.
func Sweep(path string) {
	before, after := around(path)
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return // the caller's own open reports the error
	}
	for _, e := range entries {
		name := filepath.Join(filepath.Dir(path), e.Name())
		if !e.Type().IsRegular() || !isTemporary(name, before, after) {
			continue
		}
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			continue // belongs to another user
		}
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil && there(f) {
			os.Remove(name)
		}
		f.Close()
	}
}

// isTemporary says whether a name belongs to a temporary file. It does not use a glob pattern, since a name may
// have brackets.
func isTemporary(name, before, after string) bool {
	middle, ok := strings.CutPrefix(name, before)
	if !ok {
		return false
	}
	middle, ok = strings.CutSuffix(middle, after)
	return ok && len(middle) == random && strings.Trim(middle, letters) == ""
}

// letters is the alphabet of rand.Text, base32 (RFC 4648).
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

func (r *run) remember(name string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.temporaries == nil {
		r.temporaries = make(map[string]bool)
	}
	r.temporaries[name] = true
}

func (r *run) forget(name string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	delete(r.temporaries, name)
}

// RemoveTemporaries removes the temporary files of the run's unfinished outputs. Package filter calls it when a signal
// ends the run.
func RemoveTemporaries(ctx context.Context) {
	r := scopeOf(ctx).run
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for name := range r.temporaries {
		os.Remove(name)
	}
}
