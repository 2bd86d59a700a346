package network

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// echo answers each request by the request itself: length, then the correlation id and the rest.
func echo(l net.Listener, got *[]string) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			for {
				frame, err := readFrame(c)
				if err != nil {
					return
				}
				*got = append(*got, string(frame[restAt:]))
				c.Write(append([]byte{0, 0, 0, byte(len(frame) - idAt)}, frame[idAt:]...))
			}
		}()
	}
}

// request is a frame with a correlation id and a text.
func request(id byte, text string) []byte {
	return append([]byte{0, 0, 0, byte(8 + len(text)), 0, 3, 0, 9, 0, 0, 0, id}, text...)
}

// TestFates: each fate has its effect on a request, and takes its virtual time.
func TestFates(t *testing.T) {
	for _, c := range []struct {
		name   string
		fate   Fate
		got    []string // by the broker
		failed error    // of the client
		after  time.Duration
	}{
		{"delivered", Fate{}, []string{"a"}, nil, 0},
		{"delayed", Fate{Delay: time.Hour}, []string{"a"}, nil, time.Hour},
		{"answered late", Fate{Answer: time.Hour}, []string{"a"}, nil, time.Hour},
		{"twice", Fate{Twice: true}, []string{"a", "a"}, nil, 0},
		{"lost before", Fate{Loss: Before}, nil, syscall.ECONNRESET, 0},
		{"lost after", Fate{Loss: After}, []string{"a"}, syscall.ECONNRESET, 0},
		{"lands late", Fate{Loss: Late, Delay: time.Hour}, []string{"a"}, syscall.ECONNRESET, 0},
		{"beyond the deadline", Fate{Delay: 3 * time.Hour}, []string{"a"}, os.ErrDeadlineExceeded, 2 * time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := New(func(r Request, deliver func(Fate)) {
					if r.Process != "p" || r.Key != 3 || r.Version != 9 || len(r.Body) != 1 {
						t.Errorf("judged: %+v", r)
					}
					if string(r.Body) == "b" {
						deliver(Fate{})
						return
					}
					deliver(c.fate)
				})
				l, err := n.Listen("tcp", "127.0.0.1:0")
				if err != nil {
					t.Fatal(err)
				}
				defer l.Close()
				var got []string
				go echo(l, &got)
				client, err := n.Dialer("p")(t.Context(), "tcp", l.Addr().String())
				if err != nil {
					t.Fatal(err)
				}
				begun := time.Now()
				client.SetDeadline(begun.Add(2 * time.Hour))
				client.Write(request(7, "a"))
				answer, err := readFrame(client)
				if !errors.Is(err, c.failed) || time.Since(begun) != c.after ||
					err == nil && string(answer[8:]) != "a" {
					t.Errorf("%q, %v after %v; want %v after %v", answer, err, time.Since(begun), c.failed, c.after)
				}
				if err == nil { // the connection goes on, with the right answers
					client.Write(request(8, "b"))
					if answer, err = readFrame(client); err != nil || string(answer[8:]) != "b" || answer[7] != 8 {
						t.Errorf("then %q, %v", answer, err)
					}
					c.got = append(slices.Clip(c.got), "b")
				}
				client.Close()
				time.Sleep(c.fate.Delay)
				synctest.Wait()
				if !slices.Equal(got, c.got) {
					t.Errorf("the broker got %q, want %q", got, c.got)
				}
			})
		})
	}
}

// TestDown: a broker that is down breaks its connections and refuses others; a killed process loses its own only.
func TestDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := New(func(_ Request, deliver func(Fate)) { deliver(Fate{}) })
		l, err := n.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if _, err := n.Listen("tcp", l.Addr().String()); !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("the same address twice: %v", err)
		}
		var got []string
		go echo(l, &got)
		dial := func(process string) (net.Conn, error) {
			return n.Dialer(process)(context.Background(), "tcp", l.Addr().String())
		}
		read := func(c net.Conn) error {
			c.SetReadDeadline(time.Now().Add(time.Minute))
			_, err := c.Read(make([]byte, 1))
			return err
		}
		p, _ := dial("p")
		q, _ := dial("q")
		n.Kill("p")
		if e, f := read(p), read(q); !errors.Is(e, syscall.ECONNRESET) || !errors.Is(f, os.ErrDeadlineExceeded) {
			t.Errorf("after the kill of p: %v, and q: %v", e, f)
		}
		n.Down(l.Addr().String())
		if err := read(q); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("the broker is down: %v", err)
		}
		if _, err := dial("p"); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("the broker is down: %v", err)
		}
		n.Up(l.Addr().String())
		if p, err = dial("p"); err != nil {
			t.Error(err)
		}
		l.Close()
		if _, err := dial("p"); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("nobody listens: %v", err)
		}
		p.Close()
		if _, err := p.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
			t.Errorf("read from a closed connection: %v", err)
		}
		synctest.Wait()
		if len(n.links) != 0 {
			t.Errorf("%d connections are remembered", len(n.links))
		}
	})
}

// TestEnds: bytes before a close arrive, and deadlines can be taken back.
func TestEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := pair(at("a"), at("b"))
		a.SetReadDeadline(time.Now().Add(time.Second))
		a.SetReadDeadline(time.Time{})
		time.Sleep(2 * time.Second)
		fmt.Fprint(b, "last words")
		b.Close()
		if got, err := io.ReadAll(a); string(got) != "last words" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		if _, err := a.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
			t.Errorf("a write to a closed end: %v", err)
		}
		c, d := pair(at("c"), at("d"))
		fmt.Fprint(d, "lost")
		d.reset()
		if got, err := io.ReadAll(c); len(got) != 0 || !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("%q, %v", got, err)
		}
	})
}
