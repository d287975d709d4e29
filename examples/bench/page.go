package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/neardup/bleve-neardup/examples/internal/markdown"
)

const pageHead = `# What was measured

Drawn by %s, not by hand ([how it is measured](../README.md)).

On %s. CPU is of the whole process, reading included. Two documents are near-duplicates from a resemblance of %v on; a reported pair below it
counts as wrong: in brackets, only if it falls short by more than .1. [results.json](results.json) has more.

Each cell is CPU in seconds, memory in MB, precision, recall.

`

// markdown is the page.
func (r *results) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, pageHead, "`go -C examples run ./bench --out bench/results`", "`"+r.Machine+"`", number(r.Threshold))
	rows := [][]string{{"program"}}
	for _, c := range r.Corpora {
		rows[0] = append(rows[0], c.Name)
	}
	var wrong strings.Builder
	for _, p := range r.Programs {
		row := []string{p.Name}
		for _, c := range r.Corpora {
			x, ok := r.of(p.Name, c.Name)
			cell := ""
			switch {
			case !ok:
				fmt.Fprintf(&wrong, "- %s, %s: %s\n", p.Name, c.Name, cmp.Or(p.Missing, "was not run here yet"))
			case x.Status != done:
				fmt.Fprintf(&wrong, "- %s, %s: %s: %s\n", p.Name, c.Name, x.Status, x.Reason)
			default:
				cell = fmt.Sprintf("%s, %d, %s, %s", seconds(x.CPU), x.Peak>>20, x.precision(r.Threshold), share(x.Right, c.Near))
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	markdown.Table(&b, rows, 1)
	if wrong.Len() > 0 {
		b.WriteString("\nWithout a result:\n\n" + wrong.String())
	}
	b.WriteString("\n## The programs\n\n")
	for _, p := range r.Programs {
		name := "**" + p.Name + "**"
		if p.Version != "" {
			name += " " + p.Version
		}
		fmt.Fprintf(&b, "- %s: %s\n", name, p.About)
	}
	b.WriteString("\n## The corpora\n")
	for _, c := range r.Corpora {
		fmt.Fprintf(&b, "\n**%s.** %s. %d documents, %.1f MB, %d pairs.\n", c.Name, upper(c.About), c.Documents, float64(c.Bytes)/1e6, c.Near)
	}
	return b.String()
}

// precision writes the share of the pairs that are right, and the same without those that are nearly so.
func (x result) precision(threshold float64) string {
	all := x.Found
	for i, n := range x.Bins {
		if edges[i] > threshold-.1-1e-9 && edges[i] < threshold {
			all -= n
		}
	}
	if x.Found == all {
		return cmp.Or(share(x.Right, x.Found), "none")
	}
	return share(x.Right, x.Found) + " (" + share(x.Right, all) + ")"
}

func upper(s string) string { return strings.ToUpper(s[:min(1, len(s))]) + s[min(1, len(s)):] }

// share writes part / whole.
func share(part, whole int) string {
	if whole == 0 {
		return ""
	}
	return number(float64(part) / float64(whole))
}

// number writes a share with three digits, and 1 and 0 only for what is so.
func number(x float64) string {
	switch s := strings.TrimRight(fmt.Sprintf("%.3f", x), "0"); {
	case x == 0:
		return "0"
	case x == 1:
		return "1"
	case s == "1.":
		return ".999+"
	case s == "0.":
		return "<.001"
	default:
		return strings.TrimPrefix(s, "0")
	}
}

// seconds writes a time with two digits after the point, or three figures.
func seconds(s float64) string {
	if s >= 10 {
		return fmt.Sprintf("%.0f", s)
	}
	return fmt.Sprintf("%.2f", s)
}
