package features

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"privpipe/pipelines/exit"
	"privpipe/tokenize/internal/name"
)

// An ImageFolder reads the PNG files below a folder, in lexical order. An image's label is the path of its folder,
// relative to the root. An image in the root has no label.
type ImageFolder struct {
	root  string
	size  ImageSize
	paths []string
}

// mostFile is the largest size of a PNG file, in bytes. It is far more than mostPixels take without compression.
const mostFile = 16 << 20

// NewImageFolder finds the images below root. Hidden files and folders, and files without the extension .png, are left
// out.
func NewImageFolder(root string, size ImageSize) (*ImageFolder, error) {
	f := &ImageFolder{root: root, size: size}
	// With the separator, WalkDir follows a root that is a symbolic link to a folder.
	err := filepath.WalkDir(root+string(filepath.Separator), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		hidden := below != "." && strings.HasPrefix(entry.Name(), ".")
		if hidden && entry.IsDir() {
			return fs.SkipDir
		}
		if hidden || entry.IsDir() || !strings.EqualFold(filepath.Ext(path), ".png") {
			return nil
		}
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() { // reading a FIFO would wait
			return err
		}
		f.paths = append(f.paths, below)
		return nil
	})
	if err == nil && len(f.paths) == 0 {
		err = exit.Errorf(exit.Missing, "%s: no .png file in this folder", root)
	}
	return f, err
}

// Next returns the next image, and io.EOF after the last. A colour counts as its luminance over black (ITU-R BT.601).
func (f *ImageFolder) Next() (made Image, err error) {
	if len(f.paths) == 0 {
		return made, io.EOF
	}
	below := f.paths[0]
	f.paths = f.paths[1:]
	if folder := name.OfPath(filepath.Dir(below)); folder != "." {
		made.Label = folder
	}
	path := filepath.Join(f.root, below)
	fail := func(format string, args ...any) error {
		return exit.Errorf(exit.Malformed, "%s: "+format, append([]any{path}, args...)...)
	}
	b, err := readFile(path)
	if err != nil {
		return made, err
	}
	if len(b) > mostFile {
		return made, fail("larger than %d MiB", mostFile>>20)
	}
	is, err := png.DecodeConfig(bytes.NewReader(b)) // before memory is taken for an image of that size
	if err != nil {
		return made, fail("no PNG image, or a damaged one: %w", pngError(err))
	}
	if is.Height != f.size.Rows || is.Width != f.size.Columns {
		return made, exit.Errorf(exit.Malformed, "%s: the image must be of %v pixels", path, f.size).
			WithHint("--image says how large images are")
	}
	decoded, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		return made, fail("a damaged PNG image: %w", pngError(err))
	}
	made.Pixels = intensities(decoded, f.size)
	return made, nil
}

// readFile reads at most mostFile+1 bytes, so that the caller can tell a file that is too large.
func readFile(path string) ([]byte, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(io.LimitReader(in, mostFile+1))
}

// pngError reports an end of file inside the image as a truncated file.
func pngError(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errors.New("the file is truncated")
	}
	return err
}

func intensities(of image.Image, size ImageSize) []byte {
	pixels := make([]byte, 0, size.Rows*size.Columns)
	corner := of.Bounds().Min
	for row := range size.Rows {
		for column := range size.Columns {
			gray := color.GrayModel.Convert(of.At(corner.X+column, corner.Y+row)).(color.Gray)
			pixels = append(pixels, gray.Y)
		}
	}
	return pixels
}
