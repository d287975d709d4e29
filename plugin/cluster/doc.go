// Package cluster spreads an index of type neardup over nodes, with replicas, failover,
// and admission that admits exactly one of several near-copies whichever nodes they come
// through. The plan of which node has what is couchbase/cbgt's; this package adds a type
// of partition to it, and the log that partitions read.
//
//	node, err := cluster.Start(cluster.Options{
//		ID: "a", URL: "http://a:9001", Dir: "/var/lib/docs", Name: "docs",
//		Mapping: m, Cfg: cfg, Log: log, Key: key,
//	})
//	query.CustomFilterQueryParser = shards.Parser(query.CustomFilterQueryParser)
//	server := &http.Server{
//		Addr: "a:9001", Handler: node.Handler(),
//		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
//	}
//	go server.ListenAndServe()
//	err = node.Create(8, 1) // once, at any node, when all have started
//	outcomes, err := node.Submit(ctx, cluster.Document{ID: "page", Data: page})
//	result, err := node.Search(ctx, request, collapse.Options{})
//
// # How
//
//	submit ──► any node ── claim ──► log ──► every node waits for claims before its own
//	             │  ask all partitions, one request to a node: a near-duplicate?
//	             └─ documents ──► log, by the hash of the id ──► all copies of the partition
//	search ──► any node ──► one copy of each partition ──► collapse, once
//
// There is one [Log], which keeps everything in one order: package cluster/nats has one
// in NATS JetStream, [MemLog] is one for nodes of one process. Everything in a log is a
// [Record] with a number, and numbers grow. One node decides about a document, and logs the
// decision. Copies of a partition only carry it out, and so are all alike. A copy is a bleve
// index. With each batch of documents it writes the number of their last record; after a start
// it reads on from there.
//
// A search goes to the primary of each partition, or to a replica if the primary does not
// answer. A lookup of admission carries the number of a record, and a copy answers when it
// has read that record. So any copy can answer, a new one too, and none says "no duplicate"
// before it has read everything that counts.
//
// # What is promised
//
//   - Exactly one of several near-copies is admitted, whatever nodes they come through and
//     whichever of these die. The order of the log decides, and no clock: see claims.go.
//   - With Options.Group near-copies are all admitted, and have one name of their group. Names are as if one call of Submit or
//     Delete had come after another; the log has them, so every copy has the same.
//   - A partition that does not answer never counts as "no duplicate". Options.Partial says
//     whether that is an error, and every answer names the partitions that it lacks.
//   - A document that Submit says is Written stays: it is in the log.
//   - A log that is lost, replaced or cut short is noticed: what was written from it is not
//     ready, and Submit fails with ErrLog.
//   - A search says what is missing from it. A copy that lags by more than Options.Stale,
//     a new one for instance, does not answer.
//
// What is not promised: nodes do not watch each other. Their operator calls Failover when a
// node has died, for instance when GET /health fails for long, and Rebalance when a node was
// added. The number of partitions never changes. A search sees what copies have read, and
// they mostly lag by milliseconds. The log keeps all documents: nothing cuts it down. Each
// partition scores its own documents: see package shards.
package cluster

import "github.com/neardup/bleve-neardup/plugin/cluster/shards"

// Document is a document to write: what JSON makes of Data. Outcome is what became of it.
type (
	Document = shards.Document
	Outcome  = shards.Outcome
)
