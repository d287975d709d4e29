package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// simhashTool is the C program of Debian's package simhash, which keeps the 100
// least hashes of 8 consecutive bytes. Its time includes reading files of one
// document each and writing as many.
func simhashTool(dir string, docs [][]byte) ([]peer, error) {
	const batch = 500 // files on a command line
	program, err := exec.LookPath("simhash")
	if errors.Is(err, exec.ErrNotFound) {
		return []peer{{name: "simhash (C), 8-byte shingles", missing: "apt-get install simhash"}}, nil
	}
	if err != nil {
		return nil, err
	}
	dir = filepath.Join(dir, "simhash")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	var files []string
	for i, d := range docs {
		files = append(files, strconv.Itoa(i))
		if err := os.WriteFile(filepath.Join(dir, files[i]), d, 0o644); err != nil {
			return nil, err
		}
	}
	var spent int64
	p := peer{
		name: "simhash (C), 100 least of 8-byte shingles",
		cpu:  func() (int64, error) { return spent, nil },
		pass: func() error {
			for rest := files; len(rest) > 0; rest = rest[min(batch, len(rest)):] {
				args := append([]string{"-f", strconv.Itoa(lanes), "-w"}, rest[:min(batch, len(rest))]...)
				cmd := exec.Command(program, args...)
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					return errors.New(strings.TrimSpace(err.Error() + " " + string(out)))
				}
				spent += int64(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime())
			}
			return nil
		},
	}
	if err := p.pass(); err != nil {
		return nil, err
	}
	var kept int64
	for _, f := range files {
		info, err := os.Stat(filepath.Join(dir, f+".sim"))
		if err != nil {
			return nil, err
		}
		kept += info.Size()
	}
	p.bytes = float64(kept) / float64(len(docs))
	return []peer{p}, nil
}
