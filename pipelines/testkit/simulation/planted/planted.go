// Package planted chooses the mutant for the stages of a simulation. The choice can change between two runs.
package planted

// Number is the mutant's, counted from 1; 0: none.
var Number int

// Either returns the value of a variable that a mutant changes.
func Either[T any](number int, changed, sound T) T {
	if Number == number {
		return changed
	}
	return sound
}
