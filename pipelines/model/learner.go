package model

import "privpipe/pipelines/wire/stream"

// A Learner turns releases into parameters, round by round. All that it does is post-processing of released numbers, outside
// the privacy wall.
type Learner interface {
	// Family is the family of the model, and Size its size.
	Family() *Family
	Size() Size

	// Update takes the release of a round, after Round.
	Update(*Release) error

	// Round is the round of the last release, 0 before the first.
	Round() uint32

	// Parameters are what the E-step needs for the next round. It is nil for a family whose E-step needs none.
	Parameters() *Snapshot

	// Model is what a model file holds.
	Model() (*Snapshot, error)

	// State is all that the learner needs to go on from here; Restore takes it back.
	State() *Snapshot
	Restore(*stream.Set) error
}

// A Judge is a Learner that can tell from what was released how much of it stands out of the noise.
type Judge interface {
	// Distinct is the number of words a component, on average, that are there beyond doubt.
	Distinct() float64
}
