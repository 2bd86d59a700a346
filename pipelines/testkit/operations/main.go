// Command operations reads the files for operators in the same way as the programs that use them, but strictly: an
// unknown field or function is an error. It prints JSON for the tests of package endtoend/operations.
//
// It is a separate module. So the code of Kubernetes and Prometheus is in no stage, and in no test that runs without
// this command.
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

// run does one of three things by the first argument. "manifests FILE…" prints the objects in YAML files. "rules FILE"
// prints Prometheus rules. "selectors" prints the metrics and labels that each PromQL line on standard input asks for.
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
