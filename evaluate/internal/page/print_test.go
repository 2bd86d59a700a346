package page

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"testing"

	"privpipe/pipelines/model/modelfile"
)

// TestPrintOfScript: the script prints probabilities as the page does before anybody moves the slider.
func TestPrintOfScript(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node on PATH")
	}
	script, err := os.ReadFile("page.js")
	if err != nil {
		t.Fatal(err)
	}
	function := regexp.MustCompile(`const print = .*`).Find(script)
	numbers := []float64{0.5, 0.0612, 0.001, 0.000999, 0.000996, 0.0005, 0.00012, 0.0000307, 1.25e-7, 9e-12, 0}
	var want, got []string
	for _, x := range numbers {
		want = append(want, modelfile.PrintProbability(x))
	}
	list, err := json.Marshal(numbers)
	if err != nil {
		t.Fatal(err)
	}
	call := string(function) + "\nconsole.log(JSON.stringify(" + string(list) + ".map(print)))"
	printed, err := exec.Command(node, "-e", call).Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(printed, &got); err != nil || !slices.Equal(got, want) {
		t.Errorf("the script prints %s, want %q", printed, want)
	}
}
