package wire

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
)

func checkSum(h *Header, s *Sum) error {
	if len(s.Settings) != sha256.Size {
		return fmt.Errorf("settings of a sum must have %d bytes, have %d", sha256.Size, len(s.Settings))
	}
	if (s.Clip == 0) != (s.Grant == "") {
		return errors.New("sum has a clip without a grant, or a grant without a clip")
	}
	return checkSteps(h, s.Grant, s.Grid, s.Bounds)
}

// KeySize is the size of a unit's key in Members, in bytes. A key is the first KeySize bytes of the SHA-256 of the
// unit's name.
const KeySize = 16

func checkMembers(m *Members) error {
	if len(m.Keys) == 0 || len(m.Keys)%KeySize != 0 {
		return fmt.Errorf("members must be a positive number of keys of %d bytes", KeySize)
	}
	for i := KeySize; i < len(m.Keys); i += KeySize {
		if bytes.Compare(m.Keys[i-KeySize:i], m.Keys[i:i+KeySize]) >= 0 {
			return errors.New("members are not in strictly ascending order")
		}
	}
	return nil
}
