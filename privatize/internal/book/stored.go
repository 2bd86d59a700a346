package book

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"

	"privpipe/pipelines/event"
)

// A Stored is a stored release that is read again. Its hash is checked when it is opened, and again at the end of
// reading, in case the file changed in between.
type Stored struct {
	file   *os.File
	hash   hash.Hash
	charge *event.Charge
}

// Stored opens the release that a charge stored. It refuses a release that is gone or that is not the charged one. The
// caller reads it to its end, lets nothing out as whole before that, and closes it.
func (b *Book) Stored(c *event.Charge) (*Stored, error) {
	file, err := os.Open(b.storedPath(c))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Refuse("round %d of run %s is charged, but its stored release is gone; new noise would release "+
			"the round twice",
			c.Round, c.Run)
	}
	if err != nil {
		return nil, err
	}
	s := &Stored{file: file, hash: sha256.New(), charge: c}
	_, err = io.Copy(io.Discard, s)
	if err == nil {
		s.hash.Reset()
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return s, nil
}

// Size returns the number of bytes.
func (s *Stored) Size() (int64, error) {
	info, err := s.file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Read implements io.Reader. At the end it refuses a release that is not the charged one.
func (s *Stored) Read(b []byte) (int, error) {
	n, err := s.file.Read(b)
	s.hash.Write(b[:n])
	if err == io.EOF && hex.EncodeToString(s.hash.Sum(nil)) != s.charge.Release {
		err = s.Refused()
	}
	return n, err
}

// Refused returns the error for a stored release that does not have its charge's hash.
func (s *Stored) Refused() error {
	return Refuse("the stored release of round %d of run %s is not the one that was charged", s.charge.Round,
		s.charge.Run)
}

// Close closes the file.
func (s *Stored) Close() error { return s.file.Close() }
