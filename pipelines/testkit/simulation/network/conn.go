package network

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// A lane carries bytes one way. Writes never wait. The mutex is never held over a wait.
type lane struct {
	mutex   sync.Mutex
	bytes   []byte
	end     error         // a reader gets it after the bytes; nil while the lane is open
	late    bool          // whether the reader's deadline has passed
	timer   *time.Timer   // fires at the reader's deadline
	changed chan struct{} // closed at the next change
}

func newLane() *lane { return &lane{changed: make(chan struct{})} }

// change applies a change and wakes the readers.
func (l *lane) change(apply func()) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	apply()
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *lane) read(b []byte) (n int, err error) {
	for {
		l.mutex.Lock()
		changed := l.changed
		switch {
		case l.late:
			err = os.ErrDeadlineExceeded
		case len(l.bytes) > 0:
			n = copy(b, l.bytes)
			l.bytes = l.bytes[n:]
		case len(b) > 0:
			err = l.end
		}
		l.mutex.Unlock()
		if n > 0 || err != nil || len(b) == 0 {
			return n, err
		}
		<-changed
	}
}

func (l *lane) write(b []byte) (err error) {
	l.change(func() {
		if l.end != nil {
			err = syscall.EPIPE
			return
		}
		l.bytes = append(l.bytes, b...)
	})
	return err
}

// close ends the lane. A reader still gets the bytes before the end, unless the end is a reset.
func (l *lane) close(end error) {
	l.change(func() {
		if l.end == nil {
			l.end = end
		}
		if end == syscall.ECONNRESET {
			l.end, l.bytes = end, nil
		}
	})
}

// until sets the reader's deadline; the zero time is none.
func (l *lane) until(t time.Time) {
	l.change(func() {
		if l.timer != nil {
			l.timer.Stop()
		}
		l.timer, l.late = nil, false
		if t.IsZero() {
			return
		}
		if l.late = !time.Now().Before(t); l.late {
			return
		}
		var timer *time.Timer
		timer = time.AfterFunc(time.Until(t), func() {
			l.change(func() {
				if l.timer == timer { // a later deadline may have replaced this one
					l.late = true
				}
			})
		})
		l.timer = timer
	})
}

// conn is one end of a connection.
type conn struct {
	in, out      *lane
	local, other net.Addr
}

// pair returns both ends of a connection.
func pair(a, b net.Addr) (*conn, *conn) {
	to, from := newLane(), newLane()
	return &conn{in: from, out: to, local: a, other: b}, &conn{in: to, out: from, local: b, other: a}
}

func (c *conn) Read(b []byte) (int, error) {
	n, err := c.in.read(b)
	return n, c.failed("read", err)
}

func (c *conn) Write(b []byte) (int, error) {
	if err := c.out.write(b); err != nil {
		return 0, c.failed("write", err)
	}
	return len(b), nil
}

// failed makes an error look like one of a socket.
func (c *conn) failed(what string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return &net.OpError{Op: what, Net: "tcp", Source: c.local, Addr: c.other, Err: err}
}

// Close ends the connection. The other end still gets the bytes that were written.
func (c *conn) Close() error {
	c.in.until(time.Time{})
	c.in.change(func() { c.in.end, c.in.bytes = net.ErrClosed, nil })
	c.out.close(io.EOF)
	return nil
}

// reset breaks the connection: both ends lose the bytes that were not read.
func (c *conn) reset() {
	c.in.close(syscall.ECONNRESET)
	c.out.close(syscall.ECONNRESET)
}

func (c *conn) LocalAddr() net.Addr  { return c.local }
func (c *conn) RemoteAddr() net.Addr { return c.other }

// SetDeadline sets the deadline of reads: writes never wait.
func (c *conn) SetDeadline(t time.Time) error { return c.SetReadDeadline(t) }

// SetReadDeadline sets the deadline of reads.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.in.until(t)
	return nil
}

// SetWriteDeadline does nothing: writes never wait.
func (c *conn) SetWriteDeadline(time.Time) error { return nil }
