package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"syscall"
	"time"
)

// run runs a test program in its package's folder, which go test has chosen. It appends "FOLDER CPU UNIT" to a file.
// CPU is the CPU seconds of the program and its children. UNIT is the CPU seconds of the reference computation.
func run(file string, command []string) (code int, err error) {
	unit := reference()
	program := exec.Command(command[0], command[1:]...)
	program.Stdin, program.Stdout, program.Stderr = os.Stdin, os.Stdout, os.Stderr
	signal.Ignore(os.Interrupt) // go test sends it to the program, too
	err = program.Run()
	if stopped := (*exec.ExitError)(nil); err != nil && !errors.As(err, &stopped) {
		return 1, err
	}
	if code = program.ProcessState.ExitCode(); code < 0 {
		code = 1 // ended by a signal
	}
	unit = (unit + reference()) / 2
	folder, err := os.Getwd()
	if err != nil {
		return 1, err
	}
	out, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return 1, err
	}
	defer out.Close()
	_, err = fmt.Fprintf(out, "%s\t%.3f\t%.5f\n", folder, taken(syscall.RUSAGE_CHILDREN).Seconds(), unit.Seconds())
	return code, err
}

// reference returns the CPU time of a fixed computation.
func reference() time.Duration {
	random := rand.New(rand.NewPCG(1, 2))
	numbers := make([]uint64, 1<<17)
	for i := range numbers {
		numbers[i] = random.Uint64()
	}
	before := taken(syscall.RUSAGE_SELF)
	slices.Sort(numbers)
	return taken(syscall.RUSAGE_SELF) - before
}

// taken returns the CPU time of this process, or of its children that have ended.
func taken(who int) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(who, &usage); err != nil {
		panic(err) // only a wrong who is an error: getrusage(2)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
