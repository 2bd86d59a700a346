// Package filter is the common part of all stages' mains: the command line, one run of the command, errors and logs on
// standard error, signals, and the one call of os.Exit. Main runs a stage as a process, Execute within one.
//
// Messages hold public quantities only. The one exception is the progress line on a terminal: see Run.Show.
package filter
