package main

import (
	"context"
	"html/template"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/neardup/bleve-neardup/collapse"
)

// results is what the search tab shows.
type results struct {
	state
	Entries []entry
	Total   uint64 // groups, or with All hits
	Hits    uint64
	Hidden  int
	Facets  []counted
	// Whether the documents have what the switches go by.
	Versions, Projects bool
	Pager              pager
}

func (s *site) search(ctx context.Context, r *http.Request) (any, error) {
	st, err := s.read(r)
	if err != nil {
		return nil, err
	}
	result, err := s.find(ctx, st, pageSize)
	if err != nil {
		return nil, err
	}
	view := results{state: st, Total: result.Total, Hits: result.Total, Hidden: result.Hidden}
	if !st.All {
		view.Hits += uint64(result.Hidden)
	}
	view.Versions, view.Projects = len(s.valuesOf("version")) > 0, len(s.valuesOf("project")) > 0
	view.Pager = pager{st, pagesOf(int(result.Total))}
	if view.Facets, err = s.count(ctx, st); err != nil {
		return nil, err
	}
	view.Entries, err = s.entries(ctx, st, result)
	return view, err
}

// entries are the hits of a result with their groups.
func (s *site) entries(ctx context.Context, st state, result *collapse.Result) ([]entry, error) {
	groups := make(map[string]collapse.Group)
	heads := make(map[string]string) // of members
	var ids []string
	for _, list := range [][]collapse.Group{result.Groups, result.Earlier} {
		for _, g := range list {
			ids = append(ids, g.Head.ID)
			groups[g.Head.ID] = g
			for _, m := range g.Members {
				heads[m.ID] = g.Head.ID
			}
			for _, m := range firstCopies(g) {
				ids = append(ids, m.ID)
			}
		}
	}
	named, err := s.docs(ctx, ids)
	if err != nil {
		return nil, err
	}
	var entries []entry
	for i, hit := range result.Hits {
		e := entry{
			doc: newDoc(hit.ID, hit.Fields), Rank: (st.Page-1)*pageSize + i + 1,
			Snippet: snippet(hit.Fragments["text"]), Open: st.IsOpen(hit.ID), State: st,
		}
		if head, ok := heads[hit.ID]; ok {
			d := named[head]
			e.CopyOf = &d
		}
		group := groups[hit.ID]
		listed := firstCopies(group)
		e.Rest = s.rest(st, e.doc, group)
		e.More = len(group.Members) - e.Rest.Count - len(listed)
		for _, m := range listed {
			c := copied{doc: named[m.ID], Match: m.Match}
			if m.Overlap != nil {
				c.Resemblance = m.Overlap.Resemblance.Value
			}
			e.Copies = append(e.Copies, c)
		}
		if err := s.unfold(ctx, &e); err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// markup of plain-text formats is left out: what stands under headings and in tables, around code and
// emphasis, before roles and directives, and the names of a directive's options.
var markup = regexp.MustCompile("(?m:^[ \t]*:[a-z-]+:)|[-=~^*#_+.]{4,}|(?::[a-z]+:)?`+_*|\\*\\*|\\.\\. _?(?:[a-z-]+::)?")

// snippet is a piece of a text in which the words of the query are marked. bleve's highlighter has escaped it, and cut
// it within words where it has an ellipsis. A marked word has no space in it.
func snippet(fragments []string) template.HTML {
	text := strings.Join(fragments, " ")
	if rest, cut := strings.CutPrefix(text, "…"); cut {
		_, text, _ = strings.Cut(rest, " ")
	}
	if rest, cut := strings.CutSuffix(text, "…"); cut {
		text = rest[:max(0, strings.LastIndex(rest, " "))]
	}
	return template.HTML(markup.ReplaceAllLiteralString(text, ""))
}

// isCopy reports whether a member is more than another document of the head's project.
func isCopy(m collapse.Member) bool { return m.By != 0 || !m.Key }

// firstCopies returns the copies of a group that are listed.
func firstCopies(g collapse.Group) (listed []collapse.Member) {
	for _, m := range g.Members {
		if isCopy(m) && len(listed) < maxCopies {
			listed = append(listed, m)
		}
	}
	return listed
}

// rest returns what of a group is no copy of its head.
func (s *site) rest(st state, head doc, g collapse.Group) (r rest) {
	for _, m := range g.Members {
		if !isCopy(m) {
			r.Count++
		}
	}
	if slices.ContainsFunc(s.valuesOf("project"), func(v facetValue) bool { return v.Text == head.Project }) {
		to := st.On(1).filtered("project", head.Project)
		r.To = &to
	}
	return r
}
