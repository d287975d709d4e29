// Package markdown writes the tables of measurements.
package markdown

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Table writes rows as a table in Markdown, the first row as its head; the first
// so many columns are text, the others numbers.
func Table(w io.Writer, rows [][]string, text int) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, s := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(s))
		}
	}
	for n, row := range rows {
		for i, s := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(s))
			if i < text {
				s += pad
			} else {
				s = pad + s
			}
			fmt.Fprintf(w, "| %s ", s)
		}
		fmt.Fprintln(w, "|")
		for i, width := range widths {
			if n > 0 {
				break
			}
			rule := strings.Repeat("-", width+1)
			if i < text {
				fmt.Fprintf(w, "|-%s", rule)
			} else {
				fmt.Fprintf(w, "|%s:", rule)
			}
		}
		if n == 0 {
			fmt.Fprintln(w, "|")
		}
	}
}
