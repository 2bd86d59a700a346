package endtoend

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// A release is what the output has of a round.
type release struct {
	start int64  // of its first frame in the output
	hash  string // of what was stored of it
}

// decodeReleases reads a whole stream of releases: what is stored are the cells, as the stream has them.
func decodeReleases(output []byte) (map[int]release, error) {
	rounds, cells := make(map[int]release), make(map[int][]byte)
	err := each(output, func(in *stream.Reader, record *wire.Record) error {
		round := int(record.Round)
		if record.GetRelease() != nil {
			if _, twice := rounds[round]; twice {
				return fmt.Errorf("round %d is in the output twice", round)
			}
			var here *stream.FormatError
			errors.As(in.Errorf("here"), &here)
			rounds[round] = release{start: here.Offset}
		}
		cells[round] = append(cells[round], record.GetBlock().GetValues()...)
		return nil
	})
	for round, r := range rounds {
		r.hash = hash(cells[round])
		rounds[round] = r
	}
	return rounds, err
}

// decodeVocabulary reads a whole vocabulary file, which is what is stored.
func decodeVocabulary(output []byte) (map[int]release, error) {
	return map[int]release{1: {hash: hash(output)}}, nil
}

// decodeReports reads a whole stream of reports: what is stored is a bit for each word, in ⌈V/8⌉ bytes a document.
func decodeReports(output []byte) (map[int]release, error) {
	var bits []byte
	err := each(output, func(_ *stream.Reader, record *wire.Record) error {
		report := make([]byte, (reportWords+7)/8)
		for _, w := range wire.AppendIDs(nil, record.GetDocument().GetWordGaps()) {
			report[w/8] |= 1 << (w % 8)
		}
		bits = append(bits, report...)
		return nil
	})
	return map[int]release{1: {hash: hash(bits)}}, err
}

// each calls do for the records of a stream, which must be whole.
func each(output []byte, do func(*stream.Reader, *wire.Record) error) error {
	in, err := stream.NewReader(bytes.NewReader(output), "output")
	if err != nil {
		return err
	}
	for {
		record, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = do(in, record)
		}
		if err != nil {
			return err
		}
	}
}

// hash is SHA-256 as the ledger has it.
func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
