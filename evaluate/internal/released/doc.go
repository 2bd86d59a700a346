// Package released reads what has been released about private data: a run's releases, each as its ledger charged it,
// and account's statements about the ledger. It marks the cells that surely count words of some document. It reads
// released numbers only, so it costs no privacy.
package released
