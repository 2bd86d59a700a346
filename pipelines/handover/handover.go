// Package handover is for the main of a stage that links nothing that reaches a network. Program networked, in the
// folder of the stages, takes the stage's place where the command line may name a topic, a server or a port.
package handover

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
)

// networked is the program: see pipelines/networked. A start takes it three times as long as a stage.
const networked = "networked"

// Main is filter.Main, here or in program networked. It hands over before the command line is parsed, since a file of
// --config may be a pipe. If it names nothing in a network after all, the other program does the same work.
func Main(p filter.Program) {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self) // which Linux has done
	}
	if err == nil {
		path := filepath.Join(filepath.Dir(self), networked)
		info, err := os.Stat(path)
		p.Networked = err == nil && info.Mode().IsRegular()
		if p.Networked && mayReach(p.Name, os.Args[1:], os.Environ()) {
			relax()
			err := syscall.Exec(path, slices.Concat([]string{networked, p.Name}, os.Args[1:]), os.Environ())
			p.Fault = exit.Errorf(exit.Missing, "%s: %w", path, err)
		}
	}
	filter.Main(p)
}

// mayReach says whether arguments or environment may name a topic, a server or a port. The name of a topic or of a
// server has ://. A configuration file may have such a name, and --metrics names a port or a file.
func mayReach(stage string, args, environ []string) bool {
	args = slices.Clone(args)
	for _, variable := range environ {
		if flag, ours := strings.CutPrefix(variable, filter.Environment(stage)+"_"); ours {
			args = append(args, "--"+flag)
		}
	}
	for i, argument := range args {
		flag, value, given := strings.Cut(argument, "=")
		if !given && i+1 < len(args) {
			value = args[i+1]
		}
		flag = strings.ToLower(flag)
		if strings.Contains(argument, "://") || flag == "--config" ||
			flag == "--metrics" && !strings.HasSuffix(value, filter.Textfile) {
			return true
		}
	}
	return false
}
