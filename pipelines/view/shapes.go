package view

// The shapes of the lines, with the names of wire.proto. The wire format has gaps, bytes and lists of pairs to be small; a line
// has ids, numbers and objects instead.

type redacted struct {
	Round    uint32 `json:"round,omitempty"`
	Redacted bool   `json:"redacted"`
}

type header struct {
	Version        uint32   `json:"version"`
	Kind           string   `json:"kind"`
	Side           string   `json:"side"`
	Run            string   `json:"run,omitempty"`
	Model          string   `json:"model,omitempty"`
	Unit           string   `json:"unit,omitempty"`
	Vocabulary     string   `json:"vocabulary,omitempty"` // hexadecimal
	VocabularySize uint32   `json:"vocabulary_size"`
	Matrices       []matrix `json:"matrices,omitempty"`
	Settings       string   `json:"settings,omitempty"` // hexadecimal
	Values         bool     `json:"values,omitempty"`   // documents of real numbers
}

type matrix struct {
	Name      string `json:"name"`
	Rows      uint32 `json:"rows"`
	Columns   uint32 `json:"columns"`
	Element   string `json:"element"`
	Symmetric bool   `json:"symmetric,omitempty"`
}

type document struct {
	Round uint32         `json:"round,omitempty"`
	ID    string         `json:"id"`
	User  string         `json:"user,omitempty"`
	Label string         `json:"label,omitempty"`
	Words map[string]any `json:"words"` // count, or value, by word id
}

type scheme struct {
	Method     string  `json:"method"`
	Rate       float64 `json:"rate"`
	Size       uint64  `json:"size,omitempty"`
	Population uint64  `json:"population,omitempty"`
	Rounds     uint32  `json:"rounds"`
	Secret     bool    `json:"secret"`
	Coins      string  `json:"coins,omitempty"`
}

type roundOpen struct {
	Round   uint32  `json:"round"`
	Scheme  scheme  `json:"scheme"`
	Draws   float64 `json:"draws,omitempty"`
	Coupled bool    `json:"coupled,omitempty"`
}

type roundClose struct {
	Round      uint32 `json:"round"`
	Units      uint64 `json:"units"`
	Records    uint64 `json:"records"`
	UnitDigest string `json:"unit_digest"` // hexadecimal
}

type contribution struct {
	Round  uint32 `json:"round"`
	Unit   string `json:"unit"`
	Record string `json:"record,omitempty"`
	Parts  []part `json:"parts,omitempty"`
	More   bool   `json:"more,omitempty"`
}

type part struct {
	Matrix   string   `json:"matrix"`
	Rows     []uint32 `json:"rows,omitempty"`    // none: all
	Columns  []uint32 `json:"columns,omitempty"` // none: all
	Values   any      `json:"values"`            // row by row; of rows, then of columns, where they are factored
	Factored bool     `json:"factored,omitempty"`
}

type release struct {
	Round     uint32    `json:"round"`
	Mechanism string    `json:"mechanism"`
	Grant     string    `json:"grant,omitempty"`
	Grid      float64   `json:"grid"`
	Clip      uint64    `json:"clip"`
	Scale     uint64    `json:"scale"`
	Scheme    scheme    `json:"scheme"`
	Bounds    []float64 `json:"bounds,omitempty"`
}

type members struct {
	Round uint32   `json:"round"`
	Keys  []string `json:"keys"` // hexadecimal
}

type sum struct {
	Round    uint32    `json:"round"`
	Grant    string    `json:"grant,omitempty"`
	Grid     float64   `json:"grid"`
	Clip     uint64    `json:"clip"`
	Bounds   []float64 `json:"bounds,omitempty"`
	Settings string    `json:"settings"` // hexadecimal
}

type terms struct {
	ID    string   `json:"id"`
	User  string   `json:"user,omitempty"`
	Words []string `json:"words,omitempty"`
}

type parameters struct {
	Round   uint32             `json:"round"`
	Scalars map[string]float64 `json:"scalars"`
}

type block struct {
	Round  uint32 `json:"round"`
	Matrix string `json:"matrix"`
	Offset uint64 `json:"offset"`
	Values any    `json:"values"`
}

type words struct {
	First uint32   `json:"first"`
	Words []string `json:"words"`
}

type score struct {
	Round             uint32  `json:"round,omitempty"`
	ID                string  `json:"id"`
	Tokens            uint64  `json:"tokens"`
	Bound             float64 `json:"bound"`
	Unigram           float64 `json:"unigram"`
	CompletionTokens  uint64  `json:"completion_tokens"`
	Completion        float64 `json:"completion"`
	CompletionUnigram float64 `json:"completion_unigram"`
	PlugIn            float64 `json:"plug_in,omitempty"`
}

type prediction struct {
	Round         uint32   `json:"round,omitempty"`
	ID            string   `json:"id"`
	Label         string   `json:"label,omitempty"`
	Probabilities any      `json:"probabilities"`
	Truth         []uint32 `json:"truth,omitempty"` // the columns that are true
}

type end struct {
	Records uint64            `json:"records"`
	Tallies map[string]uint64 `json:"tallies,omitempty"`
}
