package wire

// The wire's limits. A decoder refuses input beyond a limit before it allocates, so damaged or hostile input costs
// bounded memory. The limits are part of the format: SPEC.md lists them.
const (
	// Version is the wire version of all streams but contributions in INT16.
	Version = 2

	// Newest is the newest wire version. Contributions in INT16 have it.
	Newest = 3

	// Oldest is the oldest wire version that this package reads.
	Oldest = 1

	// MinExponent and MaxExponent bound the exponent of a part of INT16: 2^-149 is the least positive FLOAT32, and
	// 2^15·2^112 is finite.
	MinExponent, MaxExponent = -149, 112

	// MaxFrame bounds a compressed frame, in bytes. A Kafka broker with default settings accepts a frame of this size
	// as one message.
	MaxFrame = 900_000

	// MaxContent bounds a frame's decompressed content, in bytes. Content of this size that is stored without
	// compression still fits MaxFrame: Zstandard adds 3 bytes for each block of 128 KiB, 18 for the header and 4 for
	// the checksum.
	MaxContent = 896_000

	// MaxWindow bounds the window that a frame needs, in bytes. RFC 8878 §3.1.1.1.2 asks every decoder to support this
	// much.
	MaxWindow = 8 << 20

	// MaxHeader bounds an encoded header, in bytes. Every frame begins with the header.
	MaxHeader = 16_000

	// MaxRecord bounds an encoded record with its length, in bytes: one record and a header always fit a frame.
	MaxRecord = MaxContent - MaxHeader

	// MaxName bounds ids, users, labels, runs and other names, in bytes of UTF-8.
	MaxName = 1024

	// MaxUnit bounds a privacy unit's name, in bytes: the prefix from UnitName and a name.
	MaxUnit = MaxName + 16

	// MaxWord bounds a vocabulary word, in bytes of UTF-8.
	MaxWord = 256

	// MaxVocabulary bounds the number of words V.
	MaxVocabulary = 1 << 24

	// MaxTokens bounds a document's length, in words.
	MaxTokens = 1 << 24

	// MaxCells bounds the cells of one matrix.
	MaxCells = 1 << 31

	// MaxMatrices bounds the matrices in a header.
	MaxMatrices = 64
)
