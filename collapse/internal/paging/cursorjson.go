package paging

import (
	"fmt"

	"github.com/neardup/bleve-neardup/collapse/internal/ranking"
	"github.com/neardup/bleve-neardup/internal/ids"
	"github.com/neardup/bleve-neardup/internal/strict"
)

type placeJSON struct {
	Index string `json:"index,omitempty"`
	ID    ids.ID `json:"id"`
}

type cursorJSON struct {
	After []ids.ID    `json:"after,omitempty"`
	Index string      `json:"index,omitempty"`
	Taken int         `json:"taken"`
	Heads []placeJSON `json:"heads"`
	Shown []int       `json:"shown,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (c *Cursor) MarshalJSON() ([]byte, error) {
	v := cursorJSON{After: ids.Of(c.After), Index: c.Index, Taken: c.Taken, Shown: c.Shown}
	if c.Heads != nil {
		v.Heads = make([]placeJSON, len(c.Heads))
	}
	for i, head := range c.Heads {
		v.Heads[i] = placeJSON{head.Index, ids.ID(head.ID)}
	}
	return ids.Marshal(v)
}

// UnmarshalJSON implements json.Unmarshaler; unknown members are errors.
func (c *Cursor) UnmarshalJSON(data []byte) error {
	var v cursorJSON
	if err := strict.Decode(data, &v); err != nil {
		return fmt.Errorf("cursor: %w", err)
	}
	*c = Cursor{After: ids.Strings(v.After), Index: v.Index, Taken: v.Taken, Shown: v.Shown}
	if v.Heads != nil {
		c.Heads = make([]ranking.Place, len(v.Heads))
	}
	for i, head := range v.Heads {
		c.Heads[i] = ranking.Place{Index: head.Index, ID: string(head.ID)}
	}
	return nil
}
