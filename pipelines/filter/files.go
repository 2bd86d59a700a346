package filter

import (
	"bytes"
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

// A namedFile is a file that the command line names, and the flag or argument that names it.
type namedFile struct{ by, name string }

// is says what a file is for.
func (f namedFile) is() string {
	switch f.by {
	case "ledger", "output", "summary", "metrics", standardOutput:
		return f.by
	}
	return "input"
}

const standardOutput = "standard output"

// distinct refuses a file that a stage would write while the command line names it for something else, too: the output, the summary or
// the metrics would replace the ledger, a grant, a key, an input or each other. It also refuses to write among the stored releases of
// a ledger. It compares files by their identity, so links do not hide them. It comes before anything is written.
func distinct(command *kong.Context) error {
	var written, named []namedFile
	for _, f := range command.Flags() {
		if f.Short != 'o' && !takesFile.MatchString(f.PlaceHolder) { // the name of a run may be that of a file, too
			continue
		}
		files := filesOf(f.Name, f.Target)
		named = append(named, files...)
		if f.Short == 'o' || f.Name == "summary" || f.Name == "metrics" && len(files) > 0 && strings.HasSuffix(files[0].name, textfile) {
			written = append(written, files...)
		}
	}
	node := command.Selected()
	if node == nil { // a stage without commands
		node = command.Model.Node
	}
	for _, argument := range node.Positional {
		named = append(named, filesOf(argument.Name, argument.Target)...)
	}
	named = append(named, namedFile{"input", os.Stdin.Name()}, namedFile{standardOutput, os.Stdout.Name()})
	for _, out := range written {
		for _, other := range named {
			if other == out {
				continue
			}
			if same(out.name, other.name) || slices.Contains(written, other) && sameNew(out.name, other.name) {
				return exit.Errorf(exit.Usage, "output %s is also the %s", out.name, other.is())
			}
			if stored(out.name, other.name) {
				return exit.Errorf(exit.Usage, "output %s is among the stored releases of %s", out.name, other.name)
			}
		}
	}
	return nil
}

// takesFile matches the placeholder of a flag that names a file.
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

// same says whether writing a file would replace another. FIFOs and devices are not replaced.
func same(out, other string) bool {
	a, err := os.Stat(out)
	if err != nil {
		return false
	}
	b, err := stat(other)
	return err == nil && a.Mode().IsRegular() && os.SameFile(a, b)
}

// sameNew says whether two outputs that do not exist yet have one name.
func sameNew(a, b string) bool {
	_, err := os.Stat(a)
	return err != nil && resolved(a) == resolved(b)
}

// stat describes a file. The names of standard input and output may be of links that only Linux has.
func stat(name string) (os.FileInfo, error) {
	switch name {
	case os.Stdin.Name():
		return os.Stdin.Stat()
	case os.Stdout.Name():
		return os.Stdout.Stat()
	}
	return os.Stat(name)
}

// stored says whether an output would be in the folder of stored releases of a ledger.
func stored(out, ledger string) bool {
	folder, err := filepath.EvalSymlinks(ledger + ".releases")
	if err != nil {
		return false
	}
	folder, err = filepath.Abs(folder)
	return err == nil && strings.HasPrefix(resolved(out), folder+string(filepath.Separator))
}

// resolved returns the absolute name of a file without links. The file itself may be missing.
func resolved(name string) string {
	target, err := filepath.EvalSymlinks(name)
	if err != nil {
		folder, _ := filepath.EvalSymlinks(filepath.Dir(name))
		target = filepath.Join(folder, filepath.Base(name))
	}
	if absolute, err := filepath.Abs(target); err == nil {
		target = absolute
	}
	return target
}

// checkMetrics refuses to replace a file that holds something else than metrics.
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
