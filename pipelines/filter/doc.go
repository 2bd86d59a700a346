// Package filter is what the mains of all stages share: the command line, one run of the command, errors and logs on
// standard error, signals, and the one call of os.Exit.
//
// Messages hold public quantities, but for the line that a terminal shows of how far a run is: see Run.Show.
package filter
