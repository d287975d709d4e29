// Demo starts three nodes of a cluster on this machine, writes documents through all of
// them, stops one node without a word, and shows what the others answer.
//
//	go -C plugin/cluster run ./demo
//
// The nodes are in one process, speak HTTP on loopback, and read one log in memory. With package
// plugin/cluster/nats the log is in NATS JetStream, and nodes are processes on many machines.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/couchbase/cbgt"
	"github.com/couchbase/clog"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/cluster"
)

const (
	partitions = 4
	replicas   = 1
	query      = "river flood"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	clog.SetLevel(clog.LevelError)
	if err := run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// machine is a node and its server.
type machine struct {
	*cluster.Node
	server *http.Server
}

// demo is a cluster in this process.
type demo struct {
	dir string
	cfg cbgt.Cfg
	log *cluster.MemLog
	up  map[string]machine
	to  io.Writer

	written int // documents
}

func run(ctx context.Context, to io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "neardup-cluster")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	d := &demo{dir: dir, cfg: cbgt.NewCfgMem(), log: new(cluster.MemLog), up: map[string]machine{}, to: to}
	defer func() {
		for id := range d.up {
			err = errors.Join(err, d.stop(id))
		}
	}()
	for _, step := range []struct {
		says string
		do   func(context.Context) error
	}{
		{"Three nodes, an index of 4 partitions, and a replica of each on another node.", d.begin},
		{"Six documents at once, two through each node. Two are copies of others.", d.write},
		{"A search through node c.", d.search("c")},
		{"Node b stops without a word. Replicas answer for it.", func(context.Context) error { return d.stop("b") }},
		{"", d.search("c")},
		{"An operator gives b up, and plans anew: each partition has two copies again.", d.failover},
		{"Another copy comes, through node a.", d.another},
		{"Node b starts again, and takes its share.", d.again},
		{"", d.search("b")},
	} {
		if step.says != "" {
			fmt.Fprintf(to, "\n%s\n", step.says)
		}
		if err := step.do(ctx); err != nil {
			return err
		}
	}
	return nil
}

func newMapping() *mapping.IndexMappingImpl {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "text")
	return m
}

// start starts a node, where it was.
func (d *demo) start(id string) error {
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return err
	}
	dir := filepath.Join(d.dir, id)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	node, err := cluster.Start(cluster.Options{
		ID: id, URL: "http://" + listener.Addr().String(), Dir: dir, Name: "news", Mapping: newMapping(),
		Cfg: d.cfg, Log: d.log, Key: "known to all nodes",
	})
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	server := &http.Server{Handler: node.Handler(), ReadHeaderTimeout: 10 * time.Second}
	go server.Serve(listener)
	d.up[id] = machine{node, server}
	return nil
}

// stop makes a node one that nobody reaches.
func (d *demo) stop(id string) error {
	m := d.up[id]
	delete(d.up, id)
	return errors.Join(m.server.Close(), m.Close())
}

func (d *demo) begin(ctx context.Context) error {
	for _, id := range []string{"a", "b", "c"} {
		if err := d.start(id); err != nil {
			return err
		}
	}
	if err := d.up["a"].Create(partitions, replicas); err != nil {
		return err
	}
	return d.settle(ctx)
}

// settle waits until all copies are there and have all documents, and prints who has them.
func (d *demo) settle(ctx context.Context) error {
	for {
		c := d.copies()
		if c.all == partitions*(1+replicas) && c.ready == c.all && c.docs == d.written*(1+replicas) {
			fmt.Fprint(d.to, c.lines)
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// copies are the copies of partitions: a line for each node that has some, how many there are, how many
// answer, and the documents in them.
type copies struct {
	lines            string
	all, ready, docs int
}

func (d *demo) copies() (c copies) {
	for _, id := range d.ids() {
		var has []string
		for _, p := range d.up[id].Status().Partitions {
			name := p.Partition
			if !p.Primary {
				name += " (replica)"
			}
			has = append(has, name)
			c.all++
			c.docs += int(p.Docs)
			if p.Ready {
				c.ready++
			}
		}
		slices.Sort(has)
		c.lines += fmt.Sprintf("  node %s: partitions %s\n", id, strings.Join(has, ", "))
	}
	return c
}

func (d *demo) ids() (all []string) {
	for id := range d.up {
		all = append(all, id)
	}
	slices.Sort(all)
	return all
}

// submit writes a document through a node, and says what became of it.
func (d *demo) submit(ctx context.Context, through, id, text string) (string, error) {
	verdicts, err := d.up[through].Submit(ctx, cluster.Document{ID: id, Data: map[string]any{"text": text}})
	if err != nil {
		return "", err
	}
	if verdicts[0].Written {
		return fmt.Sprintf("  node %s: %s is written\n", through, id), nil
	}
	return fmt.Sprintf("  node %s: %s is a near-copy, and is not written\n", through, id), nil
}

func (d *demo) write(ctx context.Context) error {
	lines, errs := make([]string, len(news)), make([]error, len(news))
	var all sync.WaitGroup
	for i, doc := range news {
		all.Go(func() { lines[i], errs[i] = d.submit(ctx, string(rune('a'+i%3)), doc.id, doc.text) })
	}
	all.Wait()
	for _, line := range lines {
		fmt.Fprint(d.to, line)
		d.written += strings.Count(line, "is written")
	}
	return errors.Join(append(errs, d.settle(ctx))...)
}

func (d *demo) another(ctx context.Context) error {
	line, err := d.submit(ctx, "a", "flood-repost", strings.ToUpper(news[0].text))
	fmt.Fprint(d.to, line)
	return err
}

func (d *demo) search(through string) func(context.Context) error {
	return func(ctx context.Context) error {
		r := bleve.NewSearchRequest(bleve.NewMatchQuery(query))
		result, err := d.up[through].Search(ctx, r, collapse.Options{})
		if err != nil {
			return err
		}
		fmt.Fprintf(d.to, "  %q through node %s: %d hits; %d of %d partitions answered\n",
			query, through, len(result.Hits), result.Status.Successful, result.Status.Total)
		for _, hit := range result.Hits {
			fmt.Fprintf(d.to, "    %s\n", hit.ID)
		}
		return nil
	}
}

func (d *demo) failover(ctx context.Context) error {
	if err := errors.Join(d.up["a"].Failover("b"), d.up["a"].Rebalance()); err != nil {
		return err
	}
	return d.settle(ctx)
}

func (d *demo) again(ctx context.Context) error {
	if err := errors.Join(d.start("b"), d.up["a"].Rebalance()); err != nil {
		return err
	}
	return d.settle(ctx)
}

// news are documents. Those whose names have a suffix are near-copies of others.
var news = []struct{ id, text string }{
	{"flood", "After three days of rain the river rose above the old stone bridge on Sunday, and the flood reached the market square before the sandbags came. Nobody was hurt, but forty cellars are under water."},
	{"flood-mirror", "AFTER three days of rain, the river rose above the old stone bridge on Sunday; and the flood reached the market square before the sandbags came. Nobody was hurt, but forty cellars are under water!"},
	{"dam", "The council wants a dam above the town, since the river has flooded the lower streets four times in ten years. Farmers in the valley say that it would take their best fields."},
	{"ferry", "The ferry across the river runs again from Monday. It had lain in the harbour since the flood took away its landing stage on the northern bank."},
	{"dam-again", "The council wants a dam above the town; since the river has flooded the lower streets four times in ten years. Farmers in the valley say that it would take their best fields!"},
	{"fair", "The book fair opens on Thursday with readings in six languages, and the evening of the first day belongs to poets who write for children."},
}
