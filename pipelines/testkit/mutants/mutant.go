package mutants

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

//go:embed faults
var faults embed.FS

// A Mutant is a fault.
type Mutant struct {
	Name   string
	Folder string   // the folder of its package
	Breaks string   // a description
	Tests  []Test   // each of these tests must find the fault
	Audits []string // arguments of evaluate audit; see Audited
	Finds  string   // a text that the audit's message must have
	Kills  bool     // the kills of pipelines/endtoend must find it
	// Scenario is the scenario of testkit/simulation that must find it, and Seed a seed that does. Empty: none.
	Scenario string
	Seed     uint64
	Replay   string // a pipeline of pipelines/endtoend, and the check of evaluate replay that must find it there

	changes []change
	with    []string // declarations that the changes need
}

// A Test is a test in a package, or a subtest: TestScripts/begin.
type Test struct{ Package, Name string }

func (t Test) String() string { return t.Name + " of ./" + t.Package }

// A change replaces old by new in a function or in a variable's value.
type change struct {
	folder   string // the folder of the package
	variable bool
	name     string // Function, Receiver.Method or variable
	old, new string
}

// Audited returns the stage that evaluate audit tests with the given arguments: estep if they begin with estep,
// otherwise privatize.
func Audited(arguments string) string {
	if first, _, _ := strings.Cut(arguments, " "); first == "estep" {
		return first
	}
	return "privatize"
}

// All returns all mutants, sorted by name.
func All() ([]*Mutant, error) {
	var all []*Mutant
	err := fs.WalkDir(faults, "faults", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(faults, path)
		if err != nil {
			return err
		}
		folder := strings.TrimSuffix(strings.TrimPrefix(path, "faults/"), ".txt")
		some, err := parse(folder, string(text))
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, some...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b *Mutant) int { return cmp.Compare(a.Name, b.Name) })
	for i, m := range all[min(1, len(all)):] {
		if m.Name == all[i].Name {
			return nil, fmt.Errorf("two mutants have the name %s", m.Name)
		}
	}
	return all, nil
}

var headline = regexp.MustCompile(`^([a-z0-9-]+): (.+)`)

// parse parses one folder's mutants.
func parse(folder, text string) (all []*Mutant, err error) {
	// A line that is indented twice continues the line before it.
	for line := range strings.SplitSeq(strings.ReplaceAll(strings.TrimSpace(text), "\n\t\t", "\x00"), "\n") {
		line = strings.ReplaceAll(line, "\x00", "\n")
		if head := headline.FindStringSubmatch(line); head != nil {
			breaks := strings.Join(strings.Fields(line[len(head[1])+1:]), " ")
			all = append(all, &Mutant{Name: head[1], Folder: folder, Breaks: breaks})
			continue
		}
		value, indented := strings.CutPrefix(line, "\t")
		if !indented || len(all) == 0 {
			return nil, fmt.Errorf("%q is no line of a mutant", line)
		}
		m := all[len(all)-1]
		if err := m.set(folder, value); err != nil {
			return nil, fmt.Errorf("mutant %s: %q: %w", m.Name, value, err)
		}
	}
	for _, m := range all {
		if err := m.check(); err != nil {
			return nil, fmt.Errorf("mutant %s %w", m.Name, err)
		}
	}
	return all, nil
}

// set adds the information of one line to the mutant.
func (m *Mutant) set(folder, line string) error {
	key, value, _ := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	what, name, _ := strings.Cut(key, " ")
	switch {
	case value == "":
		return errors.New("the line has no value")
	case key == "test":
		names := strings.Fields(value)
		if strings.HasPrefix(names[0], "./") {
			folder, names = names[0][2:], names[1:]
		}
		if len(names) == 0 {
			return errors.New("the line names no test")
		}
		for _, name := range names {
			m.Tests = append(m.Tests, Test{folder, name})
		}
	case key == "audit":
		m.Audits = append(m.Audits, value)
	case key == "finds":
		m.Finds = value
	case line == "kills: yes":
		m.Kills = true
	case key == "replay":
		m.Replay = value
	case key == "simulation":
		seed, scenario, _ := strings.Cut(value, " ")
		var err error
		m.Scenario = scenario
		m.Seed, err = strconv.ParseUint(seed, 10, 64)
		return err
	case key == "with":
		m.with = append(m.with, value)
	case what == "func" || what == "var":
		if other, within, ok := strings.Cut(name, " "); ok {
			folder, name = strings.TrimPrefix(other, "./"), within
		}
		old, changed, ok := strings.Cut(" "+value+" ", "=>")
		if old, changed = strings.TrimSpace(old), strings.TrimSpace(changed); !ok || old == changed {
			return errors.New("the line does not change OLD => NEW")
		}
		m.changes = append(m.changes, change{folder, what == "var", name, old, changed})
	default:
		return errors.New("no such line")
	}
	return nil
}

func (m *Mutant) check() error {
	switch {
	case len(m.Tests)+len(m.Audits) == 0 && !m.Kills && m.Replay == "" && m.Scenario == "":
		return errors.New("does not say what finds it")
	case len(m.Audits) > 0 && m.Finds == "":
		return errors.New("does not say what the audit finds")
	case len(m.changes) == 0:
		return errors.New("changes nothing")
	}
	return nil
}
