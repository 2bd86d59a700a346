package network

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"sync"
	"syscall"

	"github.com/twmb/franz-go/pkg/kmsg"

	"privpipe/pipelines/testkit/simulation/effect"
)

// A Network connects processes with the listeners of brokers. It belongs to the bubble that made it.
type Network struct {
	// Asked is called for each request of a process that reaches the broker, in the scheduler's goroutine. nil: not.
	Asked func(*effect.Process, Request)

	judge     Judge
	quiet     []kmsg.Key
	scheduler *effect.Scheduler // nil: the judge is another's

	mutex     sync.Mutex // never held over a wait
	listeners map[string]*listener
	links     []*link
	down      map[string]bool // addresses that refuse connections
	ports     int
	processes map[string]*effect.Process // by name and life
	ended     map[string]bool
}

// New returns a network where a judge decides about each request.
func New(judge Judge) *Network {
	return &Network{judge: judge, listeners: make(map[string]*listener), down: make(map[string]bool), ports: firstPort,
		processes: make(map[string]*effect.Process), ended: make(map[string]bool)}
}

// firstPort is the port of the first listener that asks for port 0.
const firstPort = 9092

// Listen has the signature of net.Listen, as kfake.ListenFn wants it.
func (n *Network) Listen(_, address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if port == "0" {
		port, n.ports = strconv.Itoa(n.ports), n.ports+1
	}
	l := &listener{network: n, address: at(net.JoinHostPort(host, port)), arrived: make(chan *conn, backlog),
		closed: make(chan struct{})}
	if n.listeners[string(l.address)] != nil {
		return nil, l.failed("listen", syscall.EADDRINUSE)
	}
	n.listeners[string(l.address)] = l
	return l, nil
}

// backlog is the number of connections that a listener accepts later. A broker accepts at once.
const backlog = 1 << 10

// at is an address, HOST:PORT.
type at string

func (at) Network() string  { return "tcp" }
func (a at) String() string { return string(a) }

type listener struct {
	network *Network
	address at
	arrived chan *conn
	closed  chan struct{}
	once    sync.Once
}

func (l *listener) Addr() net.Addr { return l.address }

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.arrived:
		return c, nil
	case <-l.closed:
		return nil, l.failed("accept", net.ErrClosed)
	}
}

func (l *listener) Close() error {
	l.once.Do(func() {
		close(l.closed)
		l.network.mutex.Lock()
		defer l.network.mutex.Unlock()
		delete(l.network.listeners, string(l.address))
	})
	return nil
}

func (l *listener) failed(what string, err error) error {
	return &net.OpError{Op: what, Net: "tcp", Addr: l.address, Err: err}
}

// Dialer returns a function that connects a process, with the signature of net.Dialer.DialContext. Connecting takes no
// time. Its requests bear the name of the process.
func (n *Network) Dialer(process string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, _, address string) (net.Conn, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n.mutex.Lock()
		defer n.mutex.Unlock()
		l := n.listeners[address]
		if l == nil || n.down[address] {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Addr: at(address), Err: syscall.ECONNREFUSED}
		}
		client, near := pair(at(process), l.address)
		far, broker := pair(at(process), l.address)
		link := &link{network: n, process: process, address: address, client: near, broker: far,
			fates: make(map[uint32]Fate)}
		n.links = append(n.links, link)
		l.arrived <- broker
		go link.requests()
		go link.answers()
		return client, nil
	}
}

// Kill breaks all connections of a process, as the end of the process does. A request that waits for its Judge may
// still reach the broker.
func (n *Network) Kill(process string) {
	for _, l := range n.chosen(func(l *link) bool { return l.process == process }) {
		l.client.reset()
	}
}

// Down breaks all connections to an address and refuses new ones, as a broker does that ends.
func (n *Network) Down(address string) {
	n.mutex.Lock()
	n.down[address] = true
	n.mutex.Unlock()
	for _, l := range n.chosen(func(l *link) bool { return l.address == address }) {
		l.cut()
	}
}

// Up lets an address accept connections again.
func (n *Network) Up(address string) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	delete(n.down, address)
}

// chosen returns some of the open connections.
func (n *Network) chosen(wanted func(*link) bool) (some []*link) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	for _, l := range n.links {
		if wanted(l) {
			some = append(some, l)
		}
	}
	return some
}

// forget removes a connection that has ended.
func (n *Network) forget(l *link) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.links = slices.DeleteFunc(n.links, func(other *link) bool { return other == l })
}

// readFrame reads a message of the protocol with its length.
func readFrame(r io.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	size := int(head[0])<<24 | int(head[1])<<16 | int(head[2])<<8 | int(head[3])
	if size < 4 || size > maxFrame {
		return nil, fmt.Errorf("a message of %d bytes", size)
	}
	frame := make([]byte, len(head)+size)
	copy(frame, head[:])
	_, err := io.ReadFull(r, frame[len(head):])
	return frame, err
}

// maxFrame is more than any request or answer here has, in bytes.
const maxFrame = 64 << 20
