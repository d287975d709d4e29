// Package prometheus tells Prometheus what an index does. It has one function, New: a collector of the figures in the
// index's StatsMap.
package prometheus

import (
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/prometheus/client_golang/prometheus"
)

// New returns a collector that reads the figures of an index when it is asked:
//
//	bleve_documents, bleve_disk_bytes
//	                            documents in the index, and its size on disk
//	bleve_searches_total        searches that bleve answered; one that is collapsed may take several
//	bleve_search_seconds_total  time that these took
//	neardup_signed_total, neardup_rejected_total and more
//	                            documents since the index was opened, one metric for each figure of
//	                            StatsMap in plugin/indextype that counts
//	neardup_refused             1 if nothing can be written, as the disk is full or the index read_only; else 0
//
// An index that is not of type neardup has the first four alone. A closed index has none. To tell several indexes
// apart, register each with labels of its own: see WrapRegistererWith in the client library of Prometheus.
func New(x bleve.Index) prometheus.Collector { return collector{x} }

type collector struct{ index bleve.Index }

// Describe implements prometheus.Collector.
func (c collector) Describe(ch chan<- *prometheus.Desc) { prometheus.DescribeByCollect(c, ch) }

// Collect implements prometheus.Collector.
func (c collector) Collect(ch chan<- prometheus.Metric) {
	tell := func(kind prometheus.ValueType, name, help string, v float64) {
		ch <- prometheus.MustNewConstMetric(prometheus.NewDesc(name, help, nil, nil), kind, v)
	}
	documents, err := c.index.DocCount()
	if err != nil { // closed
		return
	}
	tell(prometheus.GaugeValue, "bleve_documents", "Documents in the index.", float64(documents))
	all := c.index.StatsMap()
	searches, _ := all["searches"].(uint64)
	nanoseconds, _ := all["search_time"].(uint64)
	tell(prometheus.CounterValue, "bleve_searches_total", "Searches that bleve answered; one that is collapsed may take several.", float64(searches))
	tell(prometheus.CounterValue, "bleve_search_seconds_total", "Time that these took.", time.Duration(nanoseconds).Seconds())
	inner, _ := all["index"].(map[string]any)
	if n, ok := inner["num_bytes_used_disk_by_root"].(uint64); ok {
		tell(prometheus.GaugeValue, "bleve_disk_bytes", "Size of the index on disk.", float64(n))
	}
	for name, v := range inner {
		if n, ok := v.(uint64); ok && strings.HasPrefix(name, "neardup_") {
			tell(prometheus.CounterValue, name+"_total", "Documents since the index was opened: see StatsMap in plugin/indextype.", float64(n))
		}
	}
	if _, ours := inner["neardup_signed"]; ours {
		refused := 0.
		if _, ok := inner["neardup_refused"]; ok {
			refused = 1
		}
		tell(prometheus.GaugeValue, "neardup_refused", "1 if nothing can be written to the index.", refused)
	}
}
