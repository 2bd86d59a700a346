// Package manual makes manual pages and tables for shell completion from a kong command line. No shipped stage links
// it: package filter links it only under the build tag manual, for pipelines/install/install.sh.
package manual
