package testkit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// A test makes no progress when its states are the same in this many polls in a row. The number of polls counts, not
// time, so that a test survives if the machine stands still for a while.
const polls = 60

// between is the time between two polls. A test of Progress shortens it.
var between = time.Second

// Progress returns a context for a test's wait. The context ends when no state has changed for a minute, or after ten
// times the recorded time. context.Cause says which. The test calls end when the wait is over.
//
// A state is a number that changes when our processes or the broker write: a record, a line, a round, an offset. See
// Files.
func Progress(recorded time.Duration, states ...func() int64) (ctx context.Context, end context.CancelFunc) {
	ctx, because := context.WithCancelCause(context.Background()) // not the test's context: a cleanup waits, too
	tick, pause := time.NewTicker(between), polls*between
	go func() {
		begun, same, last := time.Now(), 0, make([]int64, len(states))
		defer tick.Stop()
		for {
			same++
			for i, state := range states {
				if now := state(); now != last[i] {
					same, last[i] = 0, now
				}
			}
			switch {
			case same >= polls:
				because(fmt.Errorf("no progress for %v", pause))
			case time.Since(begun) > 10*recorded:
				because(fmt.Errorf("not done after %v, ten times what it was recorded to take", 10*recorded))
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
	return ctx, func() { because(nil) }
}

// Wait waits until a condition holds. If the context ends first, Wait returns the context's cause.
func Wait(ctx context.Context, holds func() bool) error {
	for !holds() {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(5 * time.Millisecond):
		}
	}
	return nil
}

// Files returns a state that changes with every write to a file below a folder. If folder is empty, the state never
// changes.
func Files(folder string) func() int64 {
	return func() (state int64) {
		if folder == "" {
			return 0
		}
		filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
			if err != nil {
				return nil // it was removed meanwhile
			}
			if info, err := entry.Info(); err == nil {
				state += info.Size() + info.ModTime().UnixNano()
			}
			return nil
		})
		return state
	}
}

// Output runs a command and returns its output, as CombinedOutput does. It kills the command and its children when they
// make no progress: they print nothing, no file in the command's folder changes, and no other state does.
func Output(recorded time.Duration, c *exec.Cmd, states ...func() int64) ([]byte, error) {
	var out printed
	c.Stdout, c.Stderr = &out, &out
	ctx, end := Progress(recorded, append(states, out.length, Files(c.Dir))...)
	defer end()
	if c.SysProcAttr == nil {
		c.SysProcAttr = new(syscall.SysProcAttr)
	}
	c.SysProcAttr.Setpgid = true
	c.WaitDelay = time.Second // a child in another group may hold the pipe
	if err := c.Start(); err != nil {
		return nil, err
	}
	release := context.AfterFunc(ctx, func() { syscall.Kill(-c.Process.Pid, syscall.SIGKILL) })
	err := c.Wait()
	if !release() {
		err = errors.Join(context.Cause(ctx), err)
	}
	return out.bytes(), err
}

// printed collects a command's output.
type printed struct {
	mutex  sync.Mutex
	buffer bytes.Buffer
}

func (p *printed) Write(b []byte) (int, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.buffer.Write(b)
}

func (p *printed) length() int64 { return int64(len(p.bytes())) }

func (p *printed) bytes() []byte {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.buffer.Bytes()
}
