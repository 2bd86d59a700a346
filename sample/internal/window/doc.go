// Package window cuts a live stream of documents into rounds by windows of time. Each privacy unit is in at most one
// window. sample/WINDOWS.md has the privacy argument.
package window
