package nats_test

import (
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/plugin/cluster/shards"
)

// As every process that serves a shard does.
func init() { query.CustomFilterQueryParser = shards.Parser(query.CustomFilterQueryParser) }
