package calculate

import (
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// TestSaySlow: who waits is told so, again and again, and no longer once there is an answer.
func TestSaySlow(t *testing.T) {
	read, write := io.Pipe()
	stop := saySlow(slog.New(slog.NewTextHandler(write, nil)), time.Millisecond)
	said := make([]byte, 200)
	for range 3 {
		if n, err := read.Read(said); err != nil || !strings.Contains(string(said[:n]), "still at work") {
			t.Fatalf("%q, %v", said[:n], err)
		}
	}
	go io.Copy(io.Discard, read)
	stop()
}
