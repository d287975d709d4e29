package whole

import "github.com/neardup/bleve-neardup/collapse/internal/groups"

// What was found out beside the matches that stay bleve's result has no place for. It is asked of the
// set, after the search.

func (s *set) close() {
	for _, p := range s.parts {
		p.reader.Close()
	}
}

// readIDs reads the ids of a group.
func (s *set) readIDs(g *groups.Group) error {
	for _, hit := range g.Matches() {
		if err := s.readID(hit); err != nil {
			return err
		}
	}
	return nil
}

// groupsOf returns the groups of some matches, by match.doc, with the ids of their members. A match that is a
// group of its own has none.
func (s *set) groupsOf(docs []uint64) (map[uint64]*groups.Group, error) {
	of := make(map[uint64]*groups.Group, len(docs))
	for _, doc := range docs {
		of[doc] = nil
	}
	if s.counted.groups > 0 {
		if err := s.detail(of); err != nil {
			return nil, err
		}
	}
	for n := range s.walk.Groups {
		g, wanted := &s.walk.Groups[n], false
		for _, hit := range g.Matches() {
			if _, ok := of[hit.HitNumber]; ok {
				of[hit.HitNumber], wanted = g, true
			}
		}
		if wanted {
			if err := s.readIDs(g); err != nil {
				return nil, err
			}
		}
	}
	return of, nil
}
