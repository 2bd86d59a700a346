package filter

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
)

// A namedFile is a file or folder that the command line names. The flag or argument that names it is by.
type namedFile struct{ by, name string }

// is says the purpose of the file.
func (f namedFile) is(output bool) string {
	switch by := strings.TrimPrefix(f.by, "--"); by {
	case "ledger", "output", "summary", "metrics", standardOutput:
		return by
	}
	if output {
		return "file of " + f.by
	}
	return "input"
}

const standardOutput = "standard output"

// distinct refuses a file if a stage would write it while the command line names it for another purpose, too. Otherwise
// an output, the summary or the metrics could replace the ledger, a grant, a key, an input or each other. distinct also
// refuses to write among a ledger's stored releases, and into a folder that the stage reads. It compares files by
// identity, so links do not hide them. It runs before anything is written.
func (s Stdio) distinct(command *kong.Context) error {
	var written, named []namedFile
	for _, f := range command.Flags() {
		output := f.Short == 'o' || f.Name == "summary" || f.Tag.Has(outputTag)
		if !output && !takesFile.MatchString(f.PlaceHolder) { // a run's name may also name a file
			continue
		}
		files := filesOf("--"+f.Name, f.Target)
		named = append(named, files...)
		if output || f.Name == "metrics" && len(files) > 0 && strings.HasSuffix(files[0].name, Textfile) {
			written = append(written, files...)
		}
	}
	for _, argument := range nodeOf(command).Positional {
		files := filesOf(argument.Name, argument.Target)
		if argument.Tag.Has(outputTag) {
			named, written = append(named, files...), append(written, files...)
		} else {
			named = append(named, matched(files)...)
		}
	}
	named = append(named, namedFile{"input", os.Stdin.Name()}, namedFile{standardOutput, os.Stdout.Name()})
	for _, out := range written {
		for _, other := range named {
			if other == out || other.by == standardOutput && out.by == "--output" && endpoint.IsStdout(out.name) {
				continue
			}
			output := slices.Contains(written, other)
			if s.same(out.name, other.name) || output && sameName(out.name, other.name) {
				return exit.Errorf(exit.Usage, "output %s is also the %s", out.name, other.is(output))
			}
			if stored(out.name, other.name) {
				return exit.Errorf(exit.Usage, "output %s is among the stored releases of %s", out.name, other.name)
			}
			if !output && inside(out.name, other.name) {
				return exit.Errorf(exit.Usage, "output %s is in the folder %s, which is an input", out.name, other.name)
			}
		}
	}
	return nil
}

// nodeOf returns the chosen command. A stage without commands is one command.
func nodeOf(command *kong.Context) *kong.Node {
	if node := command.Selected(); node != nil {
		return node
	}
	return command.Model.Node
}

// checkTopics refuses missing topics among the outputs, for a dry run. It asks the brokers.
func checkTopics(ctx context.Context, command *kong.Context) error {
	for _, f := range command.Flags() {
		if name := f.Target.String(); f.Target.Kind() == reflect.String && (f.Short == 'o' || f.Tag.Has(outputTag)) &&
			endpoint.IsTopic(name) {
			if err := endpoint.CheckWritten(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// outputTag is the struct tag for flags and arguments that name a file to write, output:"". -o and the flags of Common
// need no tag.
const outputTag = "output"

// matched replaces each pattern by the files that match it.
func matched(files []namedFile) (all []namedFile) {
	for _, f := range files {
		matches, err := filepath.Glob(f.name)
		if _, missing := os.Lstat(f.name); missing == nil || err != nil || len(matches) == 0 {
			matches = []string{f.name}
		}
		for _, name := range matches {
			all = append(all, namedFile{f.by, name})
		}
	}
	return all
}

// takesFile matches placeholders of flags that name a file.
var takesFile = regexp.MustCompile(`\b(FILE|PATH|GRANT)\b`)

// filesOf returns the files that a flag or an argument names.
func filesOf(by string, v reflect.Value) (files []namedFile) {
	switch v.Kind() {
	case reflect.String:
		if name := v.String(); name != "" && name != endpoint.Stdio && !endpoint.IsTopic(name) {
			files = append(files, namedFile{by, name})
		}
	case reflect.Slice:
		for i := range v.Len() {
			files = append(files, filesOf(by, v.Index(i))...)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			files = append(files, filesOf(by, v.MapIndex(key))...)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			files = filesOf(by, v.Elem())
		}
	}
	return files
}

// same says whether writing out would replace the file other. FIFOs and devices are not replaced.
func (s Stdio) same(out, other string) bool {
	a, err := os.Stat(out)
	if err != nil {
		return false
	}
	b, err := s.stat(other)
	return err == nil && a.Mode().IsRegular() && os.SameFile(a, b)
}

// sameName says whether two outputs have the same resolved name. The file may be missing, or may be a FIFO. A device is
// no conflict, since it takes the output of several writers.
func sameName(a, b string) bool {
	info, err := os.Stat(a)
	return (err != nil || info.Mode()&os.ModeDevice == 0) && resolved(a) == resolved(b)
}

// stat describes a file. The names of the process's standard input and output mean the run's.
func (s Stdio) stat(name string) (os.FileInfo, error) {
	switch name {
	case os.Stdin.Name():
		return s.In.Stat()
	case os.Stdout.Name():
		return s.Out.Stat()
	}
	return os.Stat(name)
}

// stored says whether an output would be in a ledger's folder of stored releases. This folder is beside the ledger file
// after links are resolved.
func stored(out, ledger string) bool {
	return inside(out, ledger+".releases") || inside(out, resolved(ledger)+".releases")
}

// inside says whether an output would be in a folder or below it.
func inside(out, folder string) bool {
	info, err := os.Stat(folder)
	return err == nil && info.IsDir() &&
		strings.HasPrefix(resolved(out), strings.TrimSuffix(resolved(folder), separator)+separator)
}

const separator = string(filepath.Separator)

// resolved returns a file's absolute name without links. The file itself may be missing.
func resolved(name string) string {
	target, err := endpoint.Resolve(name)
	if err != nil {
		return name
	}
	if absolute, err := filepath.Abs(target.Path); err == nil {
		return absolute
	}
	return target.Path
}

// checkMetrics refuses to replace a file unless it holds metrics.
func checkMetrics(name string) error {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	const first = "# HELP privpipe_"
	begin, err := io.ReadAll(io.LimitReader(f, int64(len(first))))
	if err == nil && !bytes.Equal(begin, []byte(first)) {
		err = exit.Errorf(exit.Usage, "--metrics %s: the file is there, and holds no metrics of privpipe", name).
			WithHint("name a file of its own for the metrics of each stage, or remove this one")
	}
	return err
}
