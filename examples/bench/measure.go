package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/neardup/bleve-neardup/examples/internal/join"
)

// slow is the CPU time in seconds of a program that is not run again.
const slow = 10

// measure runs each program on each corpus, and draws the page.
func (o options) measure(ctx context.Context, stdout, stderr io.Writer) error {
	start := time.Now()
	all, err := readPrograms(o.list)
	if err != nil {
		return err
	}
	programs, err := chosen(all, o.programs)
	if err != nil {
		return err
	}
	corpora, err := o.read()
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	folder, err := filepath.Abs(filepath.Dir(o.list))
	if err != nil {
		return err
	}
	r := &results{Machine: machine(), Threshold: o.threshold}
	w := &places{folder: folder, work: work, threshold: o.threshold, built: map[string]error{}}
	for _, p := range programs {
		p.prepare(ctx, w)
		r.Programs = append(r.Programs, programRow{p.Name, p.About, p.version, p.missing})
	}
	for _, c := range corpora {
		if err := o.on(ctx, c, programs, w, r, stderr); err != nil {
			return err
		}
	}
	fmt.Fprintf(stderr, "%d measurements in %.0f s\n", len(r.Runs), time.Since(start).Seconds())
	if o.out != "" {
		return r.save(o.out)
	}
	_, err = io.WriteString(stdout, r.markdown())
	return err
}

// on runs the programs on one corpus.
func (o options) on(ctx context.Context, c corpus, programs []*program, w *places, r *results, stderr io.Writer) error {
	lines, err := c.lines()
	if err != nil {
		return err
	}
	t := newTruth(c, o.threshold, stderr)
	row := corpusRow{Name: c.name, About: c.about, Documents: len(c.docs), Near: t.near, Labelled: c.labelled(), Bins: t.bins}
	for _, d := range c.docs {
		row.Bytes += len(d.Text)
	}
	r.Corpora = append(r.Corpora, row)
	file := filepath.Join(w.work, "corpus.jsonl")
	if err := os.WriteFile(file, lines, 0o600); err != nil {
		return err
	}
	for _, p := range programs {
		if p.missing != "" {
			fmt.Fprintf(stderr, "%s: %s: %s\n", c.name, p.Name, p.missing)
			continue
		}
		x := o.rounded(ctx, t, w.words(p.Command), file)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		x.Program, x.Corpus = p.Name, c.name
		fmt.Fprintf(stderr, "%s: %s\n", c.name, x)
		r.Runs = append(r.Runs, x)
	}
	return nil
}

func (x result) String() string {
	if x.Status != done {
		return fmt.Sprintf("%s: %s: %s", x.Program, x.Status, x.Reason)
	}
	return fmt.Sprintf("%s: %.2f s of CPU, %d MB, %d pairs", x.Program, x.CPU, x.Peak>>20, x.Found)
}

// rounded runs a program several times. The least CPU counts, with its time, and the most memory.
func (o options) rounded(ctx context.Context, t *truth, command []string, file string) (best result) {
	for round := range o.rounds {
		x := o.once(ctx, t, command, file)
		x.Rounds = round + 1
		if x.Status != done {
			return x
		}
		x.Peak = max(x.Peak, best.Peak)
		if round > 0 && best.CPU < x.CPU {
			x.CPU, x.Wall = best.CPU, best.Wall
		}
		if best = x; x.CPU > slow {
			break
		}
	}
	return best
}

// once runs a program one time.
func (o options) once(ctx context.Context, t *truth, command []string, file string) result {
	took, a, err := o.answered(ctx, t, command, file)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return result{Status: overdue, Reason: fmt.Sprintf("more than %v", o.deadline), spent: spent{Wall: o.deadline.Seconds()}}
	case err != nil:
		return result{Status: failed, Reason: err.Error()}
	}
	return result{Status: done, spent: took, score: t.score(a.pairs)}
}

// answered runs a program and reads what it says. A program that says what it must not is stopped.
func (o options) answered(ctx context.Context, t *truth, command []string, file string) (took spent, a *answer, err error) {
	self, err := os.Executable()
	if err != nil {
		return took, nil, err
	}
	in, err := os.Open(file)
	if err != nil {
		return took, nil, err
	}
	defer in.Close()
	ctx, stop := context.WithTimeout(ctx, o.deadline)
	defer stop()
	to := file + ".spent"
	cmd := exec.CommandContext(ctx, self, append([]string{childName, to}, command...)...)
	together(cmd)
	cmd.WaitDelay = 5 * time.Second
	errs := &tail{}
	cmd.Stdin, cmd.Stderr = in, errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		return took, nil, err
	}
	if err := cmd.Start(); err != nil {
		return took, nil, err
	}
	// A process that left its group can keep the pipe open.
	defer context.AfterFunc(ctx, func() { out.Close() })()
	a = &answer{numbers: t.numbers, pairs: map[join.Pair]struct{}{}}
	wrong := a.read(out)
	overdue := ctx.Err()
	if wrong != nil {
		stop()
	}
	err = cmd.Wait()
	switch {
	case overdue != nil || wrong == nil && ctx.Err() != nil:
		return took, nil, context.Cause(ctx)
	case wrong != nil:
		return took, nil, wrong
	case err != nil:
		return took, nil, fmt.Errorf("%w: %s", err, errs)
	}
	data, err := os.ReadFile(to)
	if err != nil {
		return took, nil, err
	}
	return took, a, json.Unmarshal(data, &took)
}

// tail keeps the end of what is written to it.
type tail struct{ bytes.Buffer }

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.Buffer.Write(p)
	if over := t.Len() - 1000; over > 0 {
		t.Next(over)
	}
	return len(p), nil
}

// String returns it as one line.
func (t *tail) String() string { return strings.Join(strings.Fields(t.Buffer.String()), " ") }
