// Package manual makes manual pages and tables for shell completion of a command line as kong knows it. No stage that is shipped
// has it: package filter links it under the build tag manual, for pipelines/install/install.sh.
package manual
