package stages

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// kept is how long programs are kept after their last use.
const kept = 3 * 24 * time.Hour

// Build returns a folder with the programs of packages, built with flags of `go build`, -overlay=FILE among them. All
// test programs share this folder. Its name is a hash of the sources, so the first test program builds, and the others
// find the result. It is below the user's cache, or below PRIVPIPE_TEST_CACHE.
func Build(packages string, flags ...string) (folder string, err error) {
	name, err := hashOf(packages, flags)
	if err != nil {
		return "", err
	}
	all, err := cache()
	if err != nil {
		return "", err
	}
	lock, err := os.OpenFile(filepath.Join(all, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	defer lock.Close() // which unlocks it
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	folder = filepath.Join(all, name)
	now := time.Now()
	if err := os.Chtimes(folder, now, now); err == nil || !errors.Is(err, os.ErrNotExist) {
		return folder, err
	}
	if err := prune(all, now.Add(-kept)); err != nil {
		return "", err
	}
	begun, err := os.MkdirTemp(all, "begun-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(begun)
	if _, err := tool(slices.Concat([]string{"build"}, flags, []string{"-o", begun + "/", packages})...); err != nil {
		return "", err
	}
	return folder, os.Rename(begun, folder) // atomic: a folder is complete, or does not exist
}

// cache returns the folder for all builds.
func cache() (string, error) {
	folder := os.Getenv("PRIVPIPE_TEST_CACHE")
	if folder == "" {
		below, err := os.UserCacheDir()
		if err != nil { // no home
			below = filepath.Join(os.TempDir(), fmt.Sprint("cache-of-", os.Getuid()))
		}
		folder = filepath.Join(below, "privpipe-tests")
	}
	return folder, os.MkdirAll(folder, 0o700)
}

// prune removes builds that were last used before since.
func prune(all string, since time.Time) error {
	entries, err := os.ReadDir(all)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.IsDir() && info.ModTime().Before(since) {
			if err := os.RemoveAll(filepath.Join(all, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// sources is a template for `go list` that prints each package's source files.
const sources = `{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}
{{end}}{{range .CgoFiles}}{{$d}}/{{.}}
{{end}}{{range .SFiles}}{{$d}}/{{.}}
{{end}}{{range .HFiles}}{{$d}}/{{.}}
{{end}}{{range .EmbedFiles}}{{$d}}/{{.}}
{{end}}`

// hashOf hashes everything that the programs depend on: the compiler, its settings, the flags, and all sources. go.sum
// stands for the modules of others.
func hashOf(packages string, flags []string) (string, error) {
	settings, err := tool("env", "GOVERSION", "GOFLAGS", "GOOS", "GOARCH", "GOAMD64", "CGO_ENABLED", "GOEXPERIMENT")
	if err != nil {
		return "", err
	}
	list, err := tool(slices.Concat([]string{"list"}, flags, []string{"-f", sources, "./..."})...)
	if err != nil {
		return "", err
	}
	files := append(strings.Split(strings.TrimSpace(list), "\n"), filepath.Join(Root, "go.mod"),
		filepath.Join(Root, "go.sum"))
	hash := sha256.New()
	fmt.Fprintf(hash, "%s%q\n", settings, packages)
	for _, flag := range flags {
		overlay, is := strings.CutPrefix(flag, "-overlay=")
		if !is {
			fmt.Fprintf(hash, "%q\n", flag)
			continue
		}
		replaced, by, err := replacementsOf(overlay)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(hash, "%q\n", replaced)
		files = append(files, by...)
	}
	for _, file := range slices.DeleteFunc(files, func(f string) bool { return f == "" }) {
		content, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		name, ours := strings.CutPrefix(file, Root)
		if !ours {
			name = "" // a replacement, wherever it stands
		}
		fmt.Fprintf(hash, "%s %x\n", name, sha256.Sum256(content))
	}
	return hex.EncodeToString(hash.Sum(nil)[:16]), nil
}

// replacementsOf returns the files that an overlay replaces, by their names below Root, and the files that replace
// them.
func replacementsOf(overlay string) (replaced, by []string, err error) {
	content, err := os.ReadFile(overlay)
	if err != nil {
		return nil, nil, err
	}
	var of struct{ Replace map[string]string }
	if err := json.Unmarshal(content, &of); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", overlay, err)
	}
	for _, name := range slices.Sorted(maps.Keys(of.Replace)) {
		replaced, by = append(replaced, strings.TrimPrefix(name, Root)), append(by, of.Replace[name])
	}
	return replaced, by, nil
}

// tool runs the go command in the project's folder and returns its output. It links no C library, as for programs that
// are shipped.
func tool(arguments ...string) (string, error) {
	command := exec.Command("go", arguments...)
	var complaints strings.Builder
	command.Dir, command.Env, command.Stderr = Root, append(os.Environ(), "CGO_ENABLED=0"), &complaints
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(arguments, " "), err, complaints.String())
	}
	return string(out), nil
}
