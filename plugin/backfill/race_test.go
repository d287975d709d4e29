//go:build race

package backfill_test

// bleve indexes shapes by a RegionTermIndexer that its workers share, which the race
// detector complains about; they are left out under it.
func init() { shapes = false }
