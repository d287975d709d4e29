//go:build unix

package neartest

import (
	"syscall"
	"time"
)

// CPU is the processor time that this process has used, all threads together: bleve analyses, persists and merges in
// the background, and the machine is not ours alone.
func CPU() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // which fails for other processes alone
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
