package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/mattn/go-runewidth"
	"golang.org/x/term"

	"github.com/neardup/bleve-neardup/examples/internal/terminal"
)

const (
	sideBySide = 100 // columns that two lists need
	unknown    = 120 // taken for the width where there is no terminal
	maxCopies  = 8   // copies listed under a head
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

// show prints both lists, side by side if there is room.
func show(w io.Writer, a answer, words string, o options) {
	fmt.Fprintf(w, "\nQuery: %s\n\n", clean(words))
	switch last := func(n int) int { return (n + o.size - 1) / o.size }; {
	case a.plain.Total == 0:
		fmt.Fprintln(w, "No hits.")
		return
	case len(a.plain.Hits) == 0:
		fmt.Fprintf(w, "There is no page %d: the last one of plain hits is %d, of groups %d.\n",
			o.page, last(int(a.plain.Total)), last(a.collapsed.TotalGroups))
		return
	}
	left, right := a.plainRows(o), a.groupRows(o)
	columns := width(w)
	if columns < sideBySide {
		for _, row := range append(append(left, ""), right...) {
			fmt.Fprintln(w, cut(row, columns))
		}
	} else {
		own := (columns - 3) * 44 / 100 // the right list has more to say
		for i := range max(len(left), len(right)) {
			fmt.Fprintf(w, "%s │ %s\n", cell(left, i, own), strings.TrimRight(cell(right, i, columns-3-own), " "))
		}
	}
	copies := 0
	for _, hit := range a.plain.Hits {
		if a.heads[hit.ID] != "" {
			copies++
		}
	}
	least, c := "", a.collapsed
	if c.TotalGroupsRelation == bleve.TotalRelationGte {
		least = "at least "
	}
	fmt.Fprintf(w, "\n%d of the %d plain hits are copies. Collapse walked %d of %d hits: %s%d groups, %d hidden.\n",
		copies, len(a.plain.Hits), c.TotalGroups+c.Hidden, a.plain.Total, least, c.TotalGroups, c.Hidden)
	fmt.Fprintf(w, "Took %.2f ms plain, %.2f ms collapsed (medians of %d runs).\n", 1000*a.took[0].Seconds(), 1000*a.took[1].Seconds(), runs)
}

func cut(row string, columns int) string { return runewidth.Truncate(row, columns, "…") }

// cell is a row in so many columns.
func cell(rows []string, i, columns int) string {
	if i >= len(rows) {
		return strings.Repeat(" ", columns)
	}
	return runewidth.FillRight(cut(rows[i], columns), columns)
}

// plainRows are the lines of bleve's own result.
func (a answer) plainRows(o options) []string {
	rows := []string{fmt.Sprintf("bleve's plain hits, page %d", o.page), "  #  id  title"}
	ranks := map[string]int{}
	for hit := range a.collapsed.All() {
		ranks[hit.ID] = o.rank(len(ranks))
	}
	for i, hit := range a.plain.Hits {
		note := ""
		if head := a.heads[hit.ID]; ranks[head] > 0 {
			note = fmt.Sprintf("copy of %d: ", ranks[head])
		} else if head != "" {
			note = "copy, earlier page: "
		}
		rows = append(rows, row(o.rank(i), note, hit))
	}
	return rows
}

// groupRows are the lines of the collapsed result, with the copies that each head hides.
func (a answer) groupRows(o options) []string {
	rows := []string{fmt.Sprintf("collapsed, page %d", o.page), "       lanes  Hamming  tests passed          hidden copy"}
	i := 0
	for hit, place := range a.collapsed.All() {
		note := ""
		if n := len(place.Copies); n > 0 {
			note = fmt.Sprintf("hides %d: ", n)
		}
		rows = append(rows, row(o.rank(i), note, hit))
		for _, c := range place.Copies[:min(len(place.Copies), maxCopies)] {
			rows = append(rows, fmt.Sprintf("     %7d  %7d  %-20s  %s", c.Agree, c.Hamming, c.By, clean(c.ID)))
		}
		if more := len(place.Copies) - maxCopies; more > 0 {
			rows = append(rows, fmt.Sprintf("     and %d more", more))
		}
		i++
	}
	return rows
}

func (o options) rank(i int) int { return (o.page-1)*o.size + i + 1 }

func row(rank int, note string, hit *search.DocumentMatch) string {
	title, _ := hit.Fields["title"].(string)
	return fmt.Sprintf("%3d  %s%s  %s", rank, note, clean(hit.ID), clean(title))
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
