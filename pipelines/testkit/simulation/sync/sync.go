// Package sync has the names of the standard library's package sync. A goroutine that waits for a Mutex of this package
// is durably blocked, as testing/synctest calls it: the goroutine that has the lock may wait for an effect.
package sync

import (
	"sync"
	"sync/atomic"

	"privpipe/pipelines/testkit/simulation/effect"
)

// Names of the standard library. Their waits are durable, or they do not wait.
type (
	Cond      = sync.Cond
	Locker    = sync.Locker
	Map       = sync.Map
	WaitGroup = sync.WaitGroup
)

// NewCond returns a new Cond.
func NewCond(l Locker) *Cond { return sync.NewCond(l) }

// A Mutex is a lock.
type Mutex struct{ token atomic.Pointer[token] }

// A token is the lock's state in one run. A lock of a package outlives runs, and a channel does not leave its bubble.
type token struct {
	run  uint64
	held chan struct{}
}

func (m *Mutex) now() chan struct{} {
	for {
		t := m.token.Load()
		if t != nil && t.run == effect.Run() {
			return t.held
		}
		fresh := &token{effect.Run(), make(chan struct{}, 1)}
		if m.token.CompareAndSwap(t, fresh) {
			return fresh.held
		}
	}
}

// Lock waits for the lock.
func (m *Mutex) Lock() { m.now() <- struct{}{} }

// TryLock takes the lock if it is free.
func (m *Mutex) TryLock() bool {
	select {
	case m.now() <- struct{}{}:
		return true
	default:
		return false
	}
}

// Unlock releases the lock.
func (m *Mutex) Unlock() {
	select {
	case <-m.now():
	default:
		panic("simulation: unlock of an unlocked mutex")
	}
}

// An RWMutex is a lock that readers do not share: that is slower, and as correct.
type RWMutex struct{ Mutex }

// RLock waits for the lock.
func (m *RWMutex) RLock() { m.Lock() }

// RUnlock releases the lock.
func (m *RWMutex) RUnlock() { m.Unlock() }

// A Once calls one function once.
type Once struct {
	mutex Mutex
	done  atomic.Bool
}

// Do calls f at the first call.
func (o *Once) Do(f func()) {
	if o.done.Load() {
		return
	}
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if !o.done.Load() {
		defer o.done.Store(true)
		f()
	}
}

// OnceFunc returns a function that calls f once.
func OnceFunc(f func()) func() {
	var once Once
	return func() { once.Do(f) }
}

// OnceValue returns a function that calls f once, and returns its value at each call.
func OnceValue[T any](f func() T) func() T {
	var once Once
	var value T
	return func() T {
		once.Do(func() { value = f() })
		return value
	}
}

// OnceValues returns a function that calls f once, and returns its values at each call.
func OnceValues[T, U any](f func() (T, U)) func() (T, U) {
	var once Once
	var one T
	var other U
	return func() (T, U) {
		once.Do(func() { one, other = f() })
		return one, other
	}
}

// A Pool keeps values for another use, within one run: values of package zstd have channels, which do not leave their
// bubble.
type Pool struct {
	New func() any

	mutex sync.Mutex
	run   uint64
	free  []any
}

// Get returns a free value, or a new one.
func (p *Pool) Get() any {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.run != effect.Run() {
		p.run, p.free = effect.Run(), nil
	}
	if n := len(p.free); n > 0 {
		value := p.free[n-1]
		p.free = p.free[:n-1]
		return value
	}
	if p.New == nil {
		return nil
	}
	return p.New()
}

// Put gives a value back.
func (p *Pool) Put(value any) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.run == effect.Run() {
		p.free = append(p.free, value)
	}
}
