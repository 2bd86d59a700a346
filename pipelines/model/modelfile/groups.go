package modelfile

import (
	"bufio"
	"bytes"
	"context"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
)

// Other is the name of the last group, of documents whose label is not in the list.
const Other = "other"

// byteOrderMark begins files of some editors.
var byteOrderMark = []byte("\xef\xbb\xbf")

// Groups are the names of groups, in the order of their rows. The last one is Other. Without groups there is one row.
type Groups []string

// ReadGroups reads a public list of labels, one a line. Empty lines and lines that begin with # are left out. No file
// name means no groups.
func ReadGroups(ctx context.Context, name string) (Groups, error) {
	if name == "" {
		return nil, nil
	}
	const most = 1 << 20
	text, err := endpoint.ReadFile(ctx, name, most)
	if err != nil {
		return nil, err
	}
	var groups Groups
	known := map[string]bool{Other: true}
	lines := bufio.NewScanner(bytes.NewReader(bytes.TrimPrefix(text, byteOrderMark)))
	for number := 1; lines.Scan(); number++ {
		label := lines.Text()
		if label == "" || label[0] == '#' {
			continue
		}
		if known[label] {
			return nil, exit.Errorf(exit.Malformed, "%s: line %d: a group must have a name, once, that is not %q", name,
				number, Other)
		}
		known[label], groups = true, append(groups, label)
	}
	if err := lines.Err(); err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	return append(groups, Other), nil
}

// Rows returns the number of rows.
func (g Groups) Rows() int { return max(1, len(g)) }

// Numbers returns the row of each group.
func (g Groups) Numbers() map[string]uint32 {
	rows := make(map[string]uint32)
	for i, label := range g {
		rows[label] = uint32(i)
	}
	return rows
}
