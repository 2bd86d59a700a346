// Package source finds the documents in the inputs that the user names: JSON Lines, CSV, Parquet, mail, text files,
// folders of them, topics, standard input.
package source
