package modelfile

import (
	"bufio"
	"bytes"
	"context"
	"strings"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
)

// A Seed is a topic that its user named, and words that stand for it.
type Seed struct {
	Name  string
	Words []string
}

// ReadSeeds reads a public list of topics: a line has a name, a colon, and words with spaces between. Empty lines and
// lines that begin with # are left out.
func ReadSeeds(ctx context.Context, name string) ([]Seed, error) {
	const most = 1 << 20
	text, err := endpoint.ReadFile(ctx, name, most)
	if err != nil {
		return nil, err
	}
	var seeds []Seed
	known := make(map[string]bool)
	lines := bufio.NewScanner(bytes.NewReader(bytes.TrimPrefix(text, byteOrderMark)))
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		topic, words, _ := strings.Cut(line, ":")
		s := Seed{strings.TrimSpace(topic), strings.Fields(strings.ToLower(words))}
		if s.Name == "" || len(s.Words) == 0 || known[s.Name] {
			return nil, exit.Errorf(exit.Malformed,
				"%s: line %d: must be a name, which no line before has, a colon, and words", name, number)
		}
		known[s.Name], seeds = true, append(seeds, s)
	}
	if err := lines.Err(); err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	if len(seeds) == 0 {
		return nil, exit.Errorf(exit.Malformed, "%s: no topic", name)
	}
	return seeds, nil
}
