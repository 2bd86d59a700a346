package mutants

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

//go:embed patches/*.patch
var patches embed.FS

// A Mutant is a fault.
type Mutant struct {
	Name   string
	Breaks string   // in words
	Tests  []Test   // that must find it
	Audits []string // arguments of evaluate audit; see Audited
	Finds  string   // what the audit's message must have
	Kills  bool     // the kills of pipelines/endtoend must find it

	changes []change
}

// Audited returns the stage that arguments of evaluate audit are for: privatize, unless they begin with estep.
func Audited(arguments string) string {
	if first, _, _ := strings.Cut(arguments, " "); first == "estep" {
		return first
	}
	return "privatize"
}

// A Test is some tests of a package.
type Test struct {
	Package string
	Names   []string
}

// A change replaces lines of a file.
type change struct{ file, old, new string }

// All returns all mutants, by their names.
func All() ([]*Mutant, error) {
	entries, err := fs.ReadDir(patches, "patches")
	if err != nil {
		return nil, err
	}
	var all []*Mutant
	for _, entry := range entries {
		text, err := fs.ReadFile(patches, "patches/"+entry.Name())
		if err != nil {
			return nil, err
		}
		m, err := parse(strings.TrimSuffix(entry.Name(), ".patch"), string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// parse reads a patch.
func parse(name, text string) (*Mutant, error) {
	m := &Mutant{Name: name}
	var words []string
	lines := strings.SplitAfter(text, "\n")
	for len(lines) > 0 && strings.HasPrefix(lines[0], "#") {
		line := strings.TrimSpace(strings.TrimPrefix(lines[0], "#"))
		lines = lines[1:]
		key, rest, _ := strings.Cut(line, ": ")
		switch fields := strings.Fields(rest); {
		case key == "test" && len(fields) > 1:
			m.Tests = append(m.Tests, Test{fields[0], fields[1:]})
		case key == "audit":
			m.Audits = append(m.Audits, rest)
		case key == "finds":
			m.Finds = rest
		case key == "kills" && rest == "yes":
			m.Kills = true
		case len(m.Tests)+len(m.Audits) > 0 || m.Kills:
			return nil, fmt.Errorf("%s: %q is no line of a header", name, line)
		default:
			words = append(words, line)
		}
	}
	m.Breaks = strings.Join(words, " ")
	var err error
	if m.changes, err = diff(lines); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	switch {
	case m.Breaks == "":
		err = errors.New("it does not say what it breaks")
	case len(m.Tests)+len(m.Audits) == 0 && !m.Kills:
		err = errors.New("it does not say what finds it")
	case len(m.Audits) > 0 && m.Finds == "":
		err = errors.New("it does not say what the audit finds")
	case len(m.changes) == 0:
		err = errors.New("it changes nothing")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// diff reads the hunks of a unified diff. Their line numbers say nothing here: lines are found by what is in them.
func diff(lines []string) ([]change, error) {
	var all []change
	file, in := "", false
	for _, line := range lines {
		if line == "" {
			continue // after the last newline
		}
		name, added := strings.CutPrefix(line, "+++ b/")
		switch {
		case added && !in:
			file = strings.TrimSpace(name)
		case strings.HasPrefix(line, "--- a/") || strings.HasPrefix(line, "diff ") || strings.HasPrefix(line, "index "):
			in = false
		case strings.HasPrefix(line, "@@ ") && file != "":
			all, in = append(all, change{file: file}), true
		case !in:
			return nil, fmt.Errorf("%q stands outside the hunks", line)
		default:
			last, text := &all[len(all)-1], line[1:]
			if line[0] == ' ' || line[0] == '-' {
				last.old += text
			}
			if line[0] == ' ' || line[0] == '+' {
				last.new += text
			}
			if !strings.ContainsRune(" +-", rune(line[0])) {
				return nil, fmt.Errorf("%q is no line of a hunk", line)
			}
		}
	}
	return all, nil
}

// Sources returns the changed sources of the files that m changes, by their names below root.
func (m *Mutant) Sources(root string) (map[string]string, error) {
	sources := make(map[string]string)
	for _, c := range m.changes {
		text, read := sources[c.file]
		if !read {
			b, err := os.ReadFile(filepath.Join(root, c.file))
			if err != nil {
				return nil, fmt.Errorf("mutant %s is stale: %w", m.Name, err)
			}
			text = string(b)
		}
		whole, old := "\n"+text, "\n"+c.old // a hunk begins at the beginning of a line
		at := strings.Index(whole, old)
		if c.old == "" || at < 0 || strings.Contains(whole[at+1:], old) {
			return nil, fmt.Errorf("mutant %s is stale: %s must have these lines once, and has them never or more often:\n%s",
				m.Name, c.file, c.old)
		}
		if c.old == c.new {
			return nil, fmt.Errorf("mutant %s changes nothing in %s", m.Name, c.file)
		}
		sources[c.file] = text[:at] + c.new + text[at+len(c.old):]
	}
	return sources, nil
}
