// Package measure has the commands that measure a model. Each command reads public data, or warns that no budget covers
// its result.
package measure
