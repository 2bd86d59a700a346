package broker

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strconv"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Relay puts a test between clients and a broker, fake or real. It returns the relay's HOST:PORT for clients. see
// receives each request before the broker does, from several connections at a time. pass hands the request on and
// returns when the broker has answered. If see does not call pass, the broker never gets the request, and the client's
// connection closes.
func Relay(t testing.TB, address string, see func(request kmsg.Request, pass func())) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	r := &relay{behind: address, before: listener.Addr().String(), see: see}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer client.Close()
				if err := r.serve(client); err != nil {
					panic(fmt.Sprint("relay: ", err)) // the test may be over, and cannot fail any more
				}
			}()
		}
	}()
	return r.before
}

// A relay replaces the broker's address (behind) by its own address (before).
type relay struct {
	behind, before string
	see            func(kmsg.Request, func())
}

// serve answers one client until the client leaves. Like a broker it takes one request after the other.
func (r *relay) serve(client net.Conn) error {
	server, err := net.Dial("tcp", r.behind)
	if err != nil {
		return nil // the broker is away, so the relay hangs up, too
	}
	defer server.Close()
	for {
		asked, err := receive(client)
		if err != nil {
			return nil
		}
		request, err := parse(asked)
		if err != nil {
			return err
		}
		var answer []byte
		passed := false
		r.see(request, func() {
			passed = true
			if err = send(server, asked); err == nil {
				answer, err = receive(server)
			}
		})
		if !passed || err != nil {
			return nil
		}
		if answer, err = r.rewrite(request, answer); err != nil {
			return err
		}
		if send(client, answer) != nil {
			return nil
		}
	}
}

// receive reads one message of Kafka's protocol, and send writes one. A message is a length in 4 bytes, and as many
// bytes as it says.
func receive(c net.Conn) ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(c, length[:]); err != nil {
		return nil, err
	}
	message := make([]byte, binary.BigEndian.Uint32(length[:]))
	_, err := io.ReadFull(c, message)
	return message, err
}

func send(c net.Conn, message []byte) error {
	_, err := c.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(message))), message...))
	return err
}

// parse decodes a request. It begins with key, version, correlation and the client's name; newer versions also have
// tags there (KIP-482).
func parse(message []byte) (kmsg.Request, error) {
	if len(message) < 10 {
		return nil, io.ErrUnexpectedEOF
	}
	key, version := int16(binary.BigEndian.Uint16(message)), int16(binary.BigEndian.Uint16(message[2:]))
	request := kmsg.RequestForKey(key)
	if request == nil || version > request.MaxVersion() {
		return nil, fmt.Errorf("request %d of version %d is unknown", key, version)
	}
	request.SetVersion(version)
	body := message[10:]
	if name := int16(binary.BigEndian.Uint16(message[8:])); name > 0 {
		body = body[min(int(name), len(body)):]
	}
	if request.IsFlexible() {
		var found bool
		if body, found = bytes.CutPrefix(body, noTags); !found {
			return nil, fmt.Errorf("request %d has tags", key)
		}
	}
	return request, request.ReadFrom(body)
}

var noTags = []byte{0}

// rewrite replaces the broker's address in an answer by the relay's address, so that clients come back to the relay.
func (r *relay) rewrite(request kmsg.Request, answer []byte) ([]byte, error) {
	response := request.ResponseKind()
	head := 4 // the correlation
	if request.IsFlexible() {
		head++ // no tags
	}
	if len(answer) < head {
		return nil, io.ErrUnexpectedEOF
	}
	switch a := response.(type) {
	case *kmsg.MetadataResponse:
		if err := a.ReadFrom(answer[head:]); err != nil {
			return nil, err
		}
		for i := range a.Brokers {
			r.replace(&a.Brokers[i].Host, &a.Brokers[i].Port)
		}
	case *kmsg.FindCoordinatorResponse:
		if err := a.ReadFrom(answer[head:]); err != nil {
			return nil, err
		}
		r.replace(&a.Host, &a.Port)
		for i := range a.Coordinators {
			r.replace(&a.Coordinators[i].Host, &a.Coordinators[i].Port)
		}
	default:
		return answer, nil
	}
	return response.AppendTo(answer[:head:head]), nil
}

func (r *relay) replace(host *string, port *int32) {
	if net.JoinHostPort(*host, strconv.Itoa(int(*port))) != r.behind {
		return
	}
	own, number, _ := net.SplitHostPort(r.before)
	n, _ := strconv.Atoi(number)
	*host, *port = own, int32(n)
}
