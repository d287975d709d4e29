package bleve

import (
	// Not package plugin, which imports this one.
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

// Every index of bleve's own tests is of type neardup, unless it names another.
func init() { Config.DefaultIndexType = indextype.Name }
