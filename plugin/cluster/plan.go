package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/couchbase/cbgt"
	"github.com/couchbase/cbgt/cmd"

	"github.com/neardup/bleve-neardup/plugin/cluster/internal/rpc"
)

// obey makes cbgt's manager look at the plan whenever something about it changes, and at
// least every few seconds. cbgt's own loops look first and subscribe to changes afterwards,
// and so miss what changes in between.
func (n *Node) obey(ctx context.Context, events <-chan cbgt.CfgEvent) {
	for {
		n.manager.GetNodeDefs(cbgt.NODE_DEFS_WANTED, true)
		n.manager.GetIndexDefs(true)
		n.manager.GetPlanPIndexes(true)
		done := make(chan struct{})
		go func() { // JanitorKick waits for ever if the manager has stopped
			n.manager.JanitorKick("plan")
			close(done)
		}()
		select {
		case <-done:
		case <-ctx.Done():
			return
		}
		select {
		case <-events:
		case <-time.After(5 * time.Second):
		case <-ctx.Done():
			return
		}
	}
}

// join makes sure that this node is one that plans are for. cbgt writes nothing if it finds
// the node there already. But what cbgt reads might be older than a failover that took the
// node out.
func (n *Node) join() error {
	err := persist(func() error {
		wanted, err := n.newest()
		if err != nil || wanted != nil && wanted.NodeDefs[n.options.ID] != nil {
			return err
		}
		return cmp.Or(n.manager.Register("wanted"), errNotJoined)
	})
	if err != nil {
		return fmt.Errorf("cluster: id %q: wanted to join, got: %w", n.options.ID, err)
	}
	return nil
}

// persist calls f until it returns no error, for some seconds.
func persist(f func() error) (err error) {
	for range 100 {
		if err = f(); err == nil {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return err
}

var errNotJoined = errors.New("not yet one of the nodes")

// newest returns the nodes that plans are for, nil if there never were any. Cfg might return an
// old state. So newest writes back what it has read, which fails if that is not the newest.
func (n *Node) newest() (*cbgt.NodeDefs, error) {
	wanted, cas, err := cbgt.CfgGetNodeDefs(n.options.Cfg, cbgt.NODE_DEFS_WANTED)
	if err == nil && wanted != nil {
		_, err = cbgt.CfgSetNodeDefs(n.options.Cfg, cbgt.NODE_DEFS_WANTED, wanted, cas)
	}
	return wanted, err
}

// maxReplicas is what cbgt is told, too, which by itself allows none.
const maxReplicas = 9

// Create makes the index on the nodes that have started. replicas are the copies of each
// partition besides the primary, 0 to 9. The number of partitions never changes, nor does the log.
func (n *Node) Create(partitions, replicas int) error {
	if partitions < 1 || replicas < 0 || replicas > maxReplicas {
		return rpc.Reject(fmt.Errorf("cluster: wanted 1 partition or more, and 0 to %d replicas, got %d and %d", maxReplicas, partitions, replicas))
	}
	m, err := json.Marshal(n.options.Mapping)
	if err != nil {
		return err
	}
	source, err := json.Marshal(cbgt.PrimarySourceParams{NumPartitions: partitions})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), n.options.Timeout)
	defer cancel()
	identity, err := n.log.verify(ctx, true)
	if err != nil {
		return err
	}
	err = n.manager.CreateIndex("primary", "", identity, string(source), IndexType, n.options.Name, string(m),
		cbgt.PlanParams{MaxPartitionsPerPIndex: 1, NumReplicas: replicas}, "")
	if err != nil {
		return err
	}
	return n.Rebalance()
}

// Rebalance makes a new plan for the nodes that there are: after a node was added, or after a
// Failover, to have as many replicas again. A new copy answers once it has read the log. Until
// then other copies of the partition answer; if there are none, the partition is missing.
func (n *Node) Rebalance() error { return n.plan("planner", nil) }

// Failover gives up nodes that have died: replicas take over their partitions. The caller must
// know which nodes have died. If a node that is given up still lives, nobody asks it until it
// starts again and Rebalance is called. A node that the plan does not have is an error, once the others are given up.
func (n *Node) Failover(ids ...string) error { return n.plan("failover", ids) }

// plan carries out a step of cbgt's planner. It tries again if another node did so meanwhile, and if plans are still
// for one of the nodes that are given up: after ten conflicts cbgt gives up taking them out, and says nothing.
func (n *Node) plan(step string, ids []string) error {
	var there []string // the nodes at first
	err := persist(func() error {
		before, err := n.newest()
		if err != nil {
			return err
		}
		if there == nil && before != nil {
			there = slices.Sorted(maps.Keys(before.NodeDefs))
		}
		err = cmd.PlannerSteps(map[string]bool{step: true}, n.options.Cfg, cbgt.VERSION, "", n.manager.Options(), ids, false, nil, time.Time{})
		if err != nil {
			return err
		}
		wanted, err := n.newest()
		if err != nil || wanted == nil {
			return err
		}
		for _, id := range ids {
			if wanted.NodeDefs[id] != nil {
				return fmt.Errorf("wanted node %q out of the plan, got it still there", id)
			}
		}
		return nil
	})
	for _, id := range ids {
		if err == nil && !slices.Contains(there, id) {
			err = fmt.Errorf("wanted nodes of the plan, some of %q, got %q", there, id)
		}
	}
	if err != nil {
		return fmt.Errorf("cluster: %s %q: %w", step, ids, err)
	}
	return nil
}

// part is a partition, and the nodes that have copies, best first.
type part struct {
	number int
	name   string // of the pindex
	nodes  []*cbgt.NodeDef
}

// parts returns the partitions as they are planned, in the order of their numbers.
func (n *Node) parts() ([]part, error) {
	nodes, err := n.manager.GetNodeDefs(cbgt.NODE_DEFS_WANTED, false)
	if err != nil {
		return nil, err
	}
	_, plans, err := n.manager.GetPlanPIndexes(false)
	if err != nil {
		return nil, err
	}
	def, _, err := n.manager.GetIndexDef(n.options.Name, false)
	if err != nil || def == nil {
		return nil, fmt.Errorf("cluster: index %q: wanted one that was created, got none: %w", n.options.Name, errors.Join(err, errNoPlan))
	}
	var source cbgt.PrimarySourceParams
	if err := json.Unmarshal([]byte(def.SourceParams), &source); err != nil {
		return nil, err
	}
	all := make([]part, source.NumPartitions)
	for i := range all {
		all[i] = part{number: i, name: "partition " + strconv.Itoa(i)} // nobody has it
	}
	for _, plan := range plans[n.options.Name] {
		number, err := strconv.Atoi(plan.SourcePartitions)
		if err != nil || number < 0 || number >= len(all) {
			return nil, fmt.Errorf("cluster: plan: wanted a partition below %d, got %q", len(all), plan.SourcePartitions)
		}
		p := part{number: number, name: plan.Name}
		for id, copy := range plan.Nodes {
			if node := nodes.NodeDefs[id]; node != nil && copy.CanRead {
				p.nodes = append(p.nodes, node)
			}
		}
		slices.SortFunc(p.nodes, func(a, b *cbgt.NodeDef) int {
			return cmp.Or(cmp.Compare(plan.Nodes[a.UUID].Priority, plan.Nodes[b.UUID].Priority), strings.Compare(a.UUID, b.UUID))
		})
		all[number] = p
	}
	return all, nil
}

var errNoPlan = errors.New("there is no plan")

// local returns this node's copy of a partition, by the name of its pindex.
func (n *Node) local(name string) (*partition, error) {
	if p := n.manager.GetPIndex(name); p != nil {
		if own, ok := p.Impl.(*partition); ok {
			return own, nil
		}
	}
	return nil, fmt.Errorf("cluster: node %q has no partition %q: %w", n.options.ID, name, errNotReady)
}

// ready returns an error for a copy that lags too far, or does not know whether the
// log is its own.
func (n *Node) ready(p *partition) error {
	if err := n.log.failed(); err != nil {
		return fmt.Errorf("%w: %w", errNotReady, err)
	}
	at, verified, failure := p.state()
	if !verified {
		return fmt.Errorf("%w: %w", errNotReady, cmp.Or(failure, errUnread))
	}
	if !n.pulses.fresh(at, n.options.Stale) {
		return errNotReady
	}
	return nil
}
