package plan

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"privpipe/pipelines/endpoint/plain"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
)

// readStatistics reads the matrices and bounds from --statistics, as if --matrix and --statistic had given them.
func (c *Flags) readStatistics(ctx context.Context) error {
	if c.Statistics == "" {
		return nil
	}
	if len(c.Statistic) > 0 || len(c.Matrix) > 0 {
		return exit.Errorf(exit.Usage, "--statistics names all matrices and bounds: leave out --statistic and --matrix")
	}
	in, err := plain.Open(ctx, c.Statistics)
	if err != nil {
		return err
	}
	defer in.Close()
	c.Matrix, c.Statistic, err = parseStatistics(in, in.Name)
	return err
}

// parseStatistics reads lines of the form "NAME=RxC BOUND". It skips empty lines and lines that begin with #.
func parseStatistics(r io.Reader, name string) (matrices []matrix, bounds []statistic, err error) {
	lines := bufio.NewScanner(r)
	line := 0
	for lines.Scan() {
		line++
		text := strings.TrimSpace(lines.Text())
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		m, b, err := parseLine(text)
		if err == nil && len(matrices) == wire.MaxMatrices {
			err = fmt.Errorf("more than %d matrices", wire.MaxMatrices)
		}
		if err != nil {
			return nil, nil, exit.Errorf(exit.Malformed, "%s: line %d: %w", name, line, err)
		}
		matrices, bounds = append(matrices, m), append(bounds, b)
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, nil, exit.Errorf(exit.Malformed, "%s: line %d is too long", name, line+1)
	} else if err != nil {
		return nil, nil, err
	}
	if len(matrices) == 0 {
		return nil, nil, exit.Errorf(exit.Malformed, "%s: names no statistic", name)
	}
	return matrices, bounds, nil
}

func parseLine(text string) (m matrix, b statistic, err error) {
	shape, bound, _ := strings.Cut(text, " ")
	if err = m.UnmarshalText([]byte(shape)); err == nil {
		err = b.UnmarshalText([]byte(m.name + "=" + strings.TrimSpace(bound)))
	}
	if err != nil || strings.Contains(m.name, "=") {
		return m, b, fmt.Errorf("%q is not NAME=RxC BOUND, such as z=1x50 7.5", text)
	}
	return m, b, nil
}
