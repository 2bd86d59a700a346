// Package window cuts a live stream of documents into rounds by windows of time, each privacy unit in one of them. The
// argument is in sample/WINDOWS.md.
package window
