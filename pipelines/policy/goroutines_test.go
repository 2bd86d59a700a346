package policy

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestGoroutinesAreGuarded checks that a panic in any of our goroutines ends the program with the exit code for bugs,
// and prints no data. The goroutine's first function must defer exit.Guard, or a function that recovers, as its last
// defer.
func TestGoroutinesAreGuarded(t *testing.T) {
	unguarded, all := []string(nil), 0
	g := load(t)
	for _, path := range g.own() {
		if matches(path, append([]string{"pipelines/recipes/..."}, testOnly...)) {
			continue
		}
		var files []string
		for _, name := range g[path].GoFiles {
			files = append(files, filepath.Join(g[path].Dir, name))
		}
		bare, n, err := goroutines(files)
		if err != nil {
			t.Fatal(err)
		}
		unguarded, all = append(unguarded, bare...), all+n
	}
	if len(unguarded) > 0 || all < 10 {
		t.Errorf("of %d goroutines these are not guarded: %s", all, strings.Join(unguarded, ", "))
	}
}

// goroutines returns the places in one package's files that start a goroutine with an unguarded function. It also
// returns the number of all places that start a goroutine.
func goroutines(files []string) (unguarded []string, all int, err error) {
	set := token.NewFileSet()
	var parsed []*ast.File
	functions := make(map[string]*ast.BlockStmt) // by their names, which begin with a dot for methods
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			return nil, 0, err
		}
		file, err := parser.ParseFile(set, name, source, parser.SkipObjectResolution)
		if err != nil {
			return nil, 0, err
		}
		parsed = append(parsed, file)
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				functions[f.Name.Name] = f.Body
			} else if ok {
				functions["."+f.Name.Name] = f.Body
			}
		}
	}
	begin := func(function ast.Expr) {
		var body *ast.BlockStmt
		switch f := function.(type) {
		case *ast.FuncLit:
			body = f.Body
		case *ast.Ident:
			body = functions[f.Name]
		case *ast.SelectorExpr:
			body = functions["."+f.Sel.Name]
		}
		if all++; !guarded(body) {
			unguarded = append(unguarded, fmt.Sprint(set.Position(function.Pos())))
		}
	}
	for _, file := range parsed {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				begin(n.Call.Fun)
			case *ast.CallExpr:
				if s, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"Go", "AfterFunc"}, s.Sel.Name) {
					begin(n.Args[len(n.Args)-1])
				}
			}
			return true
		})
	}
	return unguarded, all, nil
}

// guarded reports whether the last defer of a function recovers from its panics.
func guarded(body *ast.BlockStmt) bool {
	if body == nil {
		return false
	}
	last := (*ast.DeferStmt)(nil)
	for _, s := range body.List {
		if d, ok := s.(*ast.DeferStmt); ok {
			last = d
		}
	}
	if last == nil {
		return false
	}
	catches := false
	ast.Inspect(last.Call, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			catches = catches || ok && x.Name == "exit" && n.Sel.Name == "Guard"
		case *ast.Ident:
			catches = catches || n.Name == "recover"
		}
		return true
	})
	return catches
}

// TestUnguardedAreFound checks the check.
func TestUnguardedAreFound(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.go")
	source := `package a
func bare() {}
func (a A) good() { defer close(a.c); defer exit.Guard() }
func early() { defer exit.Guard(); defer close(c) }
func f() {
	go bare()
	go a.good()
	go early()
	go func() { work() }()
	go other.Function()
	go func() { defer exit.Guard(); work() }()
	go func() { defer func() { caught = recover() }(); work() }()
	time.AfterFunc(1, func() { work() })
	time.AfterFunc(1, func() { defer exit.Guard(); work() })
	group.Go(func() { work() })
	group.Go(func() { if x { defer exit.Guard() }; work() })
}
`
	if err := os.WriteFile(name, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	unguarded, all, err := goroutines([]string{name})
	var lines []string
	for _, place := range unguarded {
		lines = append(lines, strings.Split(strings.TrimPrefix(place, name+":"), ":")[0])
	}
	if want := []string{"6", "8", "9", "10", "13", "15", "16"}; !slices.Equal(lines, want) || all != 11 || err != nil {
		t.Errorf("unguarded of %d in lines %v, want %v, %v", all, lines, want, err)
	}
}
