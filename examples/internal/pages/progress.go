package pages

import (
	"fmt"
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress counts documents: as a bar on a terminal, else in a line at the end.
type progress struct {
	w    io.Writer
	bar  *progressbar.ProgressBar
	done int
}

func newProgress(w io.Writer, total int) *progress {
	if IsTerminal(w) {
		return &progress{w: io.Discard, bar: progressbar.NewOptions(total, progressbar.OptionSetWriter(w),
			progressbar.OptionSetDescription("Indexing"), progressbar.OptionShowCount(),
			progressbar.OptionSetWidth(40), progressbar.OptionClearOnFinish())}
	}
	return &progress{w: w}
}

func (p *progress) add(n int) {
	p.done += n
	if p.bar != nil {
		p.bar.Add(n)
	}
}

func (p *progress) end(err error) {
	if p.bar != nil {
		p.bar.Exit()
	}
	if err == nil {
		fmt.Fprintf(p.w, "indexed %d documents\n", p.done)
	}
}

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
