package command

import (
	"privpipe/pipelines/filter"
	"privpipe/tokenize/streams"
)

type commands struct {
	filter.Common
	Text     Text          `cmd:"" help:"Tokenize texts: JSON Lines {\"id\"?,\"text\",\"user\"?,\"label\"?}, CSV and Parquet with these columns, .txt files, folders of them."`
	Rows     Rows          `cmd:"" help:"Turn rows of a table (CSV, TSV, JSON Lines, Parquet) into documents of real numbers, by a public schema."`
	Vectors  Vectors       `cmd:"" help:"Turn vectors (embeddings of a PUBLIC, fixed model) into documents of real numbers: .npy, .npz, Parquet, JSON Lines, CSV."`
	Images   Images        `cmd:"" help:"Turn images (IDX files, folders of PNG files) into documents over the vocabulary of pixels."`
	Features Features      `cmd:"" help:"Write the vocabulary of rows, of vectors or of images: the names of their features."`
	UCI      UCI           `cmd:"" name:"uci" help:"Read bags of words in the format of the UCI repository."`
	Calendar Calendar      `cmd:"" help:"Print the days, weeks or months of a calendar, for --from and --until of text."`
	Cut      streams.Cut   `cmd:"" help:"Bring documents to some words of their vocabulary."`
	Sets     streams.Sets  `cmd:"" help:"Count each word of a document once."`
	Sizes    streams.Sizes `cmd:"" help:"Write the size of each document as a row, for estep size."`
	Match    streams.Match `cmd:"" help:"Check that texts have the ids of vectors, before any budget is spent."`
	Check    streams.Check `cmd:"" help:"Report the number of documents, their lengths, their users and the coverage of the vocabulary, before any budget is spent."`
	Vocab    Vocab         `cmd:"" help:"Make a vocabulary from PUBLIC text (a vocabulary of private text would leak it)."`
	Phrases  Phrases       `cmd:"" help:"Make a list of phrases (new_york) from PUBLIC text, for --phrases of the other commands."`
	Terms    Terms         `cmd:"" help:"Spell out the distinct words of private texts, from which privatize select makes a vocabulary."`
}

// Program is tokenize.
var Program = filter.Program{
	Stage: filter.Stage{
		Name:    "tokenize",
		Summary: "Turn text into bags of words over a public vocabulary.",
		Example: "tokenize text --vocab vocab.txt -o docs.pp docs.jsonl",
		Notes: "Input in gzip, bzip2, xz or zstd is recognized by its first bytes and decompressed. The output is " +
			"private: keep it behind the privacy wall. " +
			"Markup, URLs, e-mail addresses, quoted mail, signatures and Base64 are left out of texts, except what " +
			"--keep names. " +
			"A word is a run of letters, in lower case. Words outside the vocabulary are dropped. In scripts without " +
			"spaces, " +
			"for example Chinese, Japanese and Thai, a word is two neighbouring letters; in Katakana it is a run. " +
			"FORMATS.md shows each format by an example, and the whole rule of words.",
	},
	New: func() filter.Commands { return new(commands) },
}
