//go:build linux && amd64

package crash

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// child names what a test binary does in place of testing: it is the program that is traced.
const child = "CRASH_TEST_CHILD"

func TestMain(m *testing.M) {
	if name := os.Getenv(child); name != "" {
		if err := children[name](); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var children = map[string]func() error{
	"lines":   lines,
	"threads": threads,
	"sleep":   func() error { time.Sleep(time.Hour); return nil },
	"exit":    func() error { os.Exit(7); return nil },
	"signal": func() error {
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGUSR1)
		syscall.Kill(os.Getpid(), syscall.SIGUSR1)
		<-c
		if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
			return err
		}
		time.Sleep(time.Minute) // another thread may take the signal, a little later
		return nil
	},
}

const lineCount = 4

// lines writes lines to a file, a write each, and moves it.
func lines() error {
	if err := os.Mkdir("folder", 0o700); err != nil {
		return err
	}
	f, err := os.Create("folder/old")
	if err != nil {
		return err
	}
	for range lineCount {
		if _, err := f.WriteString("line\n"); err != nil {
			return err
		}
	}
	return errors.Join(f.Sync(), os.Rename("folder/old", "folder/new"), f.Close(), os.Remove("folder/new"))
}

// threads writes from many threads at once, to a file each.
func threads() error {
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			runtime.LockOSThread()
			os.WriteFile(fmt.Sprint(i), []byte("x"), 0o600)
		})
	}
	group.Wait()
	return nil
}

// trace runs a child in a folder.
func trace(t *testing.T, name, folder string, visit func(*Stop) (bool, error)) End {
	t.Helper()
	end, err := Run(program(name, folder), visit)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return end
}

func program(name, folder string) Program {
	return Program{Path: os.Args[0], Dir: folder, Env: append(os.Environ(), child+"="+name), Deadline: time.Minute}
}

func goOn(*Stop) (bool, error) { return false, nil }

// TestCalls checks which calls are seen, with which paths.
func TestCalls(t *testing.T) {
	folder := t.TempDir()
	var seen []string
	end := trace(t, "lines", folder, func(s *Stop) (bool, error) {
		if s.After && s.Below(folder) {
			seen = append(seen,
				strings.ReplaceAll(fmt.Sprint(s.Name, " ", s.Path, " ", s.Target, " ", s.Result), folder, ""))
		}
		return false, nil
	})
	if end.Killed || end.Status.ExitStatus() != 0 {
		t.Fatalf("exit code %d", end.Status.ExitStatus())
	}
	want := []string{"mkdirat /folder  0", "openat /folder/old  FD"}
	for range lineCount {
		want = append(want, "write /folder/old  5")
	}
	want = append(want, "fsync /folder/old  0", "renameat /folder/old /folder/new 0", "close /folder/new  0",
		"unlinkat /folder/new  0")
	for i, call := range seen {
		if strings.HasPrefix(call, "openat") {
			seen[i] = call[:strings.LastIndex(call, " ")] + " FD"
		}
	}
	if !slices.Equal(seen, want) {
		t.Errorf("got  %q\nwant %q", seen, want)
	}
}

// TestKillAtWrites kills before, within and after each write: exactly what was allowed is in the file.
func TestKillAtWrites(t *testing.T) {
	for n := range lineCount {
		for _, when := range []string{"before", "within", "after"} {
			folder, writes := t.TempDir(), 0
			end := trace(t, "lines", folder, func(s *Stop) (bool, error) {
				if s.Name != "write" || !s.Below(folder) {
					return false, nil
				}
				if !s.After {
					writes++
				}
				if writes != n+1 {
					return false, nil
				}
				if when == "within" && !s.After {
					return false, s.Shorten(2)
				}
				return s.After == (when != "before"), nil
			})
			want := strings.Repeat("line\n", n) +
				map[string]string{"before": "", "within": "li", "after": "line\n"}[when]
			got, err := os.ReadFile(filepath.Join(folder, "folder/old"))
			if err != nil || string(got) != want {
				t.Errorf("%s write %d: got %q, %v, want %q", when, n+1, got, err, want)
			}
			if !end.Killed || end.Status.Signal() != syscall.SIGKILL {
				t.Errorf("%s write %d: it was not killed", when, n+1)
			}
		}
	}
}

// TestThreads follows the calls of threads that run at once.
func TestThreads(t *testing.T) {
	folder := t.TempDir()
	seen := make(map[string]int)
	trace(t, "threads", folder, func(s *Stop) (bool, error) {
		if s.Writes() && s.After && s.Result == 1 && s.Below(folder) {
			seen[s.Path]++
		}
		return false, nil
	})
	if len(seen) != 20 {
		t.Errorf("saw writes to %d files, want 20", len(seen))
	}
}

func TestEnds(t *testing.T) {
	if end := trace(t, "exit", t.TempDir(), goOn); end.Killed || end.Status.ExitStatus() != 7 {
		t.Errorf("exit code %d, want 7", end.Status.ExitStatus())
	}
	if end := trace(t, "signal", t.TempDir(), goOn); end.Status.Signal() != syscall.SIGTERM {
		t.Errorf("signal %v, want SIGTERM: signals must reach the program", end.Status.Signal())
	}
	mistake := errors.New("mistake")
	if _, err := Run(program("sleep", t.TempDir()),
		func(*Stop) (bool, error) { return false, mistake }); err != mistake {
		t.Errorf("got %v, want the visit's error", err)
	}
	p := program("sleep", t.TempDir())
	p.Deadline = 300 * time.Millisecond
	if _, err := Run(p, goOn); !errors.Is(err, errDeadline) {
		t.Errorf("got %v, want a deadline that passed", err)
	}
	p.Path = "/nonexistent"
	if _, err := Run(p, goOn); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want no such file", err)
	}
}
