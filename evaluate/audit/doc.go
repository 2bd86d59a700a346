// Package audit has the commands that try to break privacy: attacks on documents, and audits of binaries.
package audit
