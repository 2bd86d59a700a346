// Package crash runs a program one system call at a time, under ptrace, and kills it between any two of them, or in the
// midst of a write. It also keeps account of what a power cut at that moment would leave of the program's files, which a
// kill does not show: the system keeps what a killed process has written and never synced.
//
// It serves the tests of programs that must survive both.
package crash
