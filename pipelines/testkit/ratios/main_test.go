package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const output = `goos: linux
BenchmarkEStep/shaped-2   	       1	  7613 ns/op	        12.0 shaped-×gensim	     15028 docs/core-s
BenchmarkTraining-2       	       1	  7613 ns/op	         4.00 ×gensim	        31.2 s-wall
PASS
`

// TestRatios: a slower ratio, and one that is gone, are found; those of other machines are no concern.
func TestRatios(t *testing.T) {
	for _, test := range []struct{ recorded, want string }{
		{"AVX2 BenchmarkTraining ×gensim 4.4", ""},
		{"AVX2 BenchmarkTraining ×gensim 4.5", "1 of 1 ratios"},
		{"AVX2 BenchmarkEStep/shaped shaped-×gensim 12\nAVX2 BenchmarkTraining ×gensim 9", "1 of 2 ratios"},
		{"AVX2 BenchmarkTraining ×gensim 4\nAVX-512 BenchmarkTraining ×gensim 9", ""},
		{"AVX2 BenchmarkTraining ×numpy 4", "1 of 1 ratios"},
		{"AVX2 BenchmarkGone ×gensim 4\nAVX2 BenchmarkTraining ×gensim 4", "1 of 2 ratios"},
		{"AVX-512 BenchmarkTraining ×gensim 4", "no ratio was recorded on a machine with AVX2"},
		{"", "no ratio was recorded"},
		{"AVX2 ×gensim 4", "line 1: wants MACHINE"},
		{"AVX2 BenchmarkTraining ×gensim 4\nAVX2 BenchmarkTraining ×gensim four", "line 2: wants a positive number"},
	} {
		file := filepath.Join(t.TempDir(), "ratios.txt")
		if err := os.WriteFile(file, []byte(test.recorded), 0o666); err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		err := check(file, "AVX2", false, strings.NewReader(output), &said)
		if err == nil != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v; want %q", test.recorded, err, test.want)
		}
		if (test.want == "" || strings.Contains(test.want, " of ")) && !strings.HasPrefix(said.String(), output) {
			t.Errorf("%q: the output of the benchmarks is not copied: %q", test.recorded, said.String())
		}
	}
}

// TestRecord keeps the records of other machines, and drops those of benchmarks that are gone.
func TestRecord(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ratios.txt")
	if err := os.WriteFile(file, []byte("AVX2 BenchmarkGone ×gensim 3\nplain BenchmarkTraining ×gensim 1\n"),
		0o666); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	if err := check(file, "AVX2", true, strings.NewReader(output), &said); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	const want = "AVX2 BenchmarkEStep/shaped shaped-×gensim 12\nAVX2 BenchmarkTraining ×gensim 4\n" +
		"plain BenchmarkTraining ×gensim 1\n"
	if err != nil || string(text) != want {
		t.Errorf("%q, %v; want %q", text, err, want)
	}
}

// TestGoals: a goal is reached at its bound; goals of other machines are left out, and what was not measured is said.
func TestGoals(t *testing.T) {
	file := filepath.Join(t.TempDir(), "goals.txt")
	for goals, want := range map[string]string{
		"training\t-\tBenchmarkTraining\t×gensim\t>= 4\n\nwall\tAVX2\tBenchmarkTraining\ts-wall\t<= 31\n": `
| training | at least 4 | 4 | reached |
| wall | at most 31 | 31.2 | falls short |
`,
		"training\tAVX-512\tBenchmarkTraining\t×gensim\t>= 4\nwall\t-\tBenchmarkTraining\ts-wall\t<= 31.2\n": `
| wall | at most 31.2 | 31.2 | reached |
`,
		"slow\t-\tBenchmarkEStep/shaped\tdocs/core-s\t>= 20000\ngone\t-\tBenchmarkGone\tms\t<= 1\n": `
| slow | at least 20000 | 1.5e+04 | falls short |
| gone | at most 1 | not measured |  |
`,
		"a\t-\tb\tc\n":          "line 1: wants WHAT",
		"\na\t-\tb\tc\t4\n":     "line 2: wants >= or <=",
		"a\t-\tb\tc\t>= four\n": "line 1: wants >= or <=",
	} {
		if err := os.WriteFile(file, []byte(goals), 0o666); err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		err := table(file, "AVX2", strings.NewReader(output), &said)
		if strings.HasPrefix(want, "line") {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v; want %q", goals, err, want)
			}
			continue
		}
		if _, rows, _ := strings.Cut(said.String(), "|---|---|---|---|"); err != nil || rows != want ||
			!strings.HasPrefix(said.String(), output) {
			t.Errorf("%q: %v, %q; want %q", goals, err, rows, want)
		}
	}
}
