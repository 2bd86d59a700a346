// Package endtoend tests the stages together, as a user runs them: built binaries in a shell.
package endtoend
