package filter

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"privpipe/pipelines/endpoint/topic"
	"privpipe/pipelines/exit"
)

// networkedName is the program that has stages with all that reaches a network, see pipelines/networked. It lies in the
// folder of the stages. They start in a third of its time.
const networkedName = "networked"

// networked returns the path of program networked, or "" if this program needs none or has none beside it.
func (s Stage) networked() string {
	if !s.Networked || topic.Any() {
		return ""
	}
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	path := filepath.Join(filepath.Dir(self), networkedName)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return path
}

// handOver replaces this program by program networked if the command line may name something in a network. It does so
// before the command line is parsed, since a file of --config may be a pipe. If it names nothing there after all, the
// other program does the same work.
func (s Stage) handOver(args, environ []string) error {
	if !s.mayReach(args, environ) {
		return nil
	}
	path := s.networked()
	if path == "" {
		return nil
	}
	err := syscall.Exec(path, append([]string{networkedName, s.Name}, args...), environ)
	return exit.Errorf(exit.Missing, "%s: %w", path, err)
}

// mayReach says whether arguments or environment may name a topic, a server or a port. The name of a topic or of a
// server has ://. A configuration file may have such a name, and --metrics names a port or a file.
func (s Stage) mayReach(args, environ []string) bool {
	for i, argument := range args {
		name, value, given := strings.Cut(argument, "=")
		if !given && i+1 < len(args) {
			value = args[i+1]
		}
		if strings.Contains(argument, "://") || names(strings.TrimPrefix(name, "--"), value) {
			return true
		}
	}
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		if flag, ours := strings.CutPrefix(name, environment(s.Name)+"_"); ours &&
			(strings.Contains(value, "://") || names(strings.ToLower(flag), value)) {
			return true
		}
	}
	return false
}

// names says whether a flag with a value may name something in a network that has no ://.
func names(flag, value string) bool {
	return flag == "config" || flag == "metrics" && !strings.HasSuffix(value, textfile)
}
