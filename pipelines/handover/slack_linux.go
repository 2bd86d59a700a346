package handover

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// slack is how late Linux may end a sleep of program networked, in place of 50 µs. While a program has work, a thread
// of Go's runtime sleeps 20 µs at a time to watch the others. A stage over Kafka is often busy for a moment, at each
// message. With 50 µs those sleeps took a tenth of the CPU time of all stages.
const slack = 400 * time.Microsecond

// relax sets the slack for the program that this thread executes next: prctl(2), PR_SET_TIMERSLACK. Where a sandbox
// does not allow it, the program takes more time.
func relax() {
	runtime.LockOSThread()
	unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(slack.Nanoseconds()), 0, 0, 0)
}
