package endtoend

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"go/build"
	"go/doc"
	"io"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
	"privpipe/pipelines/wire/stream"
)

// TestGaussianPath lists, for an auditor, the lines of each file that privatize passes through when it releases
// Gaussian sums over pipes: from start to end, with a first charge, a charge after it, and a replay, of units that
// exceed the clip, one by far, and have numbers of both signs. It builds privatize with -tags pipes, and with the
// coverage counters of the compiler: what they count was run, whatever the imports say. All of it must be in files and
// folders that CHECKING.md names. How many lines a run passes depends on how pipes fill, so nothing bounds their
// number: TestGaussianSource counts in the source. The files come in the order of CHECKING.md's tables, with what they
// are for, and the proofs and tests beside them. PRIVPIPE_PATH_HTML names a file for the source with these lines
// marked. .ci/path prints the list.
func TestGaussianPath(t *testing.T) {
	testkit.Deep(t, "audits")
	folder := t.TempDir()
	goTool(t, "build", "-cover", "-coverpkg=./...", "-tags", "pipes", "-o", filepath.Join(folder, "privatize"),
		"./privatize")
	comments(t, folder)
	run(t, folder, `
		head -n 500 comments.jsonl | tokenize text -q -o docs.pp
		account ledger new run.ledger
		account plan -q --clip 0.25 --epsilon 1 --delta 1e-6 --poisson 0.5 --rounds 2 --ledger run.ledger \
			--model words --matrix words=1xV -o grant.json
		head -c 32 /dev/urandom >coins; chmod 600 coins
		sample -q --poisson 0.5 --rounds 2 --secret coins docs.pp | estep words >positive.pp`)
	changed(t, filepath.Join(folder, "positive.pp"), filepath.Join(folder, "contributions.pp"))
	run(t, folder, `
		mkdir counted; export GOCOVERDIR=$PWD/counted
		for start in first replay; do ./privatize -q --grant grant.json --ledger run.ledger <contributions.pp >$start.pp; done
		cmp first.pp replay.pp`)
	counted, profile := filepath.Join(folder, "counted"), filepath.Join(folder, "profile")
	goTool(t, "tool", "covdata", "textfmt", "-i="+counted, "-o", profile)

	passed := passedLines(string(readFile(t, profile)))
	total := 0
	for _, lines := range passed {
		total += len(lines)
	}
	t.Logf("lines that a Gaussian sum over pipes passes through:\n%s\n%d lines in all\n", listed(t, passed), total)
	page := gaussianPage(t)
	for file := range passed {
		if !page.names(file) {
			t.Errorf("CHECKING.md names neither %s nor its folder", file)
		}
	}
	wantsFunctions(t, run(t, root, "go tool covdata func -i="+counted))
	if html := os.Getenv("PRIVPIPE_PATH_HTML"); html != "" {
		only := filepath.Join(folder, "only")
		write(t, folder, "only", onlyOf(string(readFile(t, profile)), passed))
		goTool(t, "tool", "cover", "-html="+only, "-o", html)
	}
}

// changed copies a stream of contributions, and makes every second number of each unit negative. One unit has a norm of
// more than 2^32 steps, so it is clipped by divisions.
func changed(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	r, err := stream.NewReader(in, from)
	if err != nil {
		t.Fatal(err)
	}
	h, err := r.Header()
	if err != nil {
		t.Fatal(err)
	}
	c, err := stream.NewCompressor(stream.None)
	if err != nil {
		t.Fatal(err)
	}
	w, err := stream.NewWriter(out, h, c)
	if err != nil {
		t.Fatal(err)
	}
	for factor := float32(-1e6); ; {
		record, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range record.GetContribution().GetParts() {
			for i := 0; i < len(part.Values); i += 8 {
				bits := binary.LittleEndian.Uint32(part.Values[i:])
				binary.LittleEndian.PutUint32(part.Values[i:], math.Float32bits(factor*math.Float32frombits(bits)))
				factor = -1
			}
		}
		if err := w.Write(record); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// ranBlock is a line of a profile: the file, the first and the last line of some statements, and that they were run.
var ranBlock = regexp.MustCompile(`(?m)^privpipe/(\S+):(\d+)\.\d+,(\d+)\.\d+ \d+ [1-9]\d*$`)

// passedLines returns, for each file, the lines that a profile counts as run. Code that is generated of wire.proto is
// left out.
func passedLines(profile string) map[string]map[int]bool {
	passed := make(map[string]map[int]bool)
	for _, block := range ranBlock.FindAllStringSubmatch(profile, -1) {
		if strings.HasSuffix(block[1], ".pb.go") {
			continue
		}
		from, _ := strconv.Atoi(block[2])
		to, _ := strconv.Atoi(block[3])
		if passed[block[1]] == nil {
			passed[block[1]] = make(map[int]bool)
		}
		for line := from; line <= to; line++ {
			passed[block[1]][line] = true
		}
	}
	return passed
}

// onlyOf returns the part of a profile that is of the given files.
func onlyOf(profile string, files map[string]map[int]bool) string {
	var only strings.Builder
	for line := range strings.Lines(profile) {
		file, _, _ := strings.Cut(strings.TrimPrefix(line, "privpipe/"), ":")
		if strings.HasPrefix(line, "mode:") || files[file] != nil {
			only.WriteString(line)
		}
	}
	return only.String()
}

// listed prints the lines by file: those of CHECKING.md in its order and under its headings, then the others by folder.
func listed(t *testing.T, passed map[string]map[int]bool) string {
	var list strings.Builder
	rest := maps.Clone(passed)
	entry := regexp.MustCompile("^\\| `(\\S+\\.go)` \\| \\d+ \\| (.*) \\|$")
	heading, printed := "", ""
	for line := range strings.Lines(read(t, "privatize/CHECKING.md")) {
		if text, is := strings.CutPrefix(line, "### "); is {
			heading = text
		}
		row := entry.FindStringSubmatch(strings.TrimSpace(line))
		if row == nil || passed[row[1]] == nil {
			continue
		}
		if printed != heading {
			fmt.Fprintf(&list, "\n%s\n", heading)
			printed = heading
		}
		list.WriteString(entryOf(t, row[1], passed[row[1]], strings.TrimSpace(row[2])))
		delete(rest, row[1])
	}
	others := slices.SortedFunc(maps.Keys(rest), func(a, b string) int {
		return cmp.Or(cmp.Compare(path.Dir(a), path.Dir(b)), cmp.Compare(a, b))
	})
	folder := ""
	for _, file := range others {
		if path.Dir(file) != folder {
			folder = path.Dir(file)
			fmt.Fprintf(&list, "\nIn no table: %s: %s\n", folder, synopsis(t, folder))
		}
		list.WriteString(entryOf(t, file, rest[file], ""))
	}
	list.WriteString("\nProofs and tests, by folder\n")
	for _, folder := range slices.Sorted(maps.Keys(foldersOf(passed))) {
		fmt.Fprintf(&list, "  %s: %s\n", folder, beside(folder))
	}
	return list.String()
}

func foldersOf(files map[string]map[int]bool) map[string]bool {
	folders := make(map[string]bool)
	for file := range files {
		folders[path.Dir(file)] = true
	}
	return folders
}

// entryOf prints the lines of a file.
func entryOf(t *testing.T, file string, lines map[int]bool, purpose string) string {
	text := fmt.Sprintf("%5d of %4d  %s:%s", len(lines),
		strings.Count(string(readFile(t, filepath.Join(root, file))), "\n"),
		file, ranges(slices.Sorted(maps.Keys(lines))))
	if purpose != "" {
		text += "  " + purpose
	}
	return text + "\n"
}

// beside names the proofs and tests in a folder.
func beside(folder string) string {
	var names []string
	for _, pattern := range []string{"claim.md", "*_test.go"} {
		found, _ := filepath.Glob(filepath.Join(root, folder, pattern))
		for _, name := range found {
			names = append(names, filepath.Base(name))
		}
	}
	return strings.Join(names, " ")
}

// ranges writes ascending numbers as 15-57,99.
func ranges(numbers []int) string {
	var all []string
	for i := 0; i < len(numbers); {
		last := i
		for last+1 < len(numbers) && numbers[last+1] == numbers[last]+1 {
			last++
		}
		text := strconv.Itoa(numbers[i])
		if last > i {
			text += "-" + strconv.Itoa(numbers[last])
		}
		all = append(all, text)
		i = last + 1
	}
	return strings.Join(all, ",")
}

// synopsis is the first sentence of the documentation of a package.
func synopsis(t *testing.T, folder string) string {
	found, err := build.ImportDir(filepath.Join(root, folder), 0)
	if err != nil {
		t.Fatal(err)
	}
	return (&doc.Package{}).Synopsis(found.Doc)
}

// wantsFunctions reads the output of `go tool covdata func`. It wants that the functions which bound a unit, and those
// that make its noise, were run. CHECKING.md names what one run does not show.
func wantsFunctions(t *testing.T, functions string) {
	t.Helper()
	for _, want := range []struct {
		file, function string
		least          float64 // percent of its statements
	}{
		{"privatize/internal/clip/clip.go", "L2", 100},
		{"privatize/internal/clip/clip.go", "scale", 100},
		{"privatize/internal/clip/clip.go", "ceilSqrt", 70}, // the rest is for a root that float64 rounds down
		{"privatize/internal/fixed/vector.go", "*Vector.Add", 1},
		{"privatize/internal/noise/gaussian.go", "*Gaussian.Next", 100},
		{"privatize/internal/noise/gaussian.go", "*Gaussian.accept", 1}, // the rest is for the tail
		{"privatize/internal/release/noise.go", "noises.addTo", 1},
		{"privatize/internal/book/store.go", "*Book.Charge", 1},
		{"pipelines/event/allow.go", "*Tally.Allow", 1},
	} {
		line := regexp.MustCompile(`(?m)^privpipe/` + regexp.QuoteMeta(want.file) + `:\d+:\s+` +
			regexp.QuoteMeta(want.function) + `\s+([\d.]+)%$`)
		found := line.FindStringSubmatch(functions)
		if found == nil {
			t.Errorf("%s has no function %s", want.file, want.function)
			continue
		}
		if percent, _ := strconv.ParseFloat(found[1], 64); percent < want.least {
			t.Errorf("%s of %s: %v %% of its statements were run, must be %v %%", want.function, want.file, percent,
				want.least)
		}
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
