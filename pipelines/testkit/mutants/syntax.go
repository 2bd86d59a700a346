package mutants

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"regexp"
	"slices"
)

// A fragment is a list of expressions, as between the braces in a composite literal, or a list of statements.
type fragment struct {
	expressions []ast.Expr
	statements  []ast.Stmt
}

// fragments parses both sides of the change: as expressions if both sides are, otherwise as statements.
func fragments(old, changed string) (from, to fragment, err error) {
	if from.expressions, err = expressions(old); err == nil {
		to.expressions, err = expressions(changed)
	}
	if err == nil {
		return from, to, nil
	}
	if from.statements, err = statements(old); err == nil {
		to.statements, err = statements(changed)
	}
	from.expressions, to.expressions = nil, nil
	return from, to, err
}

func expressions(text string) ([]ast.Expr, error) {
	text = "package p; var _ = T{\n" + text + ",\n}"
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	literal, ok := file.Decls[0].(*ast.GenDecl).Specs[0].(*ast.ValueSpec).Values[0].(*ast.CompositeLit)
	if !ok || len(file.Decls) > 1 {
		return nil, errors.New("no list of expressions")
	}
	return literal.Elts, nil
}

func statements(text string) ([]ast.Stmt, error) {
	text = "package p; func _() {\n" + text + "\n}"
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	if len(file.Decls) > 1 {
		return nil, errors.New("no list of statements")
	}
	return file.Decls[0].(*ast.FuncDecl).Body.List, nil
}

// A span is a fragment's position.
type span struct{ from, to token.Pos }

// find returns a fragment's positions below a node.
func find(below ast.Node, f fragment) (all []span) {
	ast.Inspect(below, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		v := reflect.ValueOf(n).Elem()
		for i := range v.NumField() {
			switch field := v.Field(i).Interface().(type) {
			case ast.Expr:
				// The name in a field or a label is not an expression.
				if v.Type().Field(i).Type.Kind() == reflect.Interface && field != nil {
					all = append(all, windows([]ast.Expr{field}, f.expressions)...)
				}
			case ast.Stmt:
				if v.Type().Field(i).Type.Kind() == reflect.Interface && field != nil {
					all = append(all, windows([]ast.Stmt{field}, f.statements)...)
				}
			case []ast.Expr:
				all = append(all, windows(field, f.expressions)...)
			case []ast.Stmt:
				all = append(all, windows(field, f.statements)...)
			}
		}
		return true
	})
	slices.SortFunc(all, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	return all
}

// windows returns the positions in list that equal sought.
func windows[N ast.Node](list, sought []N) (all []span) {
	for i := 0; len(sought) > 0 && i+len(sought) <= len(list); i++ {
		if window := list[i : i+len(sought)]; equal(reflect.ValueOf(window), reflect.ValueOf(sought)) {
			all = append(all, span{window[0].Pos(), window[len(window)-1].End()})
		}
	}
	return all
}

// equal compares syntax; it ignores positions and comments.
func equal(a, b reflect.Value) bool {
	switch a.Interface().(type) {
	case *ast.CommentGroup:
		return true
	case token.Pos:
		return true
	}
	switch a.Kind() {
	case reflect.Interface, reflect.Pointer:
		if a.IsNil() || b.IsNil() || a.Elem().Type() != b.Elem().Type() {
			return a.IsNil() && b.IsNil()
		}
		return equal(a.Elem(), b.Elem())
	case reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !equal(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		for i := range a.NumField() {
			if !equal(a.Field(i), b.Field(i)) {
				return false
			}
		}
		if call, ok := a.Interface().(ast.CallExpr); ok { // f(a) and f(a...) differ only by a position
			return call.Ellipsis.IsValid() == b.Interface().(ast.CallExpr).Ellipsis.IsValid()
		}
		return true
	default:
		return a.Equal(b)
	}
}

var numbered = regexp.MustCompile(`^(\d+)/(\d+) `)

// locate finds where a change must be made below a node. This is the only place that has old, or the Ith of N places if
// old begins with I/N. If old is empty, it is the beginning of the function.
func (c *change) locate(below ast.Node) (at span, replacement string, err error) {
	old, i, n := c.old, 1, 1
	if prefix := numbered.FindString(old); prefix != "" {
		fmt.Sscanf(prefix, "%d/%d", &i, &n)
		old = old[len(prefix):]
	}
	from, to, err := fragments(old, c.new)
	if err != nil {
		return at, "", err
	}
	if function, ok := below.(*ast.FuncDecl); ok && old == "" {
		at = span{function.Body.Lbrace + 1, function.Body.Lbrace + 1}
		return at, "\n" + c.new + "\n", nil
	}
	all := find(below, from)
	if len(all) != n || i < 1 || i > n {
		return at, "", fmt.Errorf("has %q %d times, must have it %d times", old, len(all), n)
	}
	replacement = c.new
	if len(to.expressions) == 1 {
		switch to.expressions[0].(type) {
		case *ast.BinaryExpr, *ast.UnaryExpr, *ast.StarExpr: // these bind less tightly than what may stand beside them
			replacement = "(" + replacement + ")"
		}
	}
	return all[i-1], replacement, nil
}
