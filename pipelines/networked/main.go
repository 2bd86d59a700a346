//go:build !pipes

// Command networked has the stages with what reaches a network: the transport of topics, the server of metrics, and the
// client of schema registries.
//
// The stages themselves link none of it. They start in a third of the time, and read and write files and pipes. If a
// command line may name a topic, a server or a port, the stage becomes this program from its own folder.
// privatize is a program of its own in both builds, and evaluate reads files only. A build with -tags pipes leaves this
// program out.
package main

import (
	"os"
	"slices"

	account "privpipe/account/command"
	estep "privpipe/estep/command"
	mstep "privpipe/mstep/command"
	_ "privpipe/pipelines/endpoint/kafka"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	_ "privpipe/pipelines/metrics/serve"
	"privpipe/pipelines/view"
	sample "privpipe/sample/command"
	tokenize "privpipe/tokenize/command"
	_ "privpipe/tokenize/network"
)

var programs = []filter.Program{
	tokenize.Program, sample.Program, estep.Program, mstep.Program, account.Program, view.Program,
}

// unknown is the command line without the name of a stage.
type unknown struct {
	filter.Common
	Stage string `arg:"" help:"tokenize, sample, estep, mstep, account or show. Its arguments follow."`
}

// Run is kong's hook.
func (u *unknown) Run() error {
	return exit.Errorf(exit.Usage, "no stage %s is here", u.Stage).WithHint("networked --help")
}

func main() {
	if len(os.Args) > 1 {
		named := func(p filter.Program) bool { return p.Name == os.Args[1] }
		if i := slices.IndexFunc(programs, named); i >= 0 {
			os.Args = os.Args[1:]
			filter.Main(programs[i])
		}
	}
	filter.Main(filter.Program{
		Stage: filter.Stage{
			Name:    "networked",
			Summary: "Run a stage with what reaches a network. The stages call this program themselves.",
			Example: "networked show kafka://localhost/news.releases",
		},
		New: func() filter.Commands { return new(unknown) },
	})
}
