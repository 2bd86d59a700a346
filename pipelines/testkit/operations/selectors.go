package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/promql/parser"
)

// A selector is a metric in a query, with the labels that the query uses for it.
type selector struct {
	Query  string   `json:"query"`
	Metric string   `json:"metric"`
	Labels []string `json:"labels"` // the selector's labels, and the labels that the query groups or matches by
}

// selectors returns the metrics in queries. Each line is a query.
func selectors(queries string) ([]selector, error) {
	var all []selector
	for query := range strings.Lines(queries) {
		query = strings.TrimSpace(query)
		expression, err := parser.NewParser(parser.Options{}).ParseExpr(query)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", query, err)
		}
		grouped := make(map[string]bool)
		var found []*parser.VectorSelector
		parser.Inspect(expression, func(node parser.Node, _ []parser.Node) error {
			switch n := node.(type) {
			case *parser.VectorSelector:
				found = append(found, n)
			case *parser.AggregateExpr:
				addAll(grouped, n.Grouping)
			case *parser.BinaryExpr:
				if n.VectorMatching != nil {
					addAll(grouped, n.VectorMatching.MatchingLabels)
					addAll(grouped, n.VectorMatching.Include)
				}
			}
			return nil
		})
		for _, s := range found {
			labels := maps.Clone(grouped)
			for _, matcher := range s.LabelMatchers {
				if matcher.Name != "__name__" {
					labels[matcher.Name] = true
				}
			}
			all = append(all, selector{Query: query, Metric: s.Name, Labels: slices.Sorted(maps.Keys(labels))})
		}
	}
	return all, nil
}

func addAll(set map[string]bool, names []string) {
	for _, name := range names {
		set[name] = true
	}
}
