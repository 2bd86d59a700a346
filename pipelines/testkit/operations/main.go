// Command operations reads what operators are given as the programs read it that it is for, strictly: a field or a
// function that those do not know is an error. It prints JSON for the tests of package endtoend/operations.
//
// It is a module of its own: no stage, and no test that runs without it, has the code of Kubernetes or of Prometheus.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "operations:", err)
		os.Exit(1)
	}
}

// run does what the first argument says: manifests FILE…, the objects in files of YAML; rules FILE, the rules of Prometheus; or
// selectors, what each line of PromQL on standard input asks for.
func run(args []string) error {
	var result any
	var err error
	switch {
	case len(args) > 1 && args[0] == "manifests":
		result, err = manifests(args[1:])
	case len(args) == 2 && args[0] == "rules":
		result, err = rules(args[1])
	case len(args) == 1 && args[0] == "selectors":
		var queries []byte
		if queries, err = io.ReadAll(os.Stdin); err == nil {
			result, err = selectors(string(queries))
		}
	default:
		err = fmt.Errorf("wants manifests FILE…, rules FILE or selectors")
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}
