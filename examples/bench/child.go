package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// childName is the argument with which bench starts itself as the parent of a program.
//
// A process begins with the peak memory of the process that it was forked from (Linux hands it on in
// exec), and bench has whole corpora in memory. So a small process stands between, and measures.
const childName = "child-of-bench"

// spent is what one run of a program took.
type spent struct {
	CPU  float64 `json:"cpu_s"`  // seconds of user and system
	Wall float64 `json:"wall_s"` // seconds
	Peak int64   `json:"peak"`   // bytes; 0 where the system does not tell
}

// child runs the command of args after the first, which is the file for what it took. It returns the
// command's exit code.
func child(args []string) int {
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, err)
		return 127
	}
	took := spent{CPU: (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), Wall: wall.Seconds(), Peak: peak(cmd.ProcessState)}
	data, failed := json.Marshal(took)
	if failed = errors.Join(failed, os.WriteFile(args[0], data, 0o600)); failed != nil {
		fmt.Fprintln(os.Stderr, failed)
		return 127
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err) // such as a signal, which has no exit code
		return max(1, cmd.ProcessState.ExitCode())
	}
	return 0
}
