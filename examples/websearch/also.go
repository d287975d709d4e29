package main

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// mostAlso is the most places that Also names.
const mostAlso = 8

// Also names the projects and versions of the copies, the newest first: "llvm-15, 14; clang-14".
// It is empty if they have none.
func (e entry) Also() string {
	docs := make([]doc, len(e.Copies))
	for i, c := range e.Copies {
		docs[i] = c.doc
	}
	return also(docs, e.More > 0)
}

// also names the projects and versions of documents, and says so if there are more. A version of 0 is none.
func also(docs []doc, more bool) string {
	var places []doc
	newest := map[string]float64{} // by project
	for _, d := range docs {
		if place := (doc{Project: d.Project, Version: d.Version}); place != (doc{}) && !slices.Contains(places, place) {
			places, newest[d.Project] = append(places, place), max(newest[d.Project], d.Version)
		}
	}
	slices.SortFunc(places, func(a, b doc) int {
		return cmp.Or(cmp.Compare(newest[b.Project], newest[a.Project]), cmp.Compare(a.Project, b.Project), cmp.Compare(b.Version, a.Version))
	})
	var text strings.Builder
	for i, p := range places[:min(len(places), mostAlso)] {
		separator := ", "
		if i == 0 || places[i-1].Project != p.Project {
			text.WriteString("; " + cmp.Or(p.Project, "version"))
			separator = map[bool]string{true: " ", false: "-"}[p.Project == ""]
		}
		if p.Version != 0 {
			text.WriteString(separator + strconv.FormatFloat(p.Version, 'f', -1, 64))
		}
	}
	if text.Len() > 0 && (more || len(places) > mostAlso) {
		text.WriteString(" and more")
	}
	return strings.TrimPrefix(text.String(), "; ")
}
