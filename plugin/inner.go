package plugin

import (
	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin/indextype"
	"github.com/neardup/bleve-neardup/plugin/internal/typed"
)

// inner returns the index of type neardup that x is, or is an alias of.
func inner(x bleve.Index) (*indextype.Index, error) { return typed.Index("plugin", x) }
