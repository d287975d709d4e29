package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/couchbase/cbgt"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse/serve"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/cluster/internal/rpc"
	"github.com/neardup/bleve-neardup/plugin/cluster/shards"
)

// Options says what a node is. All nodes of an index must have the same Name, Mapping, Field,
// Rule, Group, Expiry and Key, and share Cfg and Log.
type Options struct {
	// ID names the node for ever: a node that starts again with its ID and Dir goes on
	// where it was. No two nodes may have the same ID. It has no comma or slash.
	ID string

	// URL is where other nodes reach Handler, as "https://node1:9001".
	URL string

	// Dir is where partitions are kept; it must exist.
	Dir string

	// Name is the name of the index: letters, digits, _ and -, a letter first.
	Name string

	// Mapping is the index's. It must fingerprint Field, signature.DefaultField if empty.
	Mapping *mapping.IndexMappingImpl
	Field   string

	// Rule says what Submit takes for near-duplicates. Members at 0 or "" come from the field's
	// rule in Mapping, and else have their defaults.
	Rule signature.Rule

	// Group makes Submit name groups: see shards.Options.Group.
	Group bool

	// Partial says what Submit and Search do if a partition does not answer:
	// shards.FailClosed if empty.
	Partial shards.Partial

	// Cfg is where cbgt keeps which node has which partitions: one that all nodes see.
	Cfg cbgt.Cfg

	// Log is the order of all that happens to the index.
	Log Log

	// Key is the secret that every request to a node must carry: see shards.Authenticated.
	Key string

	// Limits are what a client's request to POST /search may ask for.
	Limits serve.Limits

	// Client is what other nodes are asked with, http.DefaultClient if nil.
	Client *http.Client

	// Timeout is how long a node may take to answer, 5 s if 0. Expiry is how long a node may hold
	// a claim before the others revoke it, DefaultExpiry if 0. A Submit that has not decided after half of it
	// begins anew, and fails at the fifth time. Where a node hangs, it needs some three times Timeout.
	Timeout, Expiry time.Duration

	// Stale is how far copies may lag, 10 s if 0: a copy answers searches only if its node knows
	// that it has read everything that was in the log so long ago.
	Stale time.Duration
}

// Node is one of the nodes that have an index together. Its methods are safe for concurrent
// use.
type Node struct {
	options Options
	manager *cbgt.Manager
	log     *journal
	claims  *claims
	pulses  pulses
	scratch bleve.Index     // always empty: documents are tried on it, and requests priced
	started bool            // the manager has
	running context.Context // until Close
	cancel  context.CancelFunc
	all     sync.WaitGroup
}

// ErrClosed is the error of what a node was asked to write when it was closed, or after that.
var ErrClosed = errors.New("cluster: the node is closed")

// while returns a context that is done when ctx is, or when the node is closed, and an error if the node is closed.
func (n *Node) while(ctx context.Context) (context.Context, context.CancelFunc, error) {
	if ctx == nil {
		return nil, nil, errors.New("cluster: wanted a context, got nil")
	}
	if n.running.Err() != nil {
		return nil, nil, ErrClosed
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(n.running, func() { cancel(ErrClosed) })
	return ctx, func() { stop(); cancel(nil) }, nil
}

func (o Options) filled() (Options, error) {
	o.Field = cmp.Or(o.Field, signature.DefaultField)
	o.Partial = cmp.Or(o.Partial, shards.FailClosed)
	o.Timeout = cmp.Or(o.Timeout, 5*time.Second)
	o.Expiry = cmp.Or(o.Expiry, DefaultExpiry)
	o.Stale = cmp.Or(o.Stale, 10*time.Second)
	o.URL = strings.TrimSuffix(o.URL, "/")
	at, err := url.Parse(o.URL)
	switch {
	case err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "":
		return o, fmt.Errorf("cluster: url: wanted one as https://node1:9001, got %q", o.URL)
	case min(o.Timeout, o.Expiry, o.Stale) < time.Millisecond:
		return o, fmt.Errorf("cluster: wanted timeout, expiry and stale of 1ms or more, got %v, %v and %v", o.Timeout, o.Expiry, o.Stale)
	case o.ID == "" || strings.ContainsAny(o.ID, ",/"):
		return o, fmt.Errorf("cluster: id: wanted one without comma and slash, got %q", o.ID)
	case o.Key == "":
		return o, errors.New("cluster: key: wanted one, got none")
	case o.Cfg == nil || o.Log == nil || o.Mapping == nil:
		return o, errors.New("cluster: wanted Cfg, Log and Mapping, got nil")
	case o.Partial != shards.FailClosed && o.Partial != shards.FailOpen:
		return o, fmt.Errorf("cluster: partial: wanted %q or %q, got %q", shards.FailClosed, shards.FailOpen, o.Partial)
	case o.Group && o.Partial != shards.FailClosed:
		return o, fmt.Errorf("cluster: group: wanted partial to be %q, got %q: what is on a partition that is down cannot be named", shards.FailClosed, o.Partial)
	}
	if o.Rule, err = rpc.Rule(o.Mapping, o.Field, o.Rule); err != nil {
		return o, fmt.Errorf("cluster: %w", err)
	}
	return o, nil
}

// Start makes a node of the cluster. Its Handler must be served at Options.URL. It gets
// partitions when Create or Rebalance is called, at any node. If there is no index and no log
// yet, the node makes the log. If there is an index whose log is missing, or is another one,
// the node starts all the same, and Status says what is wrong.
func Start(o Options) (*Node, error) {
	o, err := o.filled()
	if err != nil {
		return nil, err
	}
	scratch, err := plugin.New("", o.Mapping)
	if err != nil {
		return nil, err
	}
	log := &journal{log: o.Log, cfg: o.Cfg, of: o.Name}
	n := &Node{options: o, scratch: scratch, log: log, claims: newClaims(o.Rule, log)}
	n.running, n.cancel = context.WithCancel(context.Background())
	ctx := n.running
	n.all.Go(func() { retry(ctx, func() error { return n.claims.follow(ctx) }, n.claims.fail) })
	n.all.Go(func() { n.claims.expire(ctx, o.Expiry) })
	n.all.Go(func() { n.pulses.run(ctx, n.claims, o.Stale) })
	events := make(chan cbgt.CfgEvent)
	for _, key := range []string{cbgt.PLAN_PINDEXES_KEY, cbgt.INDEX_DEFS_KEY, cbgt.CfgNodeDefsKey(cbgt.NODE_DEFS_WANTED)} {
		if err := o.Cfg.Subscribe(key, events); err != nil {
			n.cancel()
			n.all.Wait()
			return nil, errors.Join(err, scratch.Close())
		}
	}
	// Without the tag "planner", plans change when somebody asks for it, and not whenever
	// two nodes see each other late.
	tags := []string{"feed", "janitor", "pindex", "queryer"}
	n.manager = cbgt.NewManagerEx(cbgt.VERSION, o.Cfg, o.ID, tags, "", 1, "", o.URL, o.Dir, "", handlers{n},
		map[string]string{"maxReplicasAllowed": strconv.Itoa(maxReplicas)})
	err = n.manager.Start("wanted")
	if n.started = err == nil; n.started {
		err = n.join()
	}
	if err != nil {
		n.Close()
		return nil, err
	}
	n.all.Go(func() { n.obey(ctx, events) })
	return n, nil
}

// handlers hears of partitions that come and go.
type handlers struct{ node *Node }

// OnRegisterPIndex is called while the manager is locked.
func (h handlers) OnRegisterPIndex(p *cbgt.PIndex) {
	if own, ok := p.Impl.(*partition); ok {
		own.follow(h.node.log, p.SourceUUID, SubjectDocs(p.SourcePartitions))
	}
}

func (h handlers) OnUnregisterPIndex(*cbgt.PIndex)           {}
func (h handlers) OnFeedError(string, cbgt.Feed, error)      {}
func (h handlers) OnRefreshManagerOptions(map[string]string) {}

// Close stops the node. Its partitions stay on disk, and in the plan: Failover gives
// them to others.
func (n *Node) Close() error {
	n.manager.Stop()
	var stats cbgt.ManagerStats
	for n.started && stats.TotJanitorStop == 0 { // cbgt waits for nobody, and the partitions that it opens now would stay open
		time.Sleep(time.Millisecond)
		n.manager.StatsCopyTo(&stats)
	}
	_, pindexes := n.manager.CurrentMaps()
	var errs []error
	for _, p := range pindexes {
		errs = append(errs, p.Close(false))
	}
	n.cancel()
	n.all.Wait()
	return errors.Join(append(errs, n.scratch.Close())...)
}
