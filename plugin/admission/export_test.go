package admission

import "time"

// SetClock gives a gate another clock.
func (g *Gate) SetClock(now func() time.Time) { g.now = now }
