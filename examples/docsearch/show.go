package main

import (
	"context"
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

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/examples/internal/pages"
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

// answer is both results for a query.
type answer struct {
	plain     *bleve.SearchResult
	collapsed *collapse.Result
}

// ask searches both ways.
func ask(ctx context.Context, index bleve.Index, words string, size int) (a answer, err error) {
	request := func() *bleve.SearchRequest { // of its own for each: bleve changes what it is given
		r := bleve.NewSearchRequestOptions(pages.Match(words), size, 0, false)
		r.Fields = []string{"title"}
		r.SortBy(pages.Order)
		return r
	}
	if a.plain, err = index.SearchInContext(ctx, request()); err == nil {
		a.collapsed, err = collapse.Search(ctx, index, request(), collapse.Options{})
	}
	return a, err
}

// show prints both lists, side by side if there is room.
func (a answer) show(w io.Writer) {
	if a.plain.Total == 0 {
		fmt.Fprintln(w, "No hits.")
		return
	}
	left, copies := a.plainRows()
	right, columns := a.groupRows(), width(w)
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
	least, c := "", a.collapsed
	if c.TotalGroupsRelation == bleve.TotalRelationGte {
		least = "at least "
	}
	fmt.Fprintf(w, "\n%d of the %d plain hits are copies. Collapse walked %d of %d hits: %s%d groups, %d hidden.\n",
		copies, len(a.plain.Hits), c.TotalGroups+c.Hidden, a.plain.Total, least, c.TotalGroups, c.Hidden)
}

func cut(row string, columns int) string { return runewidth.Truncate(row, columns, "…") }

// cell is a row in so many columns.
func cell(rows []string, i, columns int) string {
	if i >= len(rows) {
		return strings.Repeat(" ", columns)
	}
	return runewidth.FillRight(cut(rows[i], columns), columns)
}

// plainRows are the lines of bleve's own result, and how many of its hits are copies of one above.
func (a answer) plainRows() (rows []string, copies int) {
	heads, rank := map[string]int{}, 0 // the rank of the head of each copy
	for _, place := range a.collapsed.All() {
		rank++
		for _, c := range place.Copies {
			heads[c.ID] = rank
		}
	}
	rows = []string{"bleve's plain hits", "  #  id  title"}
	for i, hit := range a.plain.Hits {
		note := ""
		if head := heads[hit.ID]; head > 0 {
			note = fmt.Sprintf("copy of %d: ", head)
			copies++
		}
		rows = append(rows, row(i+1, note, hit))
	}
	return rows, copies
}

// groupRows are the lines of the collapsed result, with the copies that each head hides.
func (a answer) groupRows() []string {
	rows, rank := []string{"collapsed", "       lanes  Hamming  tests passed          hidden copy"}, 0
	for hit, place := range a.collapsed.All() {
		note := ""
		if n := len(place.Copies); n > 0 {
			note = fmt.Sprintf("hides %d: ", n)
		}
		rank++
		rows = append(rows, row(rank, note, hit))
		for _, c := range place.Copies[:min(len(place.Copies), maxCopies)] {
			rows = append(rows, fmt.Sprintf("     %7d  %7d  %-20s  %s", c.Agree, c.Hamming, c.By, clean(c.ID)))
		}
		if more := len(place.Copies) - maxCopies; more > 0 {
			rows = append(rows, fmt.Sprintf("     and %d more", more))
		}
	}
	return rows
}

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
