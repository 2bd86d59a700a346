package network

import (
	"encoding/binary"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// A Request is one request of a process to a broker.
type Request struct {
	Process string   // the process that asks
	Address string   // the broker's
	Key     kmsg.Key // kmsg.Produce, for example
	Version int16
	// Body is the request after its correlation id: the client's id, and the question. It is only valid while the
	// Judge is called.
	Body []byte
}

// A Fate decides about a request. The zero Fate delivers it and its answer at once.
type Fate struct {
	Loss   Loss
	Delay  time.Duration // before the broker gets the request
	Answer time.Duration // before the client gets the answer
	Twice  bool          // the broker gets the request twice; the client gets the first answer
}

// A Loss breaks the connection of a request.
type Loss int

const (
	None   Loss = iota
	Before      // the broker never gets the request
	After       // the broker acts, and the client never gets the answer
	Late        // the client loses its connection at once, and the broker gets the request after Delay
)

// A Judge decides about a request. It calls deliver once, without a wait, or never: then the connection breaks.
// It is called by a goroutine of the connection, and may wait. The requests of one connection come one after another.
type Judge func(r Request, deliver func(Fate))

// A link is a connection between a client and a broker, with the goroutines that carry its messages.
type link struct {
	network          *Network
	process, address string
	client, broker   *conn // the ends towards both

	mutex sync.Mutex // never held over a wait
	fates map[uint32]Fate
}

// Positions in a request: length, key, version, correlation id, the rest. In an answer the id follows the length.
const (
	keyAt, versionAt, idAt, restAt = 4, 6, 8, 12
	answerIDAt                     = 4
)

// requests carries requests to the broker.
func (l *link) requests() {
	defer l.network.forget(l)
	for {
		frame, err := readFrame(l.client)
		if err != nil || len(frame) < restAt {
			l.broker.Close() // the client is gone
			return
		}
		delivered := make(chan struct{})
		decided := false
		l.network.judge(Request{Process: l.process, Address: l.address,
			Key:     kmsg.Key(binary.BigEndian.Uint16(frame[keyAt:])),
			Version: int16(binary.BigEndian.Uint16(frame[versionAt:])), Body: frame[restAt:]},
			func(fate Fate) {
				decided = true
				l.deliver(frame, fate, delivered)
			})
		if !decided {
			l.cut()
			return
		}
		<-delivered
	}
}

// deliver applies a fate to a request. It closes delivered when the broker has the request, or never gets it.
func (l *link) deliver(frame []byte, fate Fate, delivered chan<- struct{}) {
	switch fate.Loss {
	case Before:
		l.cut()
		close(delivered)
		return
	case Late:
		l.client.reset()
	}
	l.mutex.Lock()
	l.fates[binary.BigEndian.Uint32(frame[idAt:])] = fate
	l.mutex.Unlock()
	write := func() {
		l.broker.Write(frame) // an error shows at the next read
		if fate.Twice {
			l.broker.Write(frame)
		}
		close(delivered)
	}
	if fate.Delay == 0 {
		write()
		return
	}
	time.AfterFunc(fate.Delay, write)
}

// answers carries answers to the client.
func (l *link) answers() {
	defer l.network.forget(l)
	answered := make(map[uint32]bool) // first answers to requests that the broker got twice
	for {
		frame, err := readFrame(l.broker)
		if err != nil || len(frame) < answerIDAt+4 {
			l.client.Close() // the broker is gone, or gives no answer
			return
		}
		id := binary.BigEndian.Uint32(frame[answerIDAt:])
		l.mutex.Lock()
		fate := l.fates[id]
		if !fate.Twice || answered[id] {
			delete(l.fates, id)
		}
		l.mutex.Unlock()
		if fate.Twice {
			if answered[id] = !answered[id]; !answered[id] {
				continue
			}
		}
		if fate.Loss != None {
			l.cut()
			return
		}
		time.Sleep(fate.Answer)
		if _, err := l.client.Write(frame); err != nil {
			l.broker.Close()
			return
		}
	}
}

// cut breaks the connection.
func (l *link) cut() {
	l.client.reset()
	l.broker.reset()
}
