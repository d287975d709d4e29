// Package terminal shows on a terminal how far a command is.
package terminal

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Is reports whether w is a terminal.
func Is(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Bar is a bar of progress. The zero Bar shows nothing.
type Bar struct{ bar *progressbar.ProgressBar }

// NewBar returns a bar of so many steps, -1 if that is not known, which are bytes or
// other things. On anything but a terminal it shows nothing.
func NewBar(w io.Writer, what string, steps int64, bytes bool) Bar {
	if !Is(w) {
		return Bar{}
	}
	return newBar(w, what, steps, bytes)
}

func newBar(w io.Writer, what string, steps int64, bytes bool) Bar {
	return Bar{progressbar.NewOptions64(steps, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(what),
		progressbar.OptionShowCount(), progressbar.OptionShowBytes(bytes), progressbar.OptionSetWidth(30),
		progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())}
}

// Add reports n more steps.
func (b Bar) Add(n int) {
	if b.bar != nil {
		b.bar.Add(n)
	}
}

// Set reports how many of all steps are done.
func (b Bar) Set(done, all int) {
	if b.bar != nil {
		b.bar.ChangeMax(all)
		b.bar.Set(done)
	}
}

// End takes the bar away, also one that is not at its end.
func (b Bar) End() {
	if b.bar != nil {
		b.bar.Exit()
		b.bar.Clear()
	}
}
