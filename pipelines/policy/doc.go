// Package policy is a test: it reads the module's import graph and sources and checks the rules that the architecture
// rests on. Each rule gives its reason. A rule is a statement of policy: a build that breaks one is mended in the code,
// not here.
package policy
