package crash

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Run runs a program and calls visit before and after its system calls. With Every these are all calls, otherwise only
// the calls that have a name here. The calling thread stands still during visit, whichever thread it is. If visit
// answers kill, the whole process is killed there: if the stop is before a call, the call is never made. An error from
// visit also kills the process, and Run returns the error. Where ptrace is not allowed, the error is
// errors.ErrUnsupported.
//
// The comments below refer to the manual of ptrace, ptrace(2).
func Run(p Program, visit func(*Stop) (kill bool, err error)) (End, error) {
	runtime.LockOSThread() // ptrace obeys the thread that started the program, and no other
	defer runtime.UnlockOSThread()
	t, err := start(p)
	if err != nil {
		return End{}, err
	}
	defer t.memory.Close()
	late := time.AfterFunc(p.Deadline, func() { t.kill() })
	defer late.Stop()
	end, err := t.follow(visit)
	if err == nil && end.Status.Signal() == syscall.SIGKILL && !end.Killed {
		err = errDeadline
	}
	return end, err
}

// A tracer follows one process.
type tracer struct {
	process int
	folder  string // the folder where the process runs
	memory  *os.File
	threads map[int]*thread
	every   bool // all calls are stops; otherwise a filter chooses the stops

	mutex  sync.Mutex
	reaped bool // the process's number may belong to another process now
}

// A thread is known to its tracer from its first stop on. call is the thread's present call, nil between calls.
type thread struct{ call *Stop }

// start starts the program. The program stops before its first instruction.
func start(p Program) (*tracer, error) {
	files := make([]uintptr, len(p.Files))
	for i, f := range p.Files {
		if f == nil {
			null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
			if err != nil {
				return nil, err
			}
			defer null.Close()
			f = null
		}
		files[i] = f.Fd()
	}
	env := p.Env
	if env == nil {
		env = os.Environ()
	}
	// The process gets its own process group. By the group's number this thread can wait for it without taking the ends
	// of other children.
	attributes := &syscall.SysProcAttr{Ptrace: true, Setpgid: true}
	process, err := syscall.ForkExec(p.Path, append([]string{p.Path}, p.Args...),
		&syscall.ProcAttr{Dir: p.Dir, Env: env, Files: files, Sys: attributes})
	if err == syscall.EPERM {
		return nil, fmt.Errorf("crash: ptrace is not allowed here: %w", errors.ErrUnsupported)
	}
	if err != nil {
		return nil, err
	}
	t := &tracer{process: process, folder: p.Dir, every: p.Every, threads: map[int]*thread{process: {}}}
	fail := func(err error) (*tracer, error) {
		t.kill()
		syscall.Wait4(process, nil, unix.WALL, nil)
		return nil, fmt.Errorf("crash: %w", err)
	}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(process, &status, unix.WALL, nil); err != nil || !status.Stopped() {
		return fail(fmt.Errorf("%s did not start: %w", p.Path, err))
	}
	const options = unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_EXITKILL |
		unix.PTRACE_O_TRACESECCOMP
	if err := syscall.PtraceSetOptions(process, options); err != nil {
		return fail(err)
	}
	if !p.Every {
		if err := filter(process); err != nil {
			return fail(fmt.Errorf("filter: %w", err))
		}
	}
	if t.memory, err = os.Open(fmt.Sprintf("/proc/%d/mem", process)); err != nil {
		return fail(err)
	}
	if err := t.resume(process, 0); err != nil {
		t.memory.Close()
		return fail(err)
	}
	return t, nil
}

// kill kills the process if it has not ended.
func (t *tracer) kill() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if !t.reaped {
		syscall.Kill(t.process, syscall.SIGKILL)
	}
}

// follow leads the threads from stop to stop until the process has ended.
func (t *tracer) follow(visit func(*Stop) (kill bool, err error)) (end End, failed error) {
	for {
		var status syscall.WaitStatus
		id, err := syscall.Wait4(-t.process, &status, unix.WALL|unix.WNOTHREAD, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return end, fmt.Errorf("crash: wait: %w", err)
		}
		if !status.Stopped() {
			// The process ends with its last thread: ptrace(2), "Death under ptrace".
			if id == t.process {
				t.mutex.Lock()
				t.reaped = true
				t.mutex.Unlock()
				end.Status = status
				return end, failed
			}
			continue
		}
		kill, signal, err := t.stopped(id, status, visit)
		if err != nil && failed == nil && !end.Killed {
			failed, kill = err, true
		}
		if kill {
			end.Killed = true
			t.kill()
		} else if err := t.resume(id, int(signal)); err != nil && err != syscall.ESRCH { // ESRCH: dying
			t.kill()
			failed = errors.Join(failed, fmt.Errorf("crash: go on: %w", err))
		}
	}
}

// resume lets a thread go on to its next stop: the end of its present call, or the next call.
func (t *tracer) resume(id, signal int) error {
	if th := t.threads[id]; t.every || th != nil && th.call != nil {
		return syscall.PtraceSyscall(id, signal)
	}
	return syscall.PtraceCont(id, signal)
}

// stopped handles one stop of one thread. It returns whether to kill, and otherwise the signal to go on with.
func (t *tracer) stopped(id int, status syscall.WaitStatus,
	visit func(*Stop) (bool, error)) (bool, syscall.Signal, error) {
	signal := status.StopSignal()
	th, known := t.threads[id]
	if !known {
		th = new(thread)
		t.threads[id] = th
	}
	switch {
	// PTRACE_O_TRACESYSGOOD; the filter
	case signal == syscall.SIGTRAP|0x80, status.TrapCause() == unix.PTRACE_EVENT_SECCOMP:
		kill, err := t.call(id, th, visit)
		return kill, 0, err
	// a clone, or the first stop after one in the new thread
	case signal == syscall.SIGTRAP, signal == syscall.SIGSTOP && !known:
		return false, 0, nil
	}
	return false, signal, nil // the signal is on its way to the process
}

// call handles a stop before or after a system call. The two take turns: ptrace(2), "Syscall-stops".
func (t *tracer) call(id int, th *thread, visit func(*Stop) (bool, error)) (kill bool, err error) {
	var registers syscall.PtraceRegs
	if err := syscall.PtraceGetRegs(id, &registers); err == syscall.ESRCH {
		return false, nil // killed meanwhile
	} else if err != nil {
		return false, fmt.Errorf("crash: registers: %w", err)
	}
	if th.call != nil {
		stop := th.call
		th.call, stop.shorten = nil, nil
		stop.After, stop.Result = true, int(int64(registers.Rax))
		return visit(stop)
	}
	if int64(registers.Rax) != -int64(syscall.ENOSYS) { // the kernel sets this value before each call
		return false, errors.New("crash: lost count of the stops before and after calls")
	}
	stop, err := t.read(&registers)
	if err != nil {
		return false, err
	}
	stop.shorten = func(bytes int) error {
		registers.Rdx = uint64(bytes)
		return syscall.PtraceSetRegs(id, &registers)
	}
	th.call = stop
	return visit(stop)
}

// read decodes a call from the registers and the memory of its thread.
func (t *tracer) read(r *syscall.PtraceRegs) (*Stop, error) {
	f := forms[r.Orig_rax]
	argument := func(n int) int { return int([...]uint64{0, r.Rdi, r.Rsi, r.Rdx, r.R10, r.R8, r.R9}[n]) }
	stop := &Stop{Call: Call{Name: f.name, File: -1, Count: argument(f.count), Flags: argument(f.flags)}}
	if f.name == "creat" {
		stop.Flags = os.O_CREATE | os.O_TRUNC | os.O_WRONLY
	}
	if f.file > 0 {
		stop.File = int(int32(argument(f.file)))
		stop.Path = t.opened(stop.File)
	}
	var err error
	if f.path > 0 {
		stop.Path, err = t.named(f.folder, argument(f.folder), argument(f.path))
	}
	if f.path2 > 0 && err == nil {
		stop.Target, err = t.named(f.folder2, argument(f.folder2), argument(f.path2))
	}
	return stop, err
}

// opened returns a descriptor's path, empty if there is none.
func (t *tracer) opened(file int) string {
	path, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", t.process, file))
	return path
}

// named returns the absolute path of the text at an address. A relative path is relative to folder, if the call has
// this argument.
func (t *tracer) named(hasFolder, folder, address int) (string, error) {
	text, err := t.text(int64(address))
	if err != nil || filepath.IsAbs(text) {
		return filepath.Clean(text), err
	}
	if hasFolder > 0 && int32(folder) != unix.AT_FDCWD {
		return filepath.Join(t.opened(int(int32(folder))), text), nil
	}
	return filepath.Join(t.folder, text), nil
}

// text reads a text that ends with a zero byte. Its length is at most a path's.
func (t *tracer) text(address int64) (string, error) {
	var text []byte
	page := int64(os.Getpagesize())
	for len(text) < unix.PathMax {
		part := make([]byte, page-address%page) // not more, since the next page may not exist
		if _, err := io.ReadFull(io.NewSectionReader(t.memory, address, int64(len(part))), part); err != nil {
			return "", fmt.Errorf("crash: path at address %s: %w", strconv.FormatInt(address, 16), err)
		}
		if end := bytes.IndexByte(part, 0); end >= 0 {
			return string(append(text, part[:end]...)), nil
		}
		text, address = append(text, part...), address+int64(len(part))
	}
	return "", errors.New("crash: a path that does not end")
}
