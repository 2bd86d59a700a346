package mutants

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"privpipe/pipelines/testkit/overlay"
)

// variable names the mutant that a program with the overlay becomes.
const variable = "PRIVPIPE_MUTANT"

// chooser is the package that reads the variable. Only overlays have it.
const chooser = `package chosen

import (
	"fmt"
	"os"
)

// Number is that of the mutant.
var Number = func() int {
	name, known := os.LookupEnv(%q)
	number, ok := map[string]int{"": 0, %s}[name]
	if known && !ok {
		fmt.Fprintf(os.Stderr, "there is no mutant %%s\n", name)
		os.Exit(125)
	}
	return number
}()

// Either returns the value of a variable that a mutant changes.
func Either[T any](number int, changed, sound T) T {
	if Number == number {
		return changed
	}
	return sound
}
`

// A program is a module's source, with the changes that mutants make to it.
type program struct {
	*overlay.Overlay
	module  string
	folders map[string][]*source
}

// A source is a file.
type source struct {
	name    string // relative to the root
	file    *ast.File
	set     *token.FileSet
	text    string
	values  map[*ast.ValueSpec]string // the new values of changed variables
	choices map[*ast.FuncDecl]string  // the choices between a function's copies
	head    string                    // imports
	tail    string                    // copies and declarations
}

func newProgram(o *overlay.Overlay) (*program, error) {
	text, err := o.Read("go.mod")
	if err != nil {
		return nil, err
	}
	module := regexp.MustCompile(`(?m)^module (\S+)`).FindStringSubmatch(text)
	if module == nil {
		return nil, fmt.Errorf("go.mod names no module")
	}
	return &program{o, module[1], make(map[string][]*source)}, nil
}

// sources parses the source files in a folder.
func (p *program) sources(folder string) ([]*source, error) {
	if all, ok := p.folders[folder]; ok {
		return all, nil
	}
	paths, err := filepath.Glob(filepath.Join(p.Root, folder, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		name := filepath.Join(folder, filepath.Base(path))
		text, err := p.Read(name)
		if err != nil {
			return nil, err
		}
		s := &source{name: name, set: token.NewFileSet(), text: text,
			values: make(map[*ast.ValueSpec]string), choices: make(map[*ast.FuncDecl]string)}
		if s.file, err = parser.ParseFile(s.set, path, s.text, parser.SkipObjectResolution); err != nil {
			return nil, err
		}
		p.folders[folder] = append(p.folders[folder], s)
	}
	return p.folders[folder], nil
}

// add adds a mutant under its number.
func (p *program) add(m *Mutant, number int) error {
	type place struct {
		in *source
		of ast.Node
	}
	changes, order := make(map[place][]change), []place(nil)
	for _, c := range m.changes {
		all, err := p.sources(c.folder)
		if err != nil {
			return err
		}
		var found []place
		for _, s := range all {
			for _, of := range s.declared(c.name, c.variable) {
				found = append(found, place{s, of})
			}
		}
		if len(found) != 1 {
			return fmt.Errorf("mutant %s is stale: %s has %d of %s", m.Name, c.folder, len(found), c.name)
		}
		if changes[found[0]] == nil {
			order = append(order, found[0])
		}
		changes[found[0]] = append(changes[found[0]], c)
	}
	for _, at := range order {
		if err := at.in.change(at.of, changes[at], number); err != nil {
			return fmt.Errorf("mutant %s is stale: %s: %w", m.Name, changes[at][0].name, err)
		}
	}
	for _, declaration := range m.with {
		if s := order[0].in; !strings.HasPrefix(declaration, "import ") {
			s.tail += "\n" + declaration + "\n"
		} else if !strings.Contains(s.head, declaration) {
			s.head += "; " + declaration
		}
	}
	return nil
}

// declared returns the functions or variables with the given name.
func (s *source) declared(name string, variable bool) (all []ast.Node) {
	for _, d := range s.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if !variable && d.Body != nil && fullName(d) == name {
				all = append(all, d)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				v, ok := spec.(*ast.ValueSpec)
				single := ok && d.Tok == token.VAR && len(v.Names) == 1 && len(v.Values) == 1
				if variable && single && v.Names[0].Name == name {
					all = append(all, v)
				}
			}
		}
	}
	return all
}

// fullName returns Function, or Receiver.Method.
func fullName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	for {
		switch of := t.(type) {
		case *ast.StarExpr:
			t = of.X
		case *ast.IndexExpr:
			t = of.X
		case *ast.IndexListExpr:
			t = of.X
		case *ast.Ident:
			return of.Name + "." + f.Name.Name
		default:
			return ""
		}
	}
}

// An edit replaces a span in a source by a text.
type edit struct {
	span
	text string
}

// with returns the part of the source in a span, with the edits made.
func (s *source) with(within span, edits []edit) (string, error) {
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var text strings.Builder
	at := within.from
	for _, e := range edits {
		if e.from < at {
			return "", fmt.Errorf("two changes overlap")
		}
		text.WriteString(s.between(at, e.from) + e.text)
		at = e.to
	}
	return text.String() + s.between(at, within.to), nil
}

func (s *source) between(from, to token.Pos) string { return s.text[s.offset(from):s.offset(to)] }

func (s *source) offset(p token.Pos) int { return s.set.Position(p).Offset }

// change makes one mutant's changes to a function or a variable. They take effect if the mutant's number is chosen.
func (s *source) change(of ast.Node, changes []change, number int) error {
	value, variable := of.(*ast.ValueSpec)
	below := of
	if variable {
		below = &ast.ParenExpr{X: value.Values[0]} // the parentheses make it possible to find the value itself
	}
	var edits []edit
	for _, c := range changes {
		at, replacement, err := c.locate(below)
		if err != nil {
			return err
		}
		edits = append(edits, edit{at, replacement})
	}
	if variable {
		sound := value.Values[0]
		changed, err := s.with(span{sound.Pos(), sound.End()}, edits)
		if err != nil {
			return err
		}
		if s.values[value] == "" {
			s.values[value] = s.between(sound.Pos(), sound.End())
		}
		s.values[value] = fmt.Sprintf("chosenMutant.Either(%d, %s, %s)", number, changed, s.values[value])
		return nil
	}
	f := of.(*ast.FuncDecl)
	name := fmt.Sprintf("%s__%d", f.Name.Name, number)
	again, err := s.with(span{f.Pos(), f.End()}, append(edits, edit{span{f.Name.Pos(), f.Name.End()}, name}))
	if err != nil {
		return err
	}
	call, err := s.call(f, name)
	if err != nil {
		return err
	}
	s.tail += "\n" + again + "\n"
	s.choices[f] += fmt.Sprintf(" case %d: %s;", number, call)
	return nil
}

// call returns the statement that passes a function's arguments on to its copy.
func (s *source) call(f *ast.FuncDecl, name string) (string, error) {
	var recovers bool
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if _, within := n.(*ast.FuncLit); within {
			return false
		}
		call, ok := n.(*ast.CallExpr)
		if ok {
			called, ok := call.Fun.(*ast.Ident)
			recovers = recovers || ok && called.Name == "recover"
		}
		return true
	})
	if recovers {
		return "", fmt.Errorf("it recovers from panics, which a copy that it calls could not")
	}
	if f.Recv != nil {
		name = s.names(f.Recv)[0] + "." + name
	}
	if f.Type.TypeParams != nil {
		name += "[" + strings.Join(s.names(f.Type.TypeParams), ", ") + "]"
	}
	name += "(" + strings.Join(s.names(f.Type.Params), ", ") + ")"
	if f.Type.Results == nil {
		return name + "; return", nil
	}
	return "return " + name, nil
}

// names returns the names of parameters as arguments. A parameter without a name gets any value.
func (s *source) names(list *ast.FieldList) (all []string) {
	for _, field := range list.List {
		kind, variadic := field.Type.(*ast.Ellipsis)
		for i := range max(1, len(field.Names)) {
			switch {
			case len(field.Names) > 0 && field.Names[i].Name != "_" && variadic:
				all = append(all, field.Names[i].Name+"...")
			case len(field.Names) > 0 && field.Names[i].Name != "_":
				all = append(all, field.Names[i].Name)
			case variadic:
				all = append(all, "*new([]"+s.between(kind.Elt.Pos(), kind.Elt.End())+")...")
			default:
				all = append(all, "(*new("+s.between(field.Type.Pos(), field.Type.End())+"))")
			}
		}
	}
	return all
}

// changed returns the source with all mutants.
func (s *source) changed(chosen string) (string, error) {
	head := edit{span{s.file.Name.End(), s.file.Name.End()}, fmt.Sprintf("; import chosenMutant %q", chosen) + s.head}
	edits := []edit{head}
	for f, choices := range s.choices {
		at := f.Body.Lbrace + 1
		edits = append(edits, edit{span{at, at}, "switch chosenMutant.Number {" + choices + " };"})
	}
	for v, text := range s.values {
		edits = append(edits, edit{span{v.Values[0].Pos(), v.Values[0].End()}, text})
	}
	whole := s.set.File(s.file.Pos())
	text, err := s.with(span{token.Pos(whole.Base()), token.Pos(whole.Base() + whole.Size())}, edits)
	return text + s.tail, err
}

// Overlay writes sources into a folder and returns the file for go's flag -overlay. A build of the module below root
// with this overlay has all mutants. The program is the mutant that the variable PRIVPIPE_MUTANT names when it runs, or
// none.
func Overlay(root, folder string, all []*Mutant) (string, error) {
	return write(root, folder, func(o *overlay.Overlay) error { return Choose(o, all) })
}

// Choose adds all mutants to an overlay, and the package that reads PRIVPIPE_MUTANT.
func Choose(o *overlay.Overlay, all []*Mutant) error {
	var numbers []string
	for i, m := range all {
		numbers = append(numbers, fmt.Sprintf("%q: %d", m.Name, i+1))
	}
	return plant(o, all, fmt.Sprintf(chooser, variable, strings.Join(numbers, ", ")))
}

func plant(o *overlay.Overlay, all []*Mutant, chooser string) error {
	const chosen = "pipelines/testkit/mutants/chosen"
	o.Files[chosen+"/chosen.go"] = chooser
	return Plant(o, all, chosen)
}

func write(root, folder string, change func(*overlay.Overlay) error) (string, error) {
	o, err := overlay.New(root)
	if err != nil {
		return "", err
	}
	if err := change(o); err != nil {
		return "", err
	}
	return o.Write(folder)
}

// Plant adds all mutants to an overlay. The package in the folder chosen has the number of the mutant that the program
// is, counted from 1, and a function Either: see chooser.
func Plant(o *overlay.Overlay, all []*Mutant, chosen string) error {
	p, err := newProgram(o)
	if err != nil {
		return err
	}
	for i, m := range all {
		if err := p.add(m, i+1); err != nil {
			return err
		}
	}
	for _, sources := range p.folders {
		for _, s := range sources {
			if len(s.choices)+len(s.values) == 0 {
				continue
			}
			text, err := s.changed(path.Join(p.module, chosen))
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			o.Files[s.name] = text
		}
	}
	return nil
}
