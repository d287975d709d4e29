package indextype

import "github.com/neardup/bleve-neardup/plugin/internal/gate"

// Gate is what judges an index.
func (x *Index) Gate() *gate.Gate { return x.gate }
