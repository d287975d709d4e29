package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/neardup/bleve-neardup/examples/internal/documents"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

// open opens an index, of type neardup if signed.
func open(path string, readOnly, signed bool) (bleve.Index, error) {
	x, err := documents.Open(path, readOnly)
	if err != nil || !signed {
		return x, err
	}
	inner, err := x.Advanced()
	if err == nil {
		if _, ok := inner.(*indextype.Index); ok {
			return x, nil
		}
		err = fmt.Errorf("%s: wanted an index of type %q, got one without signatures: the command backfill makes one of it", path, indextype.Name)
	}
	x.Close()
	return nil, err
}

// free reports whether a new index can be made at path.
func free(path string) bool {
	entries, err := os.ReadDir(path)
	return errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0
}

// progress is a bar on a terminal, and nothing elsewhere.
type progress struct{ bar *progressbar.ProgressBar }

// progress returns a bar of so many steps, -1 if that is not known. They are bytes or
// other things.
func (a *app) progress(what string, total int64, bytes bool) *progress {
	f, ok := a.stderr.(*os.File)
	if !ok || a.quiet || !term.IsTerminal(int(f.Fd())) {
		return &progress{}
	}
	return &progress{bar(a.stderr, what, total, bytes)}
}

func bar(w io.Writer, what string, total int64, bytes bool) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(what),
		progressbar.OptionShowCount(), progressbar.OptionShowBytes(bytes), progressbar.OptionSetWidth(30),
		progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
}

func (p *progress) add(n int) {
	if p.bar != nil {
		p.bar.Add(n)
	}
}

func (p *progress) set(n int) {
	if p.bar != nil {
		p.bar.Set(n)
	}
}

// of sets what is done and what there is to do.
func (p *progress) of(done, total int) {
	if p.bar != nil {
		p.bar.ChangeMax(total)
		p.bar.Set(done)
	}
}

func (p *progress) end() {
	if p.bar != nil {
		p.bar.Exit()
	}
}

// summary prints a line for people who watch.
func (a *app) summary(format string, args ...any) {
	if !a.quiet && !a.json {
		fmt.Fprintf(a.stderr, format+"\n", args...)
	}
}
