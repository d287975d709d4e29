package main

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"time"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/examples/internal/style"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// listing is all groups of an index, the largest first.
type listing struct {
	Index     string
	Rule      string
	Date      time.Time
	Groups    []near.Group
	Documents int
}

// rows are the groups as a table for people: a line a document, the head of each group first.
func (l *listing) rows() []string {
	rows := []string{"GROUP\tSIZE\tRESEMBLANCE\tLANES\tHAMMING\tBY\tDOCUMENT"}
	for i, g := range l.Groups {
		rows = append(rows, fmt.Sprintf("%d\t%d\t\t\t\thead\t%s", i+1, 1+len(g.Members), nameOf(g.Head)))
		for _, m := range g.Members {
			rows = append(rows, fmt.Sprintf("%d\t\t%s\t%d\t%d\t%s\t%s", i+1, resembles(m), m.Agree, m.Hamming, by(m), nameOf(m.Document)))
		}
	}
	return rows
}

// resembles is the resemblance of a member to its head: not 1 if their texts are known to differ.
func resembles(m near.Member) string {
	if m.Resemblance >= .995 && m.By&signature.ByExact == 0 && !(m.Verified && m.Resemblance == 1) {
		return ">0.99"
	}
	return fmt.Sprintf("%.2f", m.Resemblance)
}

// by names the tests that a member passed against the head.
func by(m near.Member) string {
	if m.By == 0 {
		return "others"
	}
	return verified(m.By.String(), m.Verified)
}

// nameOf is a document's name on one line.
func nameOf(d near.Document) string {
	if d.Index != "" {
		return plain(d.Index) + " " + plain(d.ID)
	}
	return plain(d.ID)
}

//go:embed report.html
var reportText string

var page = template.Must(template.New("").Funcs(template.FuncMap{
	"by": by, "resembles": resembles, "quoted": plain, "inc": func(n int) int { return n + 1 },
}).Parse(reportText))

// html writes the groups as a page that needs no other file, without scripts, for light and dark screens: a table for
// each group, of which only the head is open.
func (l *listing) html(w io.Writer) error {
	return page.Execute(w, struct {
		*listing
		Style template.CSS
	}{l, template.CSS(style.Sheet)})
}

// Count writes a number of things.
func (*listing) Count(one, many string, n int) string { return plural(n, one, many) }
