// Command tokenize turns text into bags of words over a public vocabulary. It stands behind the privacy wall: what it
// reads and writes is private.
package main

import (
	_ "privpipe/pipelines/endpoint/transports"
	"privpipe/pipelines/filter"
)

var cli struct {
	filter.Common
	Text  text         `cmd:"" help:"Texts: JSON Lines {\"id\"?,\"text\",\"user\"?,\"label\"?}, CSV with such columns, .txt files, folders of them."`
	UCI   uciBags      `cmd:"" name:"uci" help:"Bags of words in the format of the UCI repository."`
	Check check        `cmd:"" help:"Say how many documents there are, how long, whose, and how much the vocabulary covers, before any budget is spent on them."`
	Vocab vocab        `cmd:"" help:"Make a vocabulary from PUBLIC text (a vocabulary of private text would leak it)."`
	Terms termsCommand `cmd:"" help:"The words of private texts spelled out, for privatize select to make a vocabulary of them."`
}

func main() {
	filter.Main(filter.Stage{
		Name:    "tokenize",
		Summary: "Turn text into bags of words over a public vocabulary.",
		Example: "tokenize text --vocab vocab.txt -o docs.pp docs.jsonl",
		Notes: "What gzip, bzip2, xz or zstd compressed is decompressed, by its first bytes. The output is private: it stays behind the privacy wall. " +
			"A word is a run of letters, in lower case; words outside the vocabulary are dropped. In scripts without spaces, " +
			"such as Chinese, Japanese and Thai, it is two neighbouring letters, and in Katakana a run.",
	}, &cli, &cli.Common)
}
