package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	quoted  = regexp.MustCompile("`([^`]*)`")
	linked  = regexp.MustCompile(`\]\(([^)]*)\)`)
	heading = regexp.MustCompile(`(?m)^## (.*)$`)
)

// Every package of the privatizer has a claim, and so has package event, in four sections, and what a claim names is
// there: in backticks stands nothing but files, names of Go, and calls of them, and a link leads to a file. A claim
// that outlives a change of the code fails here.
func TestClaims(t *testing.T) {
	folders, err := filepath.Glob("internal/*")
	if err != nil || len(folders) < 4 {
		t.Fatalf("packages %v, %v", folders, err)
	}
	for _, folder := range append(folders, "../pipelines/event") {
		b, err := os.ReadFile(filepath.Join(folder, "claim.md"))
		if err != nil {
			t.Error(err)
			continue
		}
		claim := string(b)
		var sections []string
		for _, match := range heading.FindAllStringSubmatch(claim, -1) {
			sections = append(sections, match[1])
		}
		if got := strings.Join(sections, ", "); got != "Precondition, Statement, Proof, What in the code it rests on" {
			t.Errorf("%s: sections %s", folder, got)
		}
		if !strings.Contains(strings.ToLower(claim), "neighbouring relation") {
			t.Errorf("%s: no neighbouring relation", folder)
		}
		names := declared(t, folder)
		for _, match := range quoted.FindAllStringSubmatch(claim, -1) {
			name, _, _ := strings.Cut(match[1], "(")
			if strings.HasSuffix(name, ".go") {
				if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
					t.Errorf("%s: %v", folder, err)
				}
			} else if !names[name] && !foreign(t, name) {
				t.Errorf("%s: claim names %q, which is not declared", folder, name)
			}
		}
		for _, match := range linked.FindAllStringSubmatch(claim, -1) {
			if _, err := os.Stat(filepath.Join(folder, match[1])); err != nil {
				t.Errorf("%s: %v", folder, err)
			}
		}
	}
}

// Without this the test above could pass because everything counts as declared.
func TestClaimsOfUnknownNames(t *testing.T) {
	names := declared(t, "internal/clip")
	for _, name := range []string{"L3", "", "Clip.L2", "clip.L3", "fixed.Sum.Subtract", "unknown.L2", "L2.bound"} {
		if names[name] || foreign(t, name) {
			t.Errorf("%q counts as declared", name)
		}
	}
}

// foreign says whether name is package.Name of a package that the privatizer is made of, or of a few of the standard
// library.
func foreign(t *testing.T, name string) bool {
	t.Helper()
	switch name {
	case "bits.Div64", "math.Sqrt":
		return true
	}
	packageName, rest, found := strings.Cut(name, ".")
	if !found {
		return false
	}
	folders, err := filepath.Glob("internal/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range append(folders, "../pipelines/event") {
		if filepath.Base(folder) == packageName {
			return ast.IsExported(rest) && declared(t, folder)[rest]
		}
	}
	return false
}

// declared are the names that the Go files of a folder declare outside functions: functions, types, constants and
// variables as Name, methods and fields as Type.Name.
func declared(t *testing.T, folder string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	names := make(map[string]bool)
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range file.Decls {
			switch d := declaration.(type) {
			case *ast.FuncDecl:
				names[receiver(d)+d.Name.Name] = true
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					addSpec(names, spec)
				}
			}
		}
	}
	return names
}

func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	of := d.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if name, ok := of.(*ast.Ident); ok {
		return name.Name + "."
	}
	return "?."
}

func addSpec(names map[string]bool, spec ast.Spec) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range s.Names {
			names[name.Name] = true
		}
	case *ast.TypeSpec:
		names[s.Name.Name] = true
		if structure, ok := s.Type.(*ast.StructType); ok {
			for _, field := range structure.Fields.List {
				for _, name := range field.Names {
					names[s.Name.Name+"."+name.Name] = true
				}
			}
		}
	}
}
