// Package policy is a test. It reads the module's import graph and sources, and checks the rules that the architecture
// rests on. Each rule gives its reason. If a change breaks a rule, correct the change, not the rule.
package policy
