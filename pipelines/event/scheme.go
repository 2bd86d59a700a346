package event

import (
	"errors"
	"fmt"
	"regexp"
)

// The ways to choose a round's units.
const (
	All      = "all"      // every unit in every round
	Poisson  = "poisson"  // each unit by its own coin, drawn again in each round
	Fixed    = "fixed"    // Size of Population units without replacement, drawn again in each round
	Allocate = "allocate" // each unit in exactly one round of each epoch, by a secret coin for each epoch

	// Each unit in exactly one of Rounds rounds, by a public hash of its name or by the window of time when it arrived.
	Epoch = "epoch"
)

// A Scheme states how the units of each round were chosen. Its numbers are public; the choice of units is private.
type Scheme struct {
	Method string  `json:"method"`
	Rate   float64 `json:"rate"`           // expected share of the units in a round, in (0, 1]
	Size   uint64  `json:"size,omitempty"` // Fixed only: units in a round
	// Fixed only: units in all, public under replace-one and replace-null
	Population uint64 `json:"population,omitempty"`
	Rounds     int    `json:"rounds"` // planned number of rounds, in all epochs together
	// Allocate only: number of epochs, each with equally many rounds; 0 for one
	Epochs int  `json:"epochs,omitempty"`
	Secret bool `json:"secret"` // coins came from the operating system or a secret key, not from a seed

	// Coins names the throw of coins that chose the units. Rounds with the same number and the same name hold the same
	// units, in every run.
	//
	// All rounds of an Allocate share one throw, which has one coin for each unit and epoch. Rounds of two throws, or
	// of two epochs, may hold one unit twice. The rounds of an Epoch by windows have the name of the state that keeps a
	// unit out of a second round. Rounds of two states may hold one unit twice. An Epoch by hash needs no name.
	//
	// Coins is empty in a grant, which is made before the throw, and if the sampler does not name its coins.
	Coins string `json:"coins,omitempty"`
}

// Check reports the first rule that s breaks.
func (s Scheme) Check() error {
	if err := CheckRate(s.Rate); err != nil {
		return err
	}
	if err := CheckRounds(s.Rounds); err != nil {
		return err
	}
	if s.Method != Fixed && (s.Size != 0 || s.Population != 0) {
		return errors.New("size and population belong to fixed-size sampling only")
	}
	if s.Epochs != 0 && (s.Method != Allocate || s.Epochs < 2 || s.Rounds%s.Epochs != 0) {
		return fmt.Errorf("epochs belong to %s only, are at least 2, and divide the %d rounds: there are %d", Allocate,
			s.Rounds, s.Epochs)
	}
	if s.Method == All && s.Coins != "" {
		return errors.New("named coins, but the method throws none")
	}
	if len(s.Coins) > 64 {
		return errors.New("name of coins has more than 64 bytes")
	}
	switch s.Method {
	case All:
		if s.Rate != 1 {
			return fmt.Errorf("rate must be 1 where all units are in each round, is %v", s.Rate)
		}
	case Poisson:
	case Fixed:
		if s.Size == 0 || s.Size > s.Population {
			return fmt.Errorf("size of a round must be in [1, population %d], is %d", s.Population, s.Size)
		}
		if s.Rate != float64(s.Size)/float64(s.Population) {
			return fmt.Errorf("rate %v is not size over population", s.Rate)
		}
	case Allocate, Epoch:
		if s.Rate != 1/float64(s.EpochRounds()) {
			return fmt.Errorf("rate %v is not one over the number of rounds, or of rounds of an epoch", s.Rate)
		}
	default:
		return fmt.Errorf("unknown sampling method %q", s.Method)
	}
	return nil
}

// CheckDraws checks the pure loss of the draws that give one token its topic in a round: finite and not negative.
func CheckDraws(loss float64) error {
	if loss == 0 {
		return nil
	}
	return positive("loss of draws", loss)
}

// CheckCoins checks that the name of the coins is empty or has a form that samplers write: 128 bits in hexadecimal, or
// 26 characters of base32 for a state of windows. The name is published. The form leaves no room for text, but the name
// holds 128 or 130 bits, and no check shows that the sampler drew them at random.
func (s Scheme) CheckCoins() error {
	if s.Coins != "" && !coinsName.MatchString(s.Coins) {
		return errors.New("name of the coins must be 32 hexadecimal digits, or 26 characters of base32")
	}
	return nil
}

var coinsName = regexp.MustCompile(`^([0-9a-f]{32}|[A-Z2-7]{26})$`)

// String describes s for messages.
func (s Scheme) String() string {
	text := s.Method
	switch s.Method {
	case Poisson:
		text = fmt.Sprintf("poisson(%v)", s.Rate)
	case Fixed:
		text = fmt.Sprintf("fixed(%d/%d)", s.Size, s.Population)
	}
	if !s.Secret && s.Method != All && s.Method != Epoch {
		text += " from a seed"
	}
	if s.Epochs > 0 {
		return fmt.Sprintf("%s × %d × %d", text, s.EpochRounds(), s.Epochs)
	}
	return fmt.Sprintf("%s × %d", text, s.Rounds)
}

// Same says whether s equals planned except for the name of the coins.
func (s Scheme) Same(planned Scheme) bool {
	s.Coins = planned.Coins
	return s == planned
}

// EpochRounds returns the number of rounds in one epoch: all rounds, unless there are several epochs.
func (s Scheme) EpochRounds() int { return s.Rounds / max(1, s.Epochs) }

// EpochOf returns a round's epoch, from 0. s must have passed its Check.
func (s Scheme) EpochOf(round int) int {
	if s.Epochs == 0 {
		return 0
	}
	return (round - 1) / s.EpochRounds()
}

// Disjoint says whether every unit is in exactly one round in each epoch. Losses of such rounds do not add up.
func (s Scheme) Disjoint() bool { return s.Method == Allocate || s.Method == Epoch }
