// Package operations tests the files for operators against the programs: systemd units, Kubernetes manifests, rules, a
// dashboard and pages. It runs command lines, compares exit codes and metrics, and follows pages.
package operations
