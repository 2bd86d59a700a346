package crash

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// filter makes a process stop only at the calls in forms. The process must stand before its first instruction. filter
// installs a seccomp(2) filter, which the process's threads inherit. Nine of ten calls in a Go program are other calls,
// and a stop costs more than most of them. The process itself makes the calls that install the filter, at its first
// instruction. The original instruction is put back afterwards.
func filter(process int) error {
	var before syscall.PtraceRegs
	if err := syscall.PtraceGetRegs(process, &before); err != nil {
		return err
	}
	instruction := []byte{0x0f, 0x05} // syscall
	first := make([]byte, len(instruction))
	if _, err := syscall.PtracePeekText(process, uintptr(before.Rip), first); err != nil {
		return err
	}
	if _, err := syscall.PtracePokeText(process, uintptr(before.Rip), instruction); err != nil {
		return err
	}
	call := func(number uint64, arguments ...uint64) error {
		r := before
		r.Rax, r.Orig_rax = number, ^uint64(0) // no interrupted call is to be restarted
		for i, to := range []*uint64{&r.Rdi, &r.Rsi, &r.Rdx, &r.R10, &r.R8}[:len(arguments)] {
			*to = arguments[i]
		}
		if err := syscall.PtraceSetRegs(process, &r); err != nil {
			return err
		}
		if err := syscall.PtraceSingleStep(process); err != nil {
			return err
		}
		var status syscall.WaitStatus
		if _, err := syscall.Wait4(process, &status, unix.WALL, nil); err != nil ||
			status.StopSignal() != syscall.SIGTRAP {
			return fmt.Errorf("status %#x: %w", status, err)
		}
		if err := syscall.PtraceGetRegs(process, &r); err != nil {
			return err
		}
		if result := int64(r.Rax); result != 0 {
			return syscall.Errno(-result)
		}
		return nil
	}
	// The filter is on the stack, below the part in use. Before it is a struct sock_fprog: the filter's length and its
	// address.
	program := rules()
	const size = 8 // bytes of one rule
	at := (before.Rsp - 4096) &^ 15
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(program)/size))
	b = binary.LittleEndian.AppendUint64(b, at+16)
	if _, err := syscall.PtracePokeData(process, uintptr(at), append(b, program...)); err != nil {
		return err
	}
	if err := call(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("prctl: %w", err)
	}
	if err := call(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, at); err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	if _, err := syscall.PtracePokeText(process, uintptr(before.Rip), first); err != nil {
		return err
	}
	return syscall.PtraceSetRegs(process, &before)
}

// rules returns the rules of the filter. If a call's number is in forms, the tracer is told. The exception is mmap of
// memory without a file.
func rules() (b []byte) {
	rule := func(code uint16, then, otherwise uint8, k uint32) {
		b = binary.LittleEndian.AppendUint16(b, code)
		b = append(b, then, otherwise)
		b = binary.LittleEndian.AppendUint32(b, k)
	}
	const (
		// offsets in struct seccomp_data; descriptor is the fifth argument
		load, number, descriptor = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, 0, 16 + 4*8
		equal, end               = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, unix.BPF_RET | unix.BPF_K
	)
	rule(load, 0, 0, number)
	rule(equal, 0, 3, unix.SYS_MMAP)
	rule(load, 0, 0, descriptor)
	rule(equal, 0, 1, math.MaxUint32) // -1
	rule(end, 0, 0, unix.SECCOMP_RET_ALLOW)
	rule(load, 0, 0, number)
	numbers := slices.Sorted(maps.Keys(forms))
	for i, n := range numbers {
		rule(equal, uint8(len(numbers)-i), 0, uint32(n))
	}
	rule(end, 0, 0, unix.SECCOMP_RET_ALLOW)
	rule(end, 0, 0, unix.SECCOMP_RET_TRACE)
	return b
}
