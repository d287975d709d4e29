// Package outcome has what a search found out, in the terms of the search: an Outcome has the
// hits of the page and their groups, whichever form they come from. Show makes each group show
// the first of its hits in an order, and Inner asks for hidden members with their fields. Package
// collapse makes a Result of it.
package outcome

import (
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse/internal/grouping"
	"github.com/neardup/bleve-neardup/collapse/internal/ranking"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// Outcome is a page of hits, and their groups.
type Outcome struct {
	*bleve.SearchResult // with the hits to show

	Groups  []grouping.Group // the groups whose head is on the page, in rank order
	Earlier []grouping.Group // other groups that have a hit to list, with the members to list
	Total   int              // groups, as far as is known
	Hidden  int              // hits that were met and are not shown at their rank
	Walk    *grouping.Walk

	Complete bool // the groups are known to have all members: of a page that was to be complete
}

// List adds the groups of the hits to show, by hit, with all members: to Groups if the head is shown, else to Earlier. A group that
// is nil is of its hit alone.
func (o *Outcome) List(groups []*grouping.Group) {
	seen := make(map[*grouping.Group]bool, len(groups))
	for i, hit := range o.Hits {
		g := groups[i]
		if g == nil {
			o.Groups = append(o.Groups, grouping.Group{Head: stored.Hit{DocumentMatch: hit}})
			continue
		}
		if seen[g] {
			continue
		}
		seen[g] = true
		if ranking.PlaceOf(g.Head.DocumentMatch) == ranking.PlaceOf(hit) {
			o.Groups = append(o.Groups, *g)
		} else {
			o.Earlier = append(o.Earlier, *g)
		}
	}
}

// EachMember calls f with all members of all groups.
func (o *Outcome) EachMember(f func(*grouping.Member)) {
	for _, groups := range [...][]grouping.Group{o.Groups, o.Earlier} {
		for i := range groups {
			for _, m := range groups[i].Members {
				f(m)
			}
		}
	}
}

// hidden returns the hidden members of each group on the page.
func (o *Outcome) hidden() [][]ranking.Place {
	hidden := make([][]ranking.Place, len(o.Groups))
	for n, g := range o.Groups {
		for _, m := range g.Members {
			if !m.Visible {
				hidden[n] = append(hidden[n], ranking.PlaceOf(m.DocumentMatch))
			}
		}
	}
	return hidden
}

// idsOf returns the ids of all places.
func idsOf(groups [][]ranking.Place) (ids []string) {
	for _, places := range groups {
		for _, place := range places {
			ids = append(ids, place.ID)
		}
	}
	return ids
}

// byPlace returns hits by their places.
func byPlace(hits search.DocumentMatchCollection) map[ranking.Place]*search.DocumentMatch {
	of := make(map[ranking.Place]*search.DocumentMatch, len(hits))
	for _, hit := range hits {
		of[ranking.PlaceOf(hit)] = hit
	}
	return of
}

// ranksOf returns the places of hits in their order, from 1 on.
func ranksOf(hits search.DocumentMatchCollection) map[ranking.Place]int {
	rank := make(map[ranking.Place]int, len(hits))
	for n, hit := range hits {
		rank[ranking.PlaceOf(hit)] = n + 1
	}
	return rank
}

// wanting returns a request for matches of r with all that r asks for of its hits.
func wanting(r *bleve.SearchRequest, fields []string, highlight *bleve.HighlightRequest) bleve.SearchRequest {
	asked := ranking.Among(r)
	asked.Fields, asked.Highlight = slices.Clone(fields), highlight
	asked.Explain, asked.IncludeLocations = r.Explain, r.IncludeLocations
	return asked
}
