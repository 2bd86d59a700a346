package rounds

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"privpipe/pipelines/event"
	"privpipe/pipelines/wire"
)

// SubjectOf returns the part of a stream's header that a release repeats.
func SubjectOf(h *wire.Header) event.Subject {
	s := event.Subject{Model: h.Model, Vocabulary: hex.EncodeToString(h.Vocabulary),
		VocabularySize: int(h.VocabularySize)}
	for _, m := range h.Matrices {
		s.Matrices = append(s.Matrices,
			event.Matrix{Name: m.Name, Rows: int(m.Rows), Columns: int(m.Columns), Symmetric: m.Symmetric})
	}
	return s
}

// HashOf returns the hash of all public settings that a round's stored release and its header depend on.
func HashOf(h *wire.Header, grant *event.Grant) (string, error) {
	return Digest(struct {
		Subject event.Subject
		Unit    string
		Grant   *event.Grant
	}{SubjectOf(h), h.Unit.String(), grant})
}

// Digest returns the name of settings: the SHA-256 of their JSON, in hexadecimal.
func Digest(settings any) (string, error) {
	b, err := json.Marshal(settings)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), err
}
