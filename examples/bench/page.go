package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/neardup/bleve-neardup/examples/internal/markdown"
)

// page writes the page and its pictures into a directory, and returns its path. It depends on the results alone.
func (r *results) page(dir string) (string, error) {
	for _, c := range r.Corpora {
		if err := os.WriteFile(filepath.Join(dir, c.Name+".svg"), []byte(r.picture(c)), 0o644); err != nil {
			return "", err
		}
	}
	path := filepath.Join(dir, "README.md")
	return path, os.WriteFile(path, []byte(r.markdown()), 0o644)
}

const pageHead = `# What was measured

Drawn by %s, not by hand. [The folder above](../README.md) says how it is measured.

On a machine with %s. CPU is seconds of user and system time of the whole process: its start, reading the documents and
writing the answer are included. It is the least of up to three runs. Time is by the clock, in the run of the least CPU, and
other work on the machine can make it longer. Memory is the most that the process had. Two documents are near-duplicates from a resemblance of %v
on: the share of their runs of four words that both have. Precision is the share of the reported pairs that are near-duplicates,
and recall the share of the near-duplicates that were reported. A group counts as all of its pairs.

## The programs

`

// markdown is the page.
func (r *results) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, pageHead, "`go -C examples run ./bench --out bench/results`", "`"+r.Machine+"`", number(r.Threshold))
	rows := [][]string{{"program", "version", "what it does"}}
	for _, p := range r.Programs {
		about := p.About
		if _, ok := r.any(p.Name); !ok && p.Missing != "" {
			about += ". **" + p.Missing + "**"
		}
		rows = append(rows, []string{p.Name, p.Version, about})
	}
	markdown.Table(&b, rows, 3)
	for _, c := range r.Corpora {
		r.section(&b, c)
	}
	return b.String()
}

// any returns some result of a program.
func (r *results) any(program string) (result, bool) {
	for _, c := range r.Corpora {
		if x, ok := r.of(program, c.Name); ok {
			return x, true
		}
	}
	return result{}, false
}

// section is one corpus.
func (r *results) section(b *strings.Builder, c corpusRow) {
	fmt.Fprintf(b, "\n## %s\n\n%s.\n%d documents, %.1f MB. %d pairs are near-duplicates", c.Name, upper(c.About), c.Documents, float64(c.Bytes)/1e6, c.Near)
	if c.Labelled > 0 {
		fmt.Fprintf(b, ", and %d pairs share a label", c.Labelled)
	}
	fmt.Fprintf(b, ".\n\n![CPU, memory, precision and recall of each program](%s.svg)\n\n", c.Name)
	costs := [][]string{{"program", "CPU s", "time s", "MB", "pairs", "precision", "recall"}}
	if c.Labelled > 0 {
		costs[0] = append(costs[0], "share a label", "of those that do")
	}
	found := [][]string{{"share of pairs found, by resemblance"}}
	for i, from := range edges[1:] {
		name := number(from) + " to " + number(edges[min(i+2, len(edges)-1)])
		if from == 1 {
			name = "1"
		}
		found[0] = append(found[0], name)
	}
	found[0] = append(found[0], "pairs below "+number(lowest))
	var wrong []string
	for _, p := range r.Programs {
		x, ok := r.of(p.Name, c.Name)
		if !ok {
			wrong = append(wrong, fmt.Sprintf("- %s: %s\n", p.Name, cmp.Or(p.Missing, "was not run here yet")))
			continue
		}
		if x.Status != done {
			wrong = append(wrong, fmt.Sprintf("- %s: %s: %s\n", x.Program, x.Status, x.Reason))
			continue
		}
		row := []string{
			p.Name, seconds(x.CPU), seconds(x.Wall), fmt.Sprint(x.Peak >> 20), fmt.Sprint(x.Found),
			share(x.Right, x.Found), share(x.Right, c.Near),
		}
		if c.Labelled > 0 {
			row = append(row, share(x.Labelled, x.Found), share(x.Labelled, c.Labelled))
		}
		costs = append(costs, row)
		row = []string{p.Name}
		for i := range edges[1:] {
			row = append(row, share(x.Bins[i+1], c.Bins[i+1]))
		}
		found = append(found, append(row, fmt.Sprint(x.Bins[0])))
	}
	markdown.Table(b, costs, 1)
	b.WriteString("\n")
	row := []string{"pairs that there are"}
	for _, n := range c.Bins[1:] {
		row = append(row, fmt.Sprint(n))
	}
	markdown.Table(b, append(found, append(row, "")), 1)
	if wrong != nil {
		b.WriteString("\nWithout a result:\n\n" + strings.Join(wrong, ""))
	}
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
