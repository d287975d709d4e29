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

// also names the projects and versions of documents, and says so if there are more.
func also(docs []doc, more bool) string {
	at := make(map[string][]float64) // versions, by project
	for _, c := range docs {
		if c.Project == "" && c.Version == 0 {
			continue
		}
		if !slices.Contains(at[c.Project], c.Version) {
			at[c.Project] = append(at[c.Project], c.Version)
		}
	}
	var projects []string
	for p, versions := range at {
		slices.SortFunc(versions, func(a, b float64) int { return cmp.Compare(b, a) })
		projects = append(projects, p)
	}
	slices.SortFunc(projects, func(a, b string) int { return cmp.Or(cmp.Compare(at[b][0], at[a][0]), cmp.Compare(a, b)) })
	left := mostAlso
	var names []string
	for _, p := range projects {
		n := min(left, len(at[p]))
		left, more = left-n, more || n < len(at[p])
		if n > 0 {
			names = append(names, placeName(p, at[p][:n]))
		}
	}
	text := strings.Join(names, "; ")
	if more && text != "" {
		text += " and more"
	}
	return text
}

// placeName names versions of a project. A version of 0 is none.
func placeName(project string, versions []float64) string {
	var numbers []string
	for _, v := range versions {
		if v != 0 {
			numbers = append(numbers, strconv.FormatFloat(v, 'f', -1, 64))
		}
	}
	text := strings.Join(numbers, ", ")
	switch {
	case project == "":
		return "version " + text
	case text == "":
		return project
	}
	return project + "-" + text
}
