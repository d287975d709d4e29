package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"

	"github.com/blevesearch/bleve/v2"
	"github.com/fatih/color"
	"github.com/mattn/go-runewidth"
	"golang.org/x/term"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/examples/internal/pages"
	"github.com/neardup/bleve-neardup/examples/internal/terminal"
)

const (
	sideBySide = 100 // columns that two lists need
	unknown    = 120 // taken for the width where there is no terminal
	maxCopies  = 8   // copies listed under a head

	copyHead = "    %7s  %7s  %-20s  %s"
	copyLine = "    %7s  %7d  %-20s  %s"
)

// width is the width to print to: the terminal's, else $COLUMNS.
func width(w io.Writer) int {
	if terminal.Is(w) {
		if n, _, err := term.GetSize(int(w.(*os.File).Fd())); err == nil && n > 0 {
			return n
		}
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return unknown
}

// styles are the colours.
type styles struct {
	bold, faint, copy, hides *color.Color
}

func newStyles(coloured bool) styles {
	s := styles{
		bold:  color.New(color.Bold),
		faint: color.New(color.Faint),
		copy:  color.New(color.FgYellow),
		hides: color.New(color.FgGreen),
	}
	for _, c := range []*color.Color{s.bold, s.faint, s.copy, s.hides} {
		if coloured {
			c.EnableColor()
		} else {
			c.DisableColor()
		}
	}
	return s
}

// span is text of one style, nil for none; a row is a line of them.
type span struct {
	style *color.Color
	text  string
}

type row []span

// cells is the width of r on the terminal.
func (r row) cells() (n int) {
	for _, s := range r {
		n += runewidth.StringWidth(s.text)
	}
	return n
}

// fit returns r in exactly n cells, cut or filled up with blanks.
func (r row) fit(n int) row {
	var out row
	for _, s := range r {
		if n == 0 {
			break
		}
		s.text = runewidth.Truncate(s.text, n, "…")
		n = max(0, n-runewidth.StringWidth(s.text)) // the … may be too wide itself
		out = append(out, s)
	}
	return append(out, span{nil, strings.Repeat(" ", n)})
}

func (r row) String() string {
	var b strings.Builder
	for _, s := range r {
		if s.style == nil {
			b.WriteString(s.text)
		} else {
			b.WriteString(s.style.Sprint(s.text))
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// printer prints for people.
type printer struct {
	w     io.Writer
	width int
	styles
}

func (p *printer) made(m *pages.Made) {
	seconds := m.IndexMS / 1000
	verb := "Indexed"
	if m.Reused {
		verb = "Opened the index of"
	}
	fmt.Fprintf(p.w, "%s %s: %s documents, %s of text.\n", verb, clean(m.Source), comma(m.Docs), megabytes(m.TextBytes))
	fmt.Fprintf(p.w, "Indexing took %.1f s, %s docs/s; the index takes %s.\n",
		seconds, comma(int(float64(m.Docs)/seconds)), megabytes(m.IndexBytes))
}

func (p *printer) answer(a *answer) {
	fmt.Fprintf(p.w, "\n%s\n\n", p.bold.Sprintf("Query: %s", clean(a.Query)))
	if a.TotalHits == 0 {
		fmt.Fprintln(p.w, "No hits.")
		return
	}
	if p.width >= sideBySide {
		// The right list has more to say.
		left := (p.width - 3) * 44 / 100
		p.columns(p.plainRows(a, left), p.groupRows(a, p.width-3-left), left)
	} else {
		p.rows(p.plainRows(a, p.width))
		fmt.Fprintln(p.w)
		p.rows(p.groupRows(a, p.width))
	}
	p.summary(a)
}

func (p *printer) rows(rows []row) {
	for _, r := range rows {
		fmt.Fprintln(p.w, r)
	}
}

func (p *printer) columns(left, right []row, width int) {
	for i := range max(len(left), len(right)) {
		var l, r row
		if i < len(left) {
			l = left[i]
		}
		if i < len(right) {
			r = right[i]
		}
		line := append(l.fit(width), span{p.faint, " │ "})
		fmt.Fprintln(p.w, append(line, r...))
	}
}

// plainRows are the lines of bleve's own result.
func (p *printer) plainRows(a *answer, width int) []row {
	rows := []row{
		row{{p.bold, fmt.Sprintf("bleve's plain hits, page %d", a.Page)}}.fit(width),
		row{{p.faint, "  # id  title"}}.fit(width),
	}
	ranks := make(map[string]int)
	for i, g := range a.Groups {
		ranks[g.ID] = p.rank(a, i)
	}
	for i, h := range a.Plain {
		style, note := p.bold, ""
		if h.CopyOf != "" {
			style, note = nil, "copy, earlier page"
			if rank := ranks[h.CopyOf]; rank > 0 {
				note = fmt.Sprintf("copy of %d", rank)
			}
		}
		rows = append(rows, p.hit(p.rank(a, i), h, style, span{p.copy, note}, width))
	}
	return rows
}

// groupRows are the lines of the collapsed result, with the copies each head hides.
func (p *printer) groupRows(a *answer, width int) []row {
	rows := []row{
		row{{p.bold, fmt.Sprintf("collapsed, page %d", a.Page)}}.fit(width),
		row{{p.faint, fmt.Sprintf(copyHead, "lanes", "Hamming", "tests passed", "hidden copy")}}.fit(width),
	}
	for i, g := range a.Groups {
		note := ""
		if n := len(g.Copies); n > 0 {
			note = "hides " + comma(n)
		}
		rows = append(rows, p.hit(p.rank(a, i), g.hit, p.bold, span{p.hides, note}, width))
		for _, c := range g.Copies[:min(len(g.Copies), maxCopies)] {
			lanes := fmt.Sprintf("%d/%d", c.Agree, signature.DefaultParams().Lanes)
			why := fmt.Sprintf(copyLine, lanes, c.Hamming, c.By, "")
			rows = append(rows, row{{p.faint, why}, {nil, clean(c.ID)}}.fit(width))
		}
		if more := len(g.Copies) - maxCopies; more > 0 {
			rows = append(rows, row{{p.faint, fmt.Sprintf("    and %s more, see --json", comma(more))}}.fit(width))
		}
	}
	return rows
}

func (p *printer) rank(a *answer, i int) int { return (a.Page-1)*a.Size + i + 1 }

// hit is a line of rank, id, title, and a note at its end.
func (p *printer) hit(rank int, h hit, id *color.Color, note span, width int) row {
	r := row{{p.faint, fmt.Sprintf("%3d ", rank)}, {id, clean(h.ID)}, {nil, "  " + clean(h.Title)}}
	if note.text == "" {
		return r.fit(width)
	}
	note.text = "  " + note.text
	return append(r.fit(max(0, width-row{note}.cells())), note)
}

func (p *printer) summary(a *answer) {
	copies := 0
	for _, h := range a.Plain {
		if h.CopyOf != "" {
			copies++
		}
	}
	groups := comma(a.TotalGroups) + " groups"
	if a.TotalGroups == 1 {
		groups = "1 group"
	}
	if a.TotalGroupsRelation == bleve.TotalRelationGte {
		groups = "at least " + groups
	}
	fmt.Fprintf(p.w, "\n%d of the %d plain hits are copies. Collapse walked %s of %s hits: %s, %s hidden.\n",
		copies, len(a.Plain), comma(a.HitsWalked), comma(int(a.TotalHits)), groups, comma(a.Hidden))
	fmt.Fprintf(p.w, "Took %.2f ms plain, %.2f ms collapsed (medians of %d runs).\n", a.Timings.PlainMS, a.Timings.CollapsedMS, a.Timings.Runs)
}

// clean keeps control characters, which data may hold, from the terminal.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

// comma writes n with commas between the thousands.
func comma(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func megabytes(n uint64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
