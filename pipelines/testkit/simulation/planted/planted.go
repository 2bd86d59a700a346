// Package planted says which mutant the stages of a simulation are. It can be changed between two runs.
package planted

// Number is that of the mutant, counted from 1; 0: none.
var Number int

// Either returns the value of a variable that a mutant changes.
func Either[T any](number int, changed, sound T) T {
	if Number == number {
		return changed
	}
	return sound
}
