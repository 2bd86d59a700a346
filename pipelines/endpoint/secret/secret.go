// Package secret reads the files that hold passwords and keys, and the settings of TLS.
package secret

import (
	"io"
	"io/fs"
	"os"
	"syscall"

	"privpipe/pipelines/exit"
)

// Read reads a file. It also returns secret, an error if users other than the owner may read or change the file.
// The caller decides whether the file holds a secret.
func Read(name string) (content []byte, secret error, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	owner := os.Geteuid()
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		owner = int(stat.Uid)
	}
	if exposed(info.Mode(), owner, os.Geteuid()) {
		secret = exit.Errorf(exit.Usage, "%s: holds a secret, and others may read or change it (mode %04o)", name,
			info.Mode().Perm()).
			WithHint("chmod 600 %s", name)
	}
	content, err = io.ReadAll(f)
	return content, secret, err
}

// exposed says whether users other than user may read or change a file. A group may read a file that root owns: in this
// way an administrator, or Kubernetes, hands a secret to a user.
func exposed(mode fs.FileMode, owner, user int) bool {
	open := fs.FileMode(0o077)
	if owner == 0 && user != 0 {
		open = 0o037
	}
	return mode.Perm()&open != 0
}
