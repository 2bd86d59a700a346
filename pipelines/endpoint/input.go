package endpoint

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"

	"privpipe/pipelines/endpoint/topic"
	"privpipe/pipelines/exit"
)

// Stdio is the name of standard input and standard output.
const Stdio = "-"

// An Input is an open input. Messages use its Name.
type Input struct {
	io.Reader
	Name string
	file io.Closer // nil for standard input
}

// Close closes the input; standard input stays open.
func (in *Input) Close() error {
	if in.file == nil {
		return nil
	}
	return in.file.Close()
}

// Open opens an input for reading. The names "" and "-" mean standard input; other names are paths or topics of text. A
// read from a FIFO waits for the first writer.
func Open(ctx context.Context, name string) (*Input, error) {
	s := scopeOf(ctx)
	if name == "" || name == Stdio {
		if err := checkStdin(ctx); err != nil {
			return nil, err
		}
		if s.DryRun {
			return &Input{Reader: unread{}, Name: "standard input"}, nil
		}
		return &Input{Reader: s.run.told(s.stdin(), s.stdin(), "standard input"), Name: "standard input"}, nil
	}
	if topic.Is(name) {
		return openText(ctx, name)
	}
	if err := local(name); err != nil {
		return nil, err
	}
	if isFIFO(name) && s.DryRun {
		return &Input{Reader: unread{}, Name: name}, checkFIFO(name)
	}
	if isFIFO(name) {
		f, err := openFIFO(ctx, name)
		if err != nil {
			return nil, err
		}
		return &Input{Reader: s.run.told(f, f.File, name), Name: name, file: f}, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return &Input{Reader: f, Name: name, file: f}, nil
}

// openText opens a text topic. Each message is a line.
func openText(ctx context.Context, name string) (*Input, error) {
	t, l, err := OpenTexts(ctx, name)
	if err != nil {
		return nil, err
	}
	return &Input{Reader: awaited{t, scopeOf(ctx).run, "messages of " + l.Topic, broker}, Name: l.Topic, file: t}, nil
}

// OpenTexts opens a text topic, to be read message by message.
func OpenTexts(ctx context.Context, name string) (topic.Texts, *topic.Location, error) {
	l, err := topic.Parse(name)
	if err != nil {
		return nil, nil, err
	}
	if l.Group != "" {
		return nil, nil, exit.Errorf(exit.Usage, "%s: a group is for estep and privatize", l)
	}
	l.BrokerTime, l.Whole = l.FromTime() && !Of(ctx).TrustStamps, true
	t, err := topic.Of(l).OpenText(context.Background(), l)
	return t, l, err
}

// Size returns the number of bytes in a regular file. For other inputs, known is false.
func Size(ctx context.Context, name string) (bytes int64, known bool) {
	info, err := Stat(ctx, name)
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	return info.Size(), true
}

// Stat describes an input; "" and "-" are standard input.
func Stat(ctx context.Context, input string) (os.FileInfo, error) {
	if input == "" || input == Stdio {
		return scopeOf(ctx).stdin().Stat()
	}
	return os.Stat(input)
}

// local refuses a URL.
func local(name string) error {
	if topic.Is(name) {
		return exit.Errorf(exit.Usage, "%s: a topic, and this must be a file", name)
	}
	if scheme, _, ok := strings.Cut(name, "://"); ok {
		return exit.Errorf(exit.Usage, "%s: endpoints of scheme %q are unknown; use a path, a FIFO or -", name, scheme)
	}
	return nil
}

// Distinct refuses an output that is also one of the inputs; the input "-" is standard input.
func Distinct(ctx context.Context, output string, inputs ...string) error {
	out, err := os.Stat(output)
	if err != nil || !out.Mode().IsRegular() {
		return nil // a new output, or an output that writing does not replace
	}
	for _, input := range inputs {
		if in, err := Stat(ctx, input); err == nil && os.SameFile(in, out) {
			return exit.Errorf(exit.Usage, "output %s is also the input", output)
		}
	}
	return nil
}

// Once refuses an input that is given twice, also under another name of its file: the input's records would count
// twice.
func Once(ctx context.Context, inputs []string) error {
	for i, name := range inputs {
		if slices.Contains(inputs[:i], name) || Distinct(ctx, name, inputs[:i]...) != nil {
			return exit.Errorf(exit.Usage, "input %s is given twice", name)
		}
	}
	return nil
}

// ReadFile reads a small file, such as a grant, whole. A file larger than limit bytes is an error.
func ReadFile(ctx context.Context, name string, limit int64) ([]byte, error) {
	if err := local(name); err != nil {
		return nil, err
	}
	in, err := Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	b, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = exit.Errorf(exit.Malformed, "%s: larger than %d bytes", in.Name, limit)
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

// ReadKey reads the key of secret coins; the key must have size bytes. ReadKey refuses a file that all users may read
// or change, since its content is no secret. Group access is allowed: Kubernetes, for example, gives a volume to a
// group.
func ReadKey(ctx context.Context, name string, size int) ([]byte, error) {
	key, err := ReadFile(ctx, name, int64(size))
	if err != nil {
		return nil, err
	}
	if len(key) != size {
		return nil, exit.Errorf(exit.Malformed, "%s: not a key of %d bytes", name, size)
	}
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o007 != 0 {
		return nil, exit.Errorf(exit.Usage, "%s: holds a secret, and all may read or change it (mode %04o)", name,
			info.Mode().Perm()).
			WithHint("chmod 600 %s; if others can have read it, it is no secret any more", name)
	}
	return key, nil
}
