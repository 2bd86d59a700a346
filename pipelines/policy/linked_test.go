package policy

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
)

// TestLinked holds the table in CHECKING.md, of what each build of privatize links, against the builds. The standard
// library's packages and the size are compared only with the version of Go and on the system that the page names.
func TestLinked(t *testing.T) {
	testkit.Deep(t, "distribution")
	page, err := os.ReadFile("../../privatize/CHECKING.md")
	if err != nil {
		t.Fatal(err)
	}
	asStated := strings.HasPrefix(runtime.Version(), "go1.26") && runtime.GOOS+"/"+runtime.GOARCH == "linux/amd64"
	for build, tags := range map[string]string{"for pipes, `-tags pipes`": "pipes", "for pipes and Kafka": ""} {
		_, row, _ := strings.Cut(string(page), "\n| "+build+" |")
		row, _, _ = strings.Cut(row, "\n")
		cells := strings.Split(strings.ReplaceAll(row, " ", ""), "|")
		if len(cells) != 5 {
			t.Errorf("CHECKING.md has no row of numbers for %s", build)
			continue
		}
		ours, others, standard := linked(t, tags)
		if want := fmt.Sprint(ours, others); cells[0]+" "+cells[1] != want {
			t.Errorf("%s links %s packages, ours and others': CHECKING.md says %s", build, want, cells[:2])
		}
		if !asStated {
			continue
		}
		if cells[2] != fmt.Sprint(standard) {
			t.Errorf("%s links %d packages of the standard library: CHECKING.md says %s", build, standard, cells[2])
		}
		file := filepath.Join(t.TempDir(), "privatize")
		goTool(t, "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-tags", tags, "-o", file, "./privatize")
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		size := float64(info.Size()) / 1e6
		if stated, err := strconv.ParseFloat(cells[3], 64); err != nil || size < stated-0.3 || size > stated+0.3 {
			t.Errorf("%s has %.1f MB: CHECKING.md says %s", build, size, cells[3])
		}
	}
}

// linked counts the packages that privatize links in a build.
func linked(t *testing.T, tags string) (ours, others, standard int) {
	t.Helper()
	list := goTool(t, "list", "-deps", "-tags", tags, "-f", "{{.Standard}} {{.ImportPath}}", "./privatize")
	for line := range strings.Lines(list) {
		of, path, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case of == "true":
			standard++
		case strings.HasPrefix(path, module+"/"):
			ours++
		default:
			others++
		}
	}
	return ours, others, standard
}

// goTool runs the go command as install.sh does, at the root of the module.
func goTool(t *testing.T, args ...string) string {
	t.Helper()
	command := exec.Command("go", args...)
	command.Dir, command.Env, command.Stderr = "../..", append(os.Environ(), "CGO_ENABLED=0"), os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("go %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}
