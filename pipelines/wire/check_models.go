package wire

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

func checkParameters(p *Parameters) error {
	names := make(map[string]bool)
	for _, s := range p.Scalars {
		if err := checkName("scalar's name", s.Name, 1); err != nil {
			return err
		}
		if names[s.Name] {
			return fmt.Errorf("scalar %q occurs twice", s.Name)
		}
		names[s.Name] = true
		if math.IsNaN(s.Value) || math.IsInf(s.Value, 0) {
			return fmt.Errorf("scalar %q is %v, must be finite", s.Name, s.Value)
		}
	}
	return nil
}

func checkWords(h *Header, w *Words) error {
	if uint64(w.First)+uint64(len(w.Words)) > uint64(h.VocabularySize) {
		return fmt.Errorf("words beyond the vocabulary's %d", h.VocabularySize)
	}
	for _, s := range w.Words {
		if err := checkWord(s); err != nil {
			return err
		}
	}
	return nil
}

func checkScore(s *Score) error {
	if err := checkName("document id", s.Id, 0); err != nil {
		return err
	}
	if s.CompletionTokens > s.Tokens {
		return errors.New("score predicts more tokens than the document has")
	}
	for _, v := range []float64{s.Bound, s.Unigram, s.Completion, s.CompletionUnigram, s.PlugIn} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("score must be finite, is %v", v)
		}
	}
	return nil
}

func checkPrediction(h *Header, p *Prediction) error {
	if err := cmp.Or(checkName("document id", p.Id, 0), checkName("label", p.Label, 0)); err != nil {
		return err
	}
	if len(p.Probabilities) != 4*int(h.VocabularySize) {
		return errors.New("prediction has not one probability of 4 bytes for each column")
	}
	for i := 0; i < len(p.Probabilities); i += 4 {
		if v := math.Float32frombits(binary.LittleEndian.Uint32(p.Probabilities[i:])); !(v >= 0 && v <= 1) {
			return errors.New("prediction has a probability outside [0, 1]")
		}
	}
	return checkGaps("true column", p.TruthGaps, h.VocabularySize)
}
