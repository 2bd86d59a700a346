package endpoint

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/term"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
)

// An Output is an open output. Commit makes the output complete. Abort without Commit removes an unfinished file; Abort
// after Commit does nothing.
type Output struct {
	file *os.File
	// A file is written as temporary and then renamed to path. Both names are empty for standard output, FIFOs and
	// devices.
	temporary, path string
	terminal        *shown // nil: file is not a terminal
	reader          string // describes the pipe's reader; empty: file is not a pipe
	stdout          bool
	done            bool
	run             *run
}

// Create opens an output. side says on which side of the wall its data belongs. "" and "-" mean standard output. Create
// refuses to write private data to a terminal; for public data on a terminal the name must be "-". Only the owner can
// read a file with private data. For a FIFO Create waits for the reader.
func Create(ctx context.Context, name string, side wire.Side) (*Output, error) {
	s := scopeOf(ctx)
	if name == "" || name == Stdio {
		if term.IsTerminal(int(s.stdout().Fd())) {
			if side != wire.Side_PUBLIC {
				return nil, errPrivate()
			}
			if name == "" {
				return nil, exit.Errorf(exit.Usage, "refusing to write binary data to a terminal").
					WithHint("name a file with -o, or force it with -o -")
			}
			if s.OnTerminal != nil {
				s.OnTerminal()
			}
		}
		if err := checkStdout(s.stdout()); err != nil {
			return nil, err
		}
		return opened(ctx, s.stdout()), nil
	}
	if err := local(name); err != nil {
		return nil, err
	}
	t, err := Resolve(name)
	switch {
	case err != nil:
		return nil, err
	case t.Descriptor == syscall.Stdout:
		return Create(ctx, Stdio, side)
	case t.Descriptor >= 0:
		return openDescriptor(ctx, name, t.Descriptor, side)
	}
	info, err := os.Stat(t.Path)
	switch {
	case err != nil: // a new file
	case info.IsDir():
		return nil, exit.Errorf(exit.Usage, "output %s is a folder", name)
	case info.Mode()&os.ModeSocket != 0:
		return nil, exit.Errorf(exit.Usage, "output %s is a socket", name)
	case !info.Mode().IsRegular() || t.foreign:
		open := func(_ context.Context, name string) (*os.File, error) { return os.OpenFile(name, os.O_WRONLY, 0) }
		switch {
		case isFIFO(name):
			open = createFIFO
		case info.Mode().IsRegular():
			open = func(_ context.Context, name string) (*os.File, error) {
				return os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
			}
		}
		f, err := open(ctx, name)
		if err != nil {
			return nil, err
		}
		if info.Mode()&os.ModeCharDevice != 0 && side != wire.Side_PUBLIC && term.IsTerminal(int(f.Fd())) {
			f.Close()
			return nil, errPrivate()
		}
		return opened(ctx, f), nil
	}
	mode := os.FileMode(0o666)
	if side != wire.Side_PUBLIC {
		mode = 0o600
	}
	f, err := s.run.createTemporary(t.Path, mode)
	if err != nil {
		return nil, named(name, err)
	}
	return &Output{file: f, temporary: f.Name(), path: t.Path, run: s.run}, nil
}

// opened returns an Output that writes to f directly, without a temporary file.
func opened(ctx context.Context, f *os.File) *Output {
	widen(f)
	s := scopeOf(ctx)
	o := &Output{file: f, stdout: f == s.stdout(), run: s.run}
	info, err := f.Stat() // f.Fd() would make a pipe block
	if pipe(info, err) {
		o.reader = "the reader of " + map[bool]string{true: "standard output", false: f.Name()}[o.stdout]
	}
	if err == nil && info.Mode()&os.ModeCharDevice != 0 && term.IsTerminal(int(f.Fd())) {
		o.terminal = new(shown)
	}
	return o
}

func errPrivate() error {
	return exit.Errorf(exit.Usage, "refusing to write private data to a terminal").
		WithHint("name a file with -o, or pipe the output on")
}

// Write writes b; it reports a short write as an error, like an *os.File.
// On a terminal it shows control characters instead of sending them.
func (o *Output) Write(b []byte) (int, error) {
	if o.reader != "" {
		defer o.run.await(o.reader, somebody)()
	}
	if o.terminal == nil {
		return o.file.Write(b)
	}
	if _, err := o.file.WriteString(o.terminal.next(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// LetAllRead lets every user of the machine read the output file, whatever this process's umask.
func (o *Output) LetAllRead() error {
	if o.temporary == "" {
		return nil
	}
	return o.file.Chmod(0o644)
}

// Cheap implements output: a process on the same machine reads a pipe, whatever the kind.
func (o *Output) Cheap(wire.Kind) bool { return o.Pipe() }

// Pipe says whether the output is a pipe or a socket, so that another process probably reads the other end.
func (o *Output) Pipe() bool { return pipe(o.file.Stat()) }

// Sends says whether written bytes leave at once. Only for a regular file they wait for Commit; standard output may be
// one, too.
func (o *Output) Sends() bool {
	info, err := o.file.Stat()
	return err == nil && !info.Mode().IsRegular()
}

// Piped predicts the result of Pipe before the output is opened.
func Piped(ctx context.Context, name string) bool {
	if name == "" || name == Stdio {
		return pipe(scopeOf(ctx).stdout().Stat())
	}
	return pipe(os.Stat(name))
}

func pipe(info os.FileInfo, err error) bool {
	return err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0
}

// Commit completes the output. A file is synced and renamed to its path, and its folder is synced too.
func (o *Output) Commit() error {
	if o.done {
		return nil
	}
	o.done = true
	if o.temporary == "" {
		// This also closes standard output: its reader must see the end while this process may still work.
		var err error
		if o.terminal != nil {
			_, err = o.file.WriteString(Visible(string(o.terminal.rest), true))
		}
		return cmp.Or(err, o.close())
	}
	err := o.file.Sync()
	if err == nil {
		// before Close: the file's lock tells other programs that this program writes it
		err = os.Rename(o.temporary, o.path)
	}
	if e := o.file.Close(); err == nil {
		err = e
	}
	if err != nil {
		os.Remove(o.temporary)
	}
	o.run.forget(o.temporary)
	if err != nil {
		return err
	}
	return SyncFolder(o.path)
}

func (o *Output) close() error {
	if o.stdout {
		o.run.closed.Store(true)
	}
	return o.file.Close()
}

// Abort drops an output that was not committed, and removes its temporary file.
func (o *Output) Abort() {
	if o.done {
		return
	}
	o.done = true
	o.close()
	if o.temporary != "" {
		os.Remove(o.temporary)
		o.run.forget(o.temporary)
	}
}

// SyncFolder makes the entry of path durable in its folder.
func SyncFolder(path string) error {
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// WriteFile writes a small file whole or not at all. Public content is text that a terminal may show, so for public
// content the name "" means standard output.
func WriteFile(ctx context.Context, name string, side wire.Side, content []byte) error {
	if name == "" && side == wire.Side_PUBLIC {
		name = Stdio
	}
	out, err := Create(ctx, name, side)
	if err != nil {
		return err
	}
	defer out.Abort()
	if _, err := out.Write(content); err != nil {
		return err
	}
	return out.Commit()
}
