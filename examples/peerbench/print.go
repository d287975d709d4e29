package main

import (
	"fmt"
	"io"
	"strings"
)

// print writes a table in Markdown.
func (r *report) print(w io.Writer) error {
	fmt.Fprintf(w, "%d documents of %.0f bytes, %d shingles of %d words each; medians of %d rounds; %s.\n", r.Docs,
		float64(r.Bytes)/float64(r.Docs), r.Shingles/r.Docs, width, r.Rounds, r.Go)
	fmt.Fprint(w, "MB/s: 10^6 bytes a second of CPU time. Time: this library's is 1, in the same round.\n")
	if r.Pairs > 0 {
		fmt.Fprintf(w, "P(r): share of %d pairs of random sets of resemblance r, %d elements together, of which 90 of\n"+
			"100 lanes agree; independent lanes have P(.8) = .0057, P(.95) = .9885.\n", r.Pairs, r.Union)
	}
	rows := [][]string{{"", "MB/s", "ns a shingle", "time", "bytes a document", "P(.8)", "P(.95)"}}
	for _, x := range r.Rows {
		if x.Missing != "" {
			rows = append(rows, []string{x.Name + ": not installed: " + x.Missing, "", "", "", "", "", ""})
			continue
		}
		line := []string{x.Name, short(x.MBs), short(x.NS), short(x.Ratio), "", "", ""}
		if x.Bytes > 0 {
			line[4] = fmt.Sprintf("%.0f", x.Bytes)
		}
		if x.P80 >= 0 {
			line[5], line[6] = fmt.Sprintf("%.4f", x.P80), fmt.Sprintf("%.4f", x.P95)
		}
		rows = append(rows, line)
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, s := range row {
			widths[i] = max(widths[i], len(s))
		}
	}
	fmt.Fprintln(w)
	for n, row := range rows {
		for i, s := range row {
			if i == 0 {
				fmt.Fprintf(w, "| %-*s ", widths[i], s)
			} else {
				fmt.Fprintf(w, "| %*s ", widths[i], s)
			}
		}
		fmt.Fprintln(w, "|")
		if n == 0 {
			fmt.Fprintf(w, "|%s|", strings.Repeat("-", widths[0]+2))
			for _, width := range widths[1:] {
				fmt.Fprintf(w, "%s:|", strings.Repeat("-", width+1))
			}
			fmt.Fprintln(w)
		}
	}
	return nil
}

// short writes x with three digits, or all before the point.
func short(x float64) string {
	switch {
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}
