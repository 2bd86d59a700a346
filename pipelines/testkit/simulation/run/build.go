package run

import (
	"fmt"
	"os/exec"
	"path/filepath"

	"privpipe/pipelines/testkit/mutants"
	"privpipe/pipelines/testkit/overlay"
	"privpipe/pipelines/testkit/simulation/network"
)

const here = "pipelines/testkit/simulation"

// instead has the simulated packages by the packages that they replace.
var instead = map[string]string{
	"crypto/rand":           "privpipe/" + here + "/rand",
	"golang.org/x/sys/unix": "privpipe/" + here + "/unix",
	"os":                    "privpipe/" + here + "/os",
	"os/signal":             "privpipe/" + here + "/signal",
	"path/filepath":         "privpipe/" + here + "/filepath",
	"sync":                  "privpipe/" + here + "/sync",
	"syscall":               "privpipe/" + here + "/syscall",
}

// kafkaFolder is the package that connects stages to brokers.
const kafkaFolder = "pipelines/endpoint/kafka/"

// dials let stages connect over the network of the simulation.
var dials = []overlay.Edit{
	{File: kafkaFolder + "client.go", From: "ClientID: clientName, TLS:",
		To: "Dial: network.Dial, ClientID: clientName, TLS:"},
	{File: kafkaFolder + "group.go", From: "&kafka.Dialer{", To: "&kafka.Dialer{DialFunc: network.Dial,"},
	{File: kafkaFolder + "probe.go", From: probe + "connection.SetDeadline", To: probed + "connection.SetDeadline"},
	{File: kafkaFolder + "probe.go", From: probe + "seen :=", To: probed + "seen :="},
	// Each process has its own memory of brokers that answered.
	{File: kafkaFolder + "probe.go", From: "var answered sync.Map", To: "var _ net.Conn"},
	{File: kafkaFolder + "probe.go", From: "answered.LoadOrStore(", To: "network.Answered().LoadOrStore("},
	{File: kafkaFolder + "probe.go", From: "answered.Load(", To: "network.Answered().Load("},
	{File: kafkaFolder + "probe.go", From: "\t\"sync\"\n", To: ""},
	// A log that is closed at once sends a request or none, as the machine likes. Here it has a moment to be closed.
	{File: kafkaFolder + "log.go", From: "\tfor watched := time.Now(); ; {\n",
		To: "\ttime.Sleep(1)\n\tfor watched := time.Now(); ; {\n"},
	// What would happen at one moment of virtual time, in any order, happens one after the other.
	{File: kafkaFolder + "appender.go", From: "NewTicker(watching)", To: "NewTicker(watching + 7)"},
	{File: kafkaFolder + "group.go", From: "for partition, h := range m.notes {\n",
		To: "for _, partition := range slices.Sorted(maps.Keys(m.notes)) {\n\t\th := m.notes[partition]\n"},
	// Goroutines of one stage open partitions in any order.
	{File: kafkaFolder + "appender.go", From: "rand.Read(name[:])",
		To: "_ = rand.Reader\n\tnetwork.Name(a.client.Topic, partition, name[:])"},
	imported("appender.go"), imported("client.go"), imported("group.go"), imported("probe.go"),
}

// probe connects in the shipped programs, and probed in the simulation.
const (
	probe  = "new(net.Dialer).DialContext(ctx, \"tcp\", broker)" + failed
	probed = "network.Dial(ctx, \"tcp\", broker)" + failed
	failed = "\n\tif err != nil {\n\t\treturn false\n\t}\n\tdefer connection.Close()\n\t"
)

// imported adds the import of the network.
func imported(file string) overlay.Edit {
	const after = "\t\"privpipe/pipelines/exit\"\n"
	return overlay.Edit{File: kafkaFolder + file, From: after, To: after + "\t\"privpipe/" + here + "/network\"\n"}
}

// Build builds the tests of this package on the simulated machine, with all mutants that it names, and returns the
// program's name in the folder to.
func Build(root, to string, planted []*mutants.Mutant) (string, error) {
	o, err := overlay.New(root)
	if err != nil {
		return "", err
	}
	stages := []string{"estep", "mstep", "pipelines", "privatize", "sample", "tokenize"}
	if err := o.Edit(dials...); err != nil {
		return "", err
	}
	err = o.Imports(instead, stages, []string{"pipelines/testkit"})
	if err == nil {
		err = o.ImportsOf(instead, here+"/run/files.go")
	}
	if err == nil {
		// With one goroutine the order of draws does not depend on the machine.
		err = o.Edit(overlay.Edit{File: "privatize/internal/release/noise.go", From: "runtime.GOMAXPROCS(0)",
			To: "min(1, runtime.GOMAXPROCS(0))"})
	}
	if err == nil {
		err = mutants.Plant(o, planted, here+"/planted")
	}
	if err != nil {
		return "", err
	}
	table, err := o.Write(to)
	if err != nil {
		return "", err
	}
	modules, err := network.Modules(o.Root, to)
	if err != nil {
		return "", err
	}
	program := filepath.Join(to, "simulation.test")
	build := exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", table,
		"-modfile", modules, "-o", program,
		"./"+here+"/run")
	build.Dir = o.Root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return program, nil
}
