package endpoint

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// A file under way is hidden beside its target: .NAME.XXXXXXXX.tmp. Its writer holds its lock, so a file of a writer
// that was killed is told from one that is being written, and the next run of the same output removes it.

// random is how many letters tell the files under way of one target apart.
const random = 8

// longestBase is the most of a name that the names of temporary files repeat: a name has at most 255 bytes.
const longestBase = 255 - len("..") - random - len(".tmp")

// around returns what stands before and after the random letters in the names of the files under way of a target.
func around(path string) (before, after string) {
	base := filepath.Base(path)
	return filepath.Join(filepath.Dir(path), "."+base[:min(len(base), longestBase)]+"."), ".tmp"
}

// createTemporary creates and locks a file under way, after it has removed those that killed runs left.
func createTemporary(path string, mode os.FileMode) (*os.File, error) {
	before, after := around(path)
	if _, again := swept.LoadOrStore(path, true); !again {
		Sweep(path)
	}
	for {
		name := before + rand.Text()[:random] + after
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if err != nil {
			return nil, err
		}
		remember(name)
		// A file system without locks never gives one to Sweep, either.
		syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if there(f) {
			return f, nil
		}
		forget(name) // a Sweep of another run came between
		f.Close()
	}
}

// swept has the targets of this process. It removes what earlier runs left once, since a folder may have many files.
var swept sync.Map

// there says whether a file still has its name.
func there(f *os.File) bool {
	open, err := f.Stat()
	named, missing := os.Lstat(f.Name())
	return err == nil && missing == nil && os.SameFile(open, named)
}

// Sweep removes the files under way of a target whose writers are gone.
func Sweep(path string) {
	before, after := around(path)
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return // the caller's own open says it
	}
	for _, e := range entries {
		name := filepath.Join(filepath.Dir(path), e.Name())
		if !e.Type().IsRegular() || !isTemporary(name, before, after) {
			continue
		}
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			continue // of another user
		}
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil && there(f) {
			os.Remove(name)
		}
		f.Close()
	}
}

// isTemporary says whether a name is that of a file under way. A pattern would take the brackets of a name for its own.
func isTemporary(name, before, after string) bool {
	middle, ok := strings.CutPrefix(name, before)
	if !ok {
		return false
	}
	middle, ok = strings.CutSuffix(middle, after)
	return ok && len(middle) == random && strings.Trim(middle, letters) == ""
}

// letters are those of rand.Text, which are of base32 (RFC 4648).
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

// temporaries are the files to remove when a signal ends the process.
var temporaries struct {
	sync.Mutex
	names map[string]bool
}

func remember(name string) {
	temporaries.Lock()
	defer temporaries.Unlock()
	if temporaries.names == nil {
		temporaries.names = make(map[string]bool)
	}
	temporaries.names[name] = true
}

func forget(name string) {
	temporaries.Lock()
	defer temporaries.Unlock()
	delete(temporaries.names, name)
}

// RemoveTemporaries removes the temporary files of unfinished outputs. Package filter calls it when a signal ends the
// process.
func RemoveTemporaries() {
	temporaries.Lock()
	defer temporaries.Unlock()
	for name := range temporaries.names {
		os.Remove(name)
	}
}
