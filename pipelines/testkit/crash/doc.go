// Package crash runs a program one system call at a time, under ptrace. It kills the program between any two calls, or
// in the middle of a write. It also models the files that a power cut at that moment would leave. A kill does not show
// this: the system keeps bytes that a killed process has written and never synced.
//
// It serves the tests of programs that must survive both.
package crash
