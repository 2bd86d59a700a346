package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/ordered"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
	"privpipe/sample/internal/choose"
	"privpipe/sample/internal/coin"
	"privpipe/sample/internal/corpus"
)

type rounds struct {
	Poisson  float64 `group:"Scheme" xor:"scheme" required:"" placeholder:"Q" help:"Each unit by its own coin of probability Q, anew each round."`
	Fixed    uint64  `group:"Scheme" xor:"scheme" required:"" placeholder:"S" help:"S units without replacement, anew each round."`
	All      bool    `group:"Scheme" xor:"scheme" required:"" help:"Every unit in every round."`
	Allocate bool    `group:"Scheme" xor:"scheme" required:"" help:"Each unit in one of the rounds, by a secret coin."`
	Epoch    bool    `group:"Scheme" xor:"scheme" required:"" help:"Each unit in one of the rounds, by a public hash of its name."`
	Rounds   int     `short:"T" default:"1" help:"Number of rounds T of the plan."`

	Run_       string   `name:"run" help:"Name of the training run; privatize takes the grant's if there is none."`
	Unit       string   `enum:"document,user" default:"document" help:"Privacy unit: ${enum}. All documents of a user are drawn together; one without a user is a unit of its own."`
	FirstRound int      `default:"1" placeholder:"T" help:"Begin with round T: those before are done."`
	Secret     string   `placeholder:"FILE" help:"With --allocate: the key of the secret coins, made if FILE is not there. Keep it to resume the run, and keep it secret."`
	Seed       *uint64  `help:"FOR TESTS: repeatable coins, each by the round and the unit's name. The stream then says that nothing is amplified."`
	Memory     size     `default:"4GiB" help:"Documents beyond this go to a temporary file in TMPDIR."`
	Output     string   `short:"o" placeholder:"FILE" help:"Where the rounds go; standard output by default."`
	Inputs     []string `arg:"" optional:"" help:"Streams of documents; standard input by default."`
	filter.Compress
	filter.Workers
}

// Validate is kong's hook.
func (s *rounds) Validate() error {
	if err := event.CheckRounds(s.Rounds); err != nil {
		return fmt.Errorf("--rounds: %w", err)
	}
	if s.FirstRound < 1 || s.FirstRound > s.Rounds {
		return fmt.Errorf("--first-round must be in [1, %d], is %d", s.Rounds, s.FirstRound)
	}
	if s.Run_ != "" {
		if err := event.CheckName(s.Run_); err != nil {
			return fmt.Errorf("--run: %w", err)
		}
	}
	if s.Secret != "" && !s.Allocate {
		return errors.New("--secret belongs to --allocate")
	}
	if s.Secret != "" && s.Seed != nil {
		return errors.New("--seed and --secret exclude each other")
	}
	if s.Allocate && s.FirstRound > 1 && s.Secret == "" && s.Seed == nil {
		return errors.New("--first-round with --allocate needs --secret: new coins could throw a unit into a second round")
	}
	schemes := 0
	for _, given := range []bool{s.Poisson != 0, s.Fixed != 0, s.All, s.Allocate, s.Epoch} {
		if given {
			schemes++
		}
	}
	if schemes != 1 {
		return errors.New("one of --poisson, --fixed, --all, --allocate and --epoch must be given, one alone, and not be 0")
	}
	if s.Poisson != 0 {
		if err := event.CheckRate(s.Poisson); err != nil {
			return fmt.Errorf("--poisson: %w", err)
		}
	}
	return nil
}

// scheme is what the flags ask for, over a number of units.
func (s *rounds) scheme(units int) event.Scheme {
	scheme := event.Scheme{Rounds: s.Rounds, Secret: s.Seed == nil}
	switch {
	case s.All:
		scheme.Method, scheme.Rate, scheme.Secret = event.All, 1, false
	case s.Fixed > 0:
		scheme.Method, scheme.Size, scheme.Population = event.Fixed, s.Fixed, uint64(units)
		scheme.Rate = float64(s.Fixed) / float64(units)
	case s.Allocate:
		scheme.Method, scheme.Rate = event.Allocate, 1/float64(s.Rounds)
	case s.Epoch:
		scheme.Method, scheme.Rate, scheme.Secret = event.Epoch, 1/float64(s.Rounds), false
	default:
		scheme.Method, scheme.Rate = event.Poisson, s.Poisson
	}
	return scheme
}

// Run is kong's hook.
func (s *rounds) Run(r *filter.Run) error {
	if err := endpoint.Distinct(s.Output, append(s.Inputs, s.Secret)...); err != nil {
		return err
	}
	if r.DryRun() {
		return nil
	}
	documents, h, err := s.load(r)
	if err != nil {
		return err
	}
	defer documents.Close()
	chooser, scheme, err := s.chooser(documents)
	if err != nil {
		return err
	}
	out, err := endpoint.CreateStream(s.Output, &wire.Header{
		Version: wire.Version, Kind: wire.Kind_ROUNDS, Side: wire.Side_PRIVATE, Run: s.Run_, Unit: documents.Unit(),
		Vocabulary: h.Vocabulary, VocabularySize: h.VocabularySize,
	}, s.Compress.Compress)
	if err != nil {
		return err
	}
	defer out.Abort()
	for round := s.FirstRound; round <= s.Rounds; round++ {
		r.Status("round %d of %d", round, s.Rounds)
		if err := s.write(r, out, documents, scheme, uint32(round), chooser.Round(round)); err != nil {
			return err
		}
	}
	return out.Commit()
}

// load reads the corpus.
func (s *rounds) load(r *filter.Run) (*corpus.Corpus, *wire.Header, error) {
	unit := wire.Unit_DOCUMENT
	if s.Unit == event.User {
		unit = wire.Unit_USER
	}
	documents := corpus.New(int64(s.Memory), unit)
	inputs := s.Inputs
	if len(inputs) == 0 {
		inputs = []string{endpoint.Stdio}
	}
	var header *wire.Header
	for _, name := range inputs {
		in, h, err := endpoint.OpenStream(name, endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_DOCUMENTS}})
		if err != nil {
			return nil, nil, err
		}
		defer in.Close()
		if header == nil {
			header = h
		} else if string(h.Vocabulary) != string(header.Vocabulary) || h.VocabularySize != header.VocabularySize {
			return nil, nil, exit.Errorf(exit.Malformed, "%s: documents over another vocabulary than %s", name, inputs[0])
		}
		if err := addAll(r, documents, in); err != nil {
			return nil, nil, err
		}
	}
	if err := documents.Seal(); errors.Is(err, corpus.ErrTwice) {
		return nil, nil, exit.Errorf(exit.Malformed, "%w", err).
			WithHint("give every document an id of its own: a unit counts once a round")
	} else if err != nil {
		return nil, nil, err
	}
	return documents, header, nil
}

func addAll(r *filter.Run, documents *corpus.Corpus, in *endpoint.StreamReader) error {
	for r.Err() == nil {
		record, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = documents.Add(record.GetDocument())
		}
		if err != nil {
			return err
		}
	}
	return r.Err()
}

// chooser prepares the scheme for a corpus.
func (s *rounds) chooser(documents *corpus.Corpus) (*choose.Chooser, *wire.Scheme, error) {
	units := documents.Digests()
	if s.Fixed > uint64(len(units)) {
		// How many there are is private: the scheme's own check would tell.
		return nil, nil, exit.Errorf(exit.Usage, "--fixed %d is more units than the corpus has", s.Fixed)
	}
	scheme := s.scheme(len(units))
	var key []byte
	if s.Allocate {
		var err error
		if key, err = s.key(); err != nil {
			return nil, nil, err
		}
		scheme.Coins = choose.AllocationName(key)
	} else if scheme.Secret {
		scheme.Coins = strings.ToLower(rand.Text()) // 130 bits, public
	}
	record, err := wire.SchemeOf(scheme)
	if err != nil {
		return nil, nil, exit.Errorf(exit.Usage, "%w", err)
	}
	if s.Seed != nil {
		chooser, err := choose.NewSeeded(scheme, units, coin.Seed(*s.Seed))
		return chooser, record, err
	}
	chooser, err := choose.New(scheme, units, coin.Secret(), key)
	return chooser, record, err
}

// key returns the key of an allocation: the seed's, that of --secret, else a new one.
func (s *rounds) key() ([]byte, error) {
	if s.Seed != nil {
		return coin.Seed(*s.Seed).Key(), nil
	}
	key := make([]byte, 32)
	rand.Read(key)
	if s.Secret == "" {
		return key, nil
	}
	stored, err := endpoint.ReadFile(s.Secret, 32)
	if errors.Is(err, os.ErrNotExist) {
		if s.FirstRound > 1 {
			return nil, exit.Errorf(exit.Missing, "%s: not there, but --first-round %d needs the key of the rounds before",
				s.Secret, s.FirstRound)
		}
		return key, endpoint.WriteFile(s.Secret, wire.Side_PRIVATE, key)
	}
	if err == nil && len(stored) != len(key) {
		err = exit.Errorf(exit.Malformed, "%s: not a key of 32 bytes", s.Secret)
	}
	return stored, err
}

// batchDocuments is how many documents a worker encodes at a time.
const batchDocuments = 512

// write writes one round. Workers encode and compress; the order is that of the corpus.
func (s *rounds) write(r *filter.Run, out *endpoint.StreamWriter, documents *corpus.Corpus, scheme *wire.Scheme,
	round uint32, chosen choose.Set) error {
	open := &wire.RoundOpen{Scheme: scheme}
	if err := out.Write(&wire.Record{Round: round, Body: &wire.Record_RoundOpen{RoundOpen: open}}); err != nil {
		return err
	}
	i, records := 0, uint64(0)
	next := func() (batch []int, more bool, err error) {
		for ; i < documents.Documents() && len(batch) < batchDocuments; i++ {
			if chosen.Has(documents.UnitOf(i)) {
				batch = append(batch, i)
			}
		}
		records += uint64(len(batch))
		return batch, len(batch) > 0, nil
	}
	encode := func(_ int, batch []int) ([]*stream.Batch, error) {
		encoded := make([]*wire.Record, len(batch))
		for j, i := range batch {
			d, err := documents.Document(i)
			if err != nil {
				return nil, err
			}
			encoded[j] = &wire.Record{Round: round, Body: &wire.Record_Document{Document: d}}
		}
		return out.Framer().Batches(encoded)
	}
	err := ordered.Map(r, s.N(), next, encode, func(batches []*stream.Batch) error {
		for _, b := range batches {
			if err := out.WriteBatch(b); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	end := &wire.RoundClose{Records: records}
	for unit, digest := range documents.Digests() {
		if chosen.Has(unit) {
			end.Units++
			end.UnitDigest += digest
		}
	}
	if err := out.Write(&wire.Record{Round: round, Body: &wire.Record_RoundClose{RoundClose: end}}); err != nil {
		return err
	}
	return out.Flush()
}

// size is a number of bytes with a unit, as flags give it: 512MiB, 4GiB.
type size int64

var units = map[string]float64{"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *size) UnmarshalText(text []byte) error {
	number := strings.TrimRight(string(text), "BiKMGT")
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	factor, ok := units[string(text[len(number):])]
	if err != nil || !ok || !(n >= 0 && n*factor < math.MaxInt64) {
		return fmt.Errorf("%q is not a size like 512MiB", text)
	}
	*s = size(n * factor)
	return nil
}
