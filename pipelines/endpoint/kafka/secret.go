package kafka

import (
	"io"
	"io/fs"
	"os"
	"syscall"

	"privpipe/pipelines/exit"
)

// readSecret reads a file, and says in the error of secret whether others than its owner may read it, or change it.
func readSecret(name string) (content []byte, secret error, err error) {
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
		secret = exit.Errorf(exit.Usage, "%s: holds a secret, and others may read or change it (mode %04o)", name, info.Mode().Perm()).
			WithHint("chmod 600 %s", name)
	}
	content, err = io.ReadAll(f)
	return content, secret, err
}

// exposed says whether a file of a mode and an owner is open to others than the user. Of root a file may be that a group
// reads: so an administrator, or Kubernetes, hands a user a secret.
func exposed(mode fs.FileMode, owner, user int) bool {
	open := fs.FileMode(0o077)
	if owner == 0 && user != 0 {
		open = 0o037
	}
	return mode.Perm()&open != 0
}
