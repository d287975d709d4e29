//go:build !unix

package main

import (
	"os"
	"os/exec"
	"time"
)

// peak is not known here.
func peak(*os.ProcessState) int64 { return 0 }

// together leaves it to the system what becomes of the processes that a command started.
func together(*exec.Cmd) {}

// cpu is not known here.
func cpu() time.Duration { return 0 }
