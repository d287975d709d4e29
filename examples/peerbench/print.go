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
	head := []string{"", "MB/s", "ns a shingle", "time", "bytes a document"}
	if r.Pairs > 0 {
		fmt.Fprintf(w, "P(r, n): share of %d pairs of random sets of resemblance r, n elements together, of which 90 of\n"+
			"100 lanes agree; independent lanes have P(.8) = .0057, P(.95) = .9885.\n", r.Pairs)
		for _, union := range unions {
			for _, twentieths := range resemblances {
				head = append(head, fmt.Sprintf("P(%.3g, %d)", float64(twentieths)/20, union))
			}
		}
	}
	rows := [][]string{head}
	for _, x := range r.Rows {
		if x.Missing != "" {
			rows = append(rows, append([]string{x.Name + ": not installed: " + x.Missing}, make([]string, len(head)-1)...))
			continue
		}
		line := append([]string{x.Name, short(x.MBs), short(x.NS), short(x.Ratio)}, make([]string, len(head)-4)...)
		if x.Bytes > 0 {
			line[4] = fmt.Sprintf("%.0f", x.Bytes)
		}
		for i, a := range x.Accuracy {
			line[5+i] = fmt.Sprintf("%.4f", a.Duplicates)
		}
		rows = append(rows, line)
	}
	fmt.Fprintln(w)
	table(w, rows)
	return nil
}

// table writes rows as a table in Markdown, the first row as its head.
func table(w io.Writer, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, s := range row {
			widths[i] = max(widths[i], len(s))
		}
	}
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
