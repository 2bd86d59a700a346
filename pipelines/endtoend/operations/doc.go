// Package operations holds what operators are given, units of systemd, manifests of Kubernetes, rules, a dashboard and pages,
// against the programs themselves: command lines are run, exit codes and metrics compared, pages followed.
package operations
