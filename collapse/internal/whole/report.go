package whole

import (
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse/internal/groups"
)

// What was found out beside the matches that stay bleve's result has no place for. It is asked of the
// set, after the search.

// keepOpen keeps the readers open, so that the ids of members can be read; a reader of an index other
// than scorch cannot be, and then all ids are read at once.
func (s *set) keepOpen() error {
	all := true
	for _, p := range s.parts {
		var counted interface{ AddRef() }
		if counted, p.open = p.reader.(interface{ AddRef() }); p.open {
			counted.AddRef()
		}
		all = all && p.open
	}
	if all {
		return nil
	}
	for n := range s.walk.Groups {
		if err := s.readIDs(&s.walk.Groups[n]); err != nil {
			return err
		}
	}
	return nil
}

// close lets go of the readers.
func (s *set) close() {
	for _, p := range s.parts {
		if p.open {
			p.open = false
			p.reader.Close()
		}
	}
}

// readIDs reads the ids of a group.
func (s *set) readIDs(g *groups.Group) error {
	if err := s.readID(g.Head.DocumentMatch); err != nil {
		return err
	}
	for i := range g.Members {
		if err := s.readID(g.Members[i].DocumentMatch); err != nil {
			return err
		}
	}
	return nil
}

// found is a hit of bleve's, and the part that it is of.
type found struct {
	*search.DocumentMatch
	part *part
}

// groupsOf returns the group of each hit, with the ids of its members, and nil for a hit that is a
// group of its own.
func (s *set) groupsOf(hits []found) ([]*groups.Group, error) {
	if s.counted.groups > 0 {
		if err := s.detail(s.matchesOf(hits)); err != nil {
			return nil, err
		}
	}
	of := s.numbersOf(hits)
	all := make([]*groups.Group, len(hits))
	for i, hit := range hits {
		n, ok := of[placeOf(hit)]
		if !ok {
			continue
		}
		g := &s.walk.Groups[n]
		if err := s.readIDs(g); err != nil {
			return nil, err
		}
		all[i] = g
	}
	return all, nil
}

// matchesOf returns which matches hits are, by match.doc.
func (s *set) matchesOf(hits []found) map[uint64]bool {
	wanted := make(map[uint64]bool, len(hits))
	for n, p := range s.parts {
		for _, hit := range hits {
			if hit.part == p && len(hit.IndexInternalID) == 8 {
				wanted[uint64(n)<<numberBits|hit.IndexInternalID.Value()] = true
			}
		}
	}
	return wanted
}

// place is a document of a part.
type place struct {
	part *part
	id   string // in the part
}

func placeOf(hit found) place { return place{hit.part, string(hit.IndexInternalID)} }

// numbersOf returns the groups of hits, by their numbers; lonely hits have none.
func (s *set) numbersOf(hits []found) map[place]int {
	wanted := make(map[place]bool, len(hits))
	for _, hit := range hits {
		wanted[placeOf(hit)] = true
	}
	of := make(map[place]int, len(hits))
	for n := range s.walk.Groups {
		g := &s.walk.Groups[n]
		at := placeOf(found{g.Head.DocumentMatch, s.partOf(g.Head.DocumentMatch)})
		if wanted[at] {
			of[at] = n
		}
		for i := range g.Members {
			m := g.Members[i].DocumentMatch
			if at := placeOf(found{m, s.partOf(m)}); wanted[at] {
				of[at] = n
			}
		}
	}
	return of
}
