package model

import "privpipe/pipelines/wire/stream"

// A Learner turns releases into parameters, round by round. It only post-processes released numbers, outside the
// privacy wall.
type Learner interface {
	// Family is the model's family, and Size the model's size.
	Family() *Family
	Size() Size

	// Update takes a round's release. The round must be after Round. After an error the learner may have taken a part
	// of the release, and must not be used.
	Update(*Release) error

	// Round is the round of the last release, 0 before the first.
	Round() uint32

	// Parameters returns the parameters for the next round's E-step, or nil if the family's E-step needs none. It
	// changes nothing that State returned.
	Parameters() *Snapshot

	// Model returns the content for a model file. It is called after a release.
	Model() (*Snapshot, error)

	// State returns the learner's complete state; Restore sets it.
	State() *Snapshot
	Restore(*stream.Set) error
}

// A Judge is a Learner that estimates from the releases how much of the model is above the noise.
type Judge interface {
	// AboveNoise returns, for each component, the number of words, or of dimensions, that are clearly above the noise.
	AboveNoise() []int
}
