package filter

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"

	"privpipe/pipelines/endpoint"
)

// textHandler writes messages for people: "program: warning: message key=value".
type textHandler struct {
	program string
	level   slog.Level
	out     io.Writer
	mutex   sync.Mutex
}

func (h *textHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= h.level }

func (h *textHandler) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	b.WriteString(h.program + ": ")
	switch {
	case r.Level >= slog.LevelError:
		b.WriteString("error: ")
	case r.Level >= slog.LevelWarn:
		b.WriteString("warning: ")
	}
	b.WriteString(r.Message)
	r.Attrs(func(a slog.Attr) bool {
		fmt.Fprintf(&b, " %s=%v", a.Key, a.Value)
		return true
	})
	line := endpoint.Visible(b.String(), false) + "\n"
	h.mutex.Lock()
	defer h.mutex.Unlock()
	_, err := io.WriteString(h.out, line)
	return err
}

// Stages use neither groups nor bound attributes, so WithAttrs and WithGroup change nothing.
func (h *textHandler) WithAttrs([]slog.Attr) slog.Handler { return h }

func (h *textHandler) WithGroup(string) slog.Handler { return h }
