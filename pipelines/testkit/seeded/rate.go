package seeded

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"path/filepath"
	"strconv"
)

// Runs is how often each test runs with fresh seeds.
const Runs = 20

// alpha bounds the probability that one call of Refutes rejects a rate that is right.
const alpha = 1e-5

// Refutes reports whether the failures in the runs refute that a test fails at most at the given rate. It uses an exact
// binomial test. The test's error is at most 1e-5. In 20 runs, two failures refute 1e-6, three refute 1e-4, and five
// refute 1e-2.
func Refutes(rate float64, runs, failures int) bool {
	as := 0.0 // the probability of this number of failures or more
	for k := failures; k <= runs; k++ {
		as += binomial(runs, k, rate)
	}
	return as < alpha
}

// binomial returns the probability that k of n runs fail at the given rate.
func binomial(n, k int, rate float64) float64 {
	all, _ := math.Lgamma(float64(n + 1))
	some, _ := math.Lgamma(float64(k + 1))
	others, _ := math.Lgamma(float64(n - k + 1))
	return math.Exp(all-some-others) * math.Pow(rate, float64(k)) * math.Pow(1-rate, float64(n-k))
}

// Rates returns the Rate of each function TestXxx that has a Chance, by the function's name. It reads the tests in a
// folder.
func Rates(folder string) (map[string]float64, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		return nil, err
	}
	rates := make(map[string]float64)
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return nil, err
		}
		for _, declaration := range file.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok {
				continue
			}
			for _, c := range chances(function) {
				rate, err := stated(c)
				if _, again := rates[function.Name.Name]; err != nil || again {
					return nil, fmt.Errorf("%s: %s wants one seeded.Chance with Seed, Margin and Rate: %w", name,
						function.Name.Name, err)
				}
				rates[function.Name.Name] = rate
			}
		}
	}
	return rates, nil
}

// chances returns the Chance literals in a function.
func chances(function *ast.FuncDecl) (all []*ast.CompositeLit) {
	ast.Inspect(function, func(n ast.Node) bool {
		if c, ok := n.(*ast.CompositeLit); ok {
			if kind, ok := c.Type.(*ast.SelectorExpr); ok && kind.Sel.Name == "Chance" {
				all = append(all, c)
			}
		}
		return true
	})
	return all
}

// stated returns the rate in a Chance literal. The literal must have all fields.
func stated(c *ast.CompositeLit) (rate float64, err error) {
	fields := make(map[string]string)
	for _, element := range c.Elts {
		if field, ok := element.(*ast.KeyValueExpr); ok {
			if value, ok := field.Value.(*ast.BasicLit); ok {
				fields[field.Key.(*ast.Ident).Name] = value.Value
			}
		}
	}
	if fields["Seed"] == "" || len(fields["Margin"]) < len(`"margin"`) {
		return 0, fmt.Errorf("the Chance has %v", fields)
	}
	if rate, err = strconv.ParseFloat(fields["Rate"], 64); err == nil && !(rate > 0 && rate < 1) {
		err = fmt.Errorf("a rate of %v", rate)
	}
	return rate, err
}
