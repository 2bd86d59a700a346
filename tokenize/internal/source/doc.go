// Package source finds the documents in what the user names: JSON Lines, text files, folders of them, standard input.
package source
