package main

import (
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"
)

const pageHead = `# What was measured

Drawn by %s ([how it is measured](../README.md)), on %s. A reported pair is wrong below a
resemblance of %s; in brackets, without pairs from %s on. [results.json](results.json) has more.

MB is the most of all corpora; cells are CPU seconds, reading included, precision, recall.

`

// nearMiss is how far the resemblance of a pair may fall short so that brackets leave it out.
const nearMiss = .1

// markdown is the page.
func (r *results) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, pageHead, "`go -C examples run ./bench --out bench/results`", "`"+r.Machine+"`", number(r.Threshold), number(r.Threshold-nearMiss))
	b.WriteString("```text\n")
	table := tabwriter.NewWriter(&b, 0, 0, 3, ' ', 0)
	head := "\tMB"
	for _, c := range r.Corpora {
		head += "\t" + c.Name
	}
	fmt.Fprintln(table, head)
	var wrong strings.Builder
	for _, p := range r.Programs {
		row, peak, most := "", int64(0), "-"
		for _, c := range r.Corpora {
			x, ok := r.of(p.Name, c.Name)
			cell := "-"
			switch {
			case !ok:
				fmt.Fprintf(&wrong, "- %s, %s: %s\n", p.Name, c.Name, cmp.Or(p.Missing, "was not run here yet"))
			case x.Status != done:
				fmt.Fprintf(&wrong, "- %s, %s: %s: %s\n", p.Name, c.Name, x.Status, x.Reason)
			default:
				cell = fmt.Sprintf("%s, %s, %s", seconds(x.CPU), x.precision(r.Threshold), share(x.Right, c.Near))
				peak = max(peak, x.Peak>>20)
				most = fmt.Sprint(peak)
			}
			row += "\t" + cell
		}
		fmt.Fprintf(table, "%s\t%s%s\n", p.Name, most, row)
	}
	table.Flush()
	b.WriteString("```\n")
	if wrong.Len() > 0 {
		b.WriteString("\nWithout a result:\n\n" + wrong.String())
	}
	b.WriteString("\n## The programs\n\n")
	for _, p := range r.Programs {
		fmt.Fprintf(&b, "- %s: %s\n", strings.TrimSpace("**"+p.Name+"** "+p.Version), p.About)
	}
	b.WriteString("\n## The corpora\n")
	for _, c := range r.Corpora {
		fmt.Fprintf(&b, "\n**%s.** %s. %d documents, %.1f MB, %d pairs.\n", c.Name, c.About, c.Documents, float64(c.Bytes)/1e6, c.Near)
	}
	return b.String()
}

// precision writes the share of the pairs that are right, and the same without those that are nearly so.
func (x result) precision(threshold float64) string {
	all := x.Found
	for i, n := range x.Bins {
		if edges[i] > threshold-nearMiss-1e-9 && edges[i] < threshold {
			all -= n
		}
	}
	if x.Found == all {
		return cmp.Or(share(x.Right, x.Found), "none")
	}
	return share(x.Right, x.Found) + " (" + share(x.Right, all) + ")"
}

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
