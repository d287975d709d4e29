package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// test is a test, an example or the seeds of a fuzz test.
type test struct {
	binary int
	name   string
}

// quick is the CPU time up to which tests share a process.
const quick = 300 * time.Millisecond

// measure runs each test by itself, without a change, and returns the CPU time that it takes.
func (b *build) measure() (map[test]time.Duration, error) {
	left, err := regexp.Compile(*skip)
	if err != nil {
		return nil, fmt.Errorf("-skip: %w", err)
	}
	some, err := regexp.Compile(*chosen)
	if err != nil {
		return nil, fmt.Errorf("-run: %w", err)
	}
	times := map[test]time.Duration{}
	var out []string
	for i, bin := range b.binaries {
		names, err := b.names(bin)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if *skip != "" && left.MatchString(name) || bin.more && !some.MatchString(name) {
				continue
			}
			log := b.file("reached")
			os.Remove(log)
			took, over, err := b.execute(i, []string{name}, *longest, 0, log)
			switch {
			case over:
				out = append(out, name)
				continue
			case err != nil:
				return nil, fmt.Errorf("%s fails without a change: %w", name, err)
			}
			t := test{i, name}
			times[t] = took
			data, _ := os.ReadFile(log)
			for _, n := range strings.Fields(string(data)) {
				if number, err := strconv.Atoi(n); err == nil && number > 0 && number <= len(b.changes) {
					b.changes[number-1].reached[t] = true
				}
			}
		}
	}
	var sum time.Duration
	for _, d := range times {
		sum += d
	}
	fmt.Printf("%d tests take %v of CPU", len(times), sum.Round(time.Millisecond))
	if len(out) > 0 {
		fmt.Printf("; left out as they take longer than %v: %s", *longest, strings.Join(out, " "))
	}
	fmt.Println()
	return times, nil
}

func (b *build) names(bin binary) (names []string, err error) {
	cmd := exec.Command(bin.path, "-test.list", ".")
	cmd.Dir = bin.dir
	data, err := cmd.Output()
	if err != nil {
		return nil, explained(err)
	}
	for _, name := range strings.Fields(string(data)) {
		if !strings.HasPrefix(name, "Benchmark") {
			names = append(names, name)
		}
	}
	return names, nil
}

// try returns what becomes of a change, and the tests that were run last if they see it.
func (b *build) try(n int, c *change, times map[test]time.Duration) (fate, by string) {
	var runs [][]test
	together := make([][]test, len(b.binaries))
	for t := range c.reached {
		if times[t] <= quick {
			together[t.binary] = append(together[t.binary], t)
		} else {
			runs = append(runs, []test{t})
		}
	}
	slices.SortFunc(runs, func(x, y []test) int { return int(times[x[0]] - times[y[0]]) })
	together = slices.DeleteFunc(together, func(t []test) bool { return len(t) == 0 })
	for _, run := range append(together, runs...) {
		var names []string
		var took time.Duration
		for _, t := range run {
			names = append(names, t.name)
			took += times[t]
		}
		if _, over, err := b.execute(run[0].binary, names, 4*took+2*time.Second, n, ""); over {
			return "time", names[0]
		} else if err != nil {
			return "seen", failed(err, names)
		}
	}
	return "SURVIVES", ""
}

var failure = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

// failed is the name of the test that failed.
func failed(err error, names []string) string {
	if m := failure.FindStringSubmatch(err.Error()); m != nil {
		return m[1]
	}
	return strings.Join(names[:1], "") + ", a panic"
}

// execute runs tests with a change in force, none if it is 0. It reports whether they took more than most
// of CPU, or as long as a process that waits for ever.
func (b *build) execute(bin int, names []string, most time.Duration, change int, log string) (took time.Duration, over bool, err error) {
	dir, err := os.MkdirTemp(b.work, "tmp")
	if err != nil {
		return 0, false, err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	limits := fmt.Sprintf(`ulimit -t %d; ulimit -v %d; exec "$@"`, int(math.Ceil(most.Seconds())), *memory<<20)
	cmd := exec.CommandContext(ctx, "sh", "-c", limits, "sh", b.binaries[bin].path,
		"-test.short", "-test.failfast", "-test.count=1", "-test.run", "^("+strings.Join(names, "|")+")$")
	cmd.Dir = b.binaries[bin].dir
	cmd.Env = append(os.Environ(), "TMPDIR="+dir, fmt.Sprintf("MUTANT=%d", change), "MUTANT_REACHED="+log)
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return 0, false, err
	}
	go watch(ctx, cmd.Process.Pid, cancel)
	err = cmd.Wait()
	took = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ctx.Err() != nil || status.Signaled() && (status.Signal() == syscall.SIGXCPU || status.Signal() == syscall.SIGKILL) {
		return took, true, err
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return took, false, fmt.Errorf("%w\n%s", err, &out)
	}
	return took, false, err
}

// idle is how long a process may do nothing before it is taken to wait for ever.
const idle = 8 * time.Second

// watch stops a process that waits for ever. Where the machine is busy a process gets little of a core, so
// the time that it waits for one does not count.
func watch(ctx context.Context, pid int, stop func()) {
	var last time.Duration
	since := time.Now()
	for tick := time.NewTicker(time.Second); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
		// A runtime that is idle takes about a thousandth of a core.
		if now := wanted(pid); now < last || now > last+20*time.Millisecond {
			last, since = now, time.Now()
		} else if last = now; time.Since(since) > idle {
			stop()
		}
	}
}

// wanted is how long the threads of a process have run, or waited for a core.
func wanted(pid int) (sum time.Duration) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	for _, name := range files {
		data, _ := os.ReadFile(name)
		var ran, waited int64
		fmt.Sscan(string(data), &ran, &waited)
		sum += time.Duration(ran + waited)
	}
	return sum
}
