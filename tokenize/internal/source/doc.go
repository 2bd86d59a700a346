// Package source finds the documents in what the user names: JSON Lines, CSV, text files, folders of them, standard input.
package source
