package npy

import (
	"archive/zip"
	"errors"
	"io"
)

// Members are the arrays in an archive that numpy.savez or numpy.savez_compressed wrote.
type Members struct{ zip *zip.Reader }

// OpenMembers opens an archive of size bytes.
func OpenMembers(in io.ReaderAt, size int64) (*Members, error) {
	z, err := zip.NewReader(in, size)
	if err != nil {
		return nil, errors.New("not a .npz archive, or truncated")
	}
	return &Members{z}, nil
}

// Array begins an array by its name. It returns nil if the archive has none of this name.
func (m *Members) Array(name string) (*Array, error) {
	var found *zip.File
	for _, f := range m.zip.File {
		if f.Name != name+".npy" {
			continue
		}
		if found != nil {
			return nil, errors.New("is twice in the archive")
		}
		found = f
	}
	if found == nil {
		return nil, nil
	}
	in, err := found.Open()
	if err != nil {
		return nil, errors.New("cannot be opened: damaged, or compressed in a way that NumPy does not use")
	}
	return NewArray(in) // the archive's file is closed with the archive
}
