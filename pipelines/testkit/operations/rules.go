package main

import (
	"os"

	"sigs.k8s.io/yaml"
)

// A rule is a Prometheus rule: a record or an alert.
type rule struct {
	Record      string            `json:"record,omitempty"`
	Alert       string            `json:"alert,omitempty"`
	Query       string            `json:"expr"`
	For         string            `json:"for,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// rules returns the rules in a file. A field that rules do not have is an error.
func rules(file string) ([]rule, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var read struct {
		Groups []struct {
			Name  string `json:"name"`
			Rules []rule `json:"rules"`
		} `json:"groups"`
	}
	if err := yaml.UnmarshalStrict(content, &read); err != nil {
		return nil, err
	}
	var all []rule
	for _, group := range read.Groups {
		all = append(all, group.Rules...)
	}
	return all, nil
}
