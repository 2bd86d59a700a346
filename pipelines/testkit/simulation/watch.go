package simulation

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit/simulation/effect"
	"privpipe/pipelines/testkit/simulation/system"
	"privpipe/pipelines/wire/stream"
)

// A Watcher watches a ledger and all that leaves a privatizer.
type Watcher struct {
	world    *World
	ledger   string
	canary   []byte
	outputs  map[*system.Handle][]byte
	released map[uint32]string // the digest of each release that left, by its round
}

// Watch watches what is written in a world: a release only leaves when the ledger has its charge and a power cut cannot
// take it back, each round has one release, and the canary is in nothing that is public.
func Watch(w *World, ledger, canary string) *Watcher {
	watcher := &Watcher{w, ledger, []byte(canary), make(map[*system.Handle][]byte), make(map[uint32]string)}
	w.Machine.Wrote = watcher.wrote
	return watcher
}

// program returns the name of a process's program.
func program(p *effect.Process) string {
	name, _, _ := strings.Cut(p.Name, " ")
	return name
}

// wrote looks at bytes that a process has written.
func (w *Watcher) wrote(p *effect.Process, h *system.Handle, b []byte) {
	if program(p) != "privatize" {
		return
	}
	stored := strings.HasPrefix(h.Path, w.ledger+".releases")
	if bytes.Contains(b, w.canary) {
		w.world.Fail("private words were written to %s", h.Path)
	}
	if stored || strings.HasPrefix(h.Path, w.ledger) {
		return
	}
	w.outputs[h] = append(w.outputs[h], b...)
	sets, err := releases(w.outputs[h])
	if err != nil {
		w.world.Fail("%s: %v", h.Path, err)
	}
	charged, err := w.charged(w.world.Machine.Files.Durable(w.ledger))
	if err != nil {
		w.world.Fail("%v", err)
	}
	for round, digest := range sets {
		if before := w.released[round]; before != "" && before != digest {
			w.world.Fail("round %d left twice, with different noise", round)
		}
		w.released[round] = digest
		if charged[round] != digest {
			w.world.Fail("round %d left, and its charge is not durable", round)
		}
	}
}

// releases returns the digests of the whole releases in the beginning of a stream.
func releases(b []byte) (map[uint32]string, error) {
	found := make(map[uint32]string)
	r, err := stream.NewReader(bytes.NewReader(b), "output")
	for err == nil {
		var set *stream.Set
		if set, err = stream.ReadSet(r, nil); err == nil {
			digest := set.Digest()
			found[set.Round] = hex.EncodeToString(digest[:])
		}
	}
	if err == io.EOF || errors.Is(err, stream.ErrEmpty) || stream.Cut(err, "output") {
		err = nil
	}
	return found, err
}

// Complete says whether bytes are a whole stream of releases, with its end.
func Complete(b []byte) bool {
	r, err := stream.NewReader(bytes.NewReader(b), "output")
	for err == nil {
		_, err = stream.ReadSet(r, nil)
	}
	return err == io.EOF
}

// charged returns the digest of the release of each round that a ledger charges.
func (w *Watcher) charged(content []byte) (map[uint32]string, error) {
	ledger, err := event.ReadLedger(bytes.NewReader(content), w.ledger)
	if err != nil {
		return nil, err
	}
	if err := ledger.Check(w.ledger); err != nil {
		return nil, err
	}
	digests := make(map[uint32]string)
	for _, c := range ledger.Charges() {
		if digests[uint32(c.Round)] != "" || c.Attempt != 0 {
			return nil, fmt.Errorf("round %d was charged twice", c.Round)
		}
		digests[uint32(c.Round)] = c.Release
	}
	return digests, nil
}

// Released returns the digest of each release that left, by its round.
func (w *Watcher) Released() map[uint32]string { return w.released }

// Ended checks that each of the rounds was charged once, and left.
func (w *Watcher) Ended(rounds int) error {
	charged, err := w.charged(w.world.Machine.Files.Durable(w.ledger))
	if err != nil {
		return err
	}
	for round := 1; round <= rounds; round++ {
		if digest := charged[uint32(round)]; digest == "" || w.released[uint32(round)] != digest {
			return fmt.Errorf("round %d was not charged, or not released", round)
		}
	}
	if len(charged) != rounds || len(w.released) != rounds {
		return fmt.Errorf("%d rounds were charged and %d released, must be %d", len(charged), len(w.released), rounds)
	}
	if bytes.Contains([]byte(w.world.Messages()), w.canary) {
		return errors.New("messages have private words")
	}
	return nil
}
