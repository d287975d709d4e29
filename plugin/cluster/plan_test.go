package cluster_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/couchbase/cbgt"

	"github.com/neardup/bleve-neardup/plugin/cluster"
)

// conflicting is a Cfg in which the nodes that are wanted cannot be changed for a while.
type conflicting struct {
	cbgt.Cfg
	left atomic.Int64
}

func (c *conflicting) Set(key string, value []byte, cas uint64) (uint64, error) {
	if key == cbgt.CfgNodeDefsKey(cbgt.NODE_DEFS_WANTED) {
		if now, _, err := c.Get(key, 0); err == nil && !bytes.Equal(now, value) && c.left.Add(-1) >= 0 {
			return 0, &cbgt.CfgCASError{}
		}
	}
	return c.Cfg.Set(key, value, cas)
}

// late is a Cfg that at first reads what the wanted nodes were some time ago.
type late struct {
	cbgt.Cfg
	value   []byte
	cas     uint64
	noticed atomic.Bool // that it is not the newest
}

func (c *late) Get(key string, cas uint64) ([]byte, uint64, error) {
	if key == cbgt.CfgNodeDefsKey(cbgt.NODE_DEFS_WANTED) && !c.noticed.Load() {
		return c.value, c.cas, nil
	}
	return c.Cfg.Get(key, cas)
}

func (c *late) Set(key string, value []byte, cas uint64) (uint64, error) {
	got, err := c.Cfg.Set(key, value, cas)
	if err != nil {
		c.noticed.Store(true)
	}
	return got, err
}

// A node that starts again, and sees the nodes as they were before it was given up, is one
// of them again all the same.
func TestStartLate(t *testing.T) {
	t.Parallel()
	var before *late
	c := newNodes(t, 3, func(o *cluster.Options) {
		if o.ID == "c" {
			o.URL = "http://127.0.0.1:1" // the same again; nobody is asked in this test
		}
		if before != nil {
			o.Cfg = before
		}
	})
	value, cas, err := c.cfg.Get(cbgt.CfgNodeDefsKey(cbgt.NODE_DEFS_WANTED), 0)
	if err != nil {
		t.Fatal(err)
	}
	c.stop("c")
	if err := errors.Join(c.all["a"].Failover("c"), c.all["a"].Rebalance()); err != nil {
		t.Fatal(err)
	}
	c.settle(16)
	before = &late{Cfg: c.cfg, value: value, cas: cas}
	c.start("c")
	wanted, _, err := cbgt.CfgGetNodeDefs(c.cfg, cbgt.NODE_DEFS_WANTED)
	if err != nil || wanted.NodeDefs["c"] == nil {
		t.Fatalf("plans are for the nodes %v, %v", wanted, err)
	}
	if err := c.all["a"].Rebalance(); err != nil {
		t.Fatal(err)
	}
	c.settle(16)
}

// A failover that cbgt gives up without a word, after ten conflicts, is carried out all
// the same, or tells that it was not.
func TestFailoverConflicts(t *testing.T) {
	t.Parallel()
	var cfg *conflicting
	c := newNodes(t, 3, func(o *cluster.Options) {
		if cfg == nil {
			cfg = &conflicting{Cfg: o.Cfg}
		}
		o.Cfg = cfg
	})
	c.stop("c")
	cfg.left.Store(25)
	if err := c.all["a"].Failover("c"); err != nil {
		t.Fatal(err)
	}
	if wanted, _, err := cbgt.CfgGetNodeDefs(cfg, cbgt.NODE_DEFS_WANTED); err != nil || wanted.NodeDefs["c"] != nil {
		t.Fatalf("plans are for the nodes %v, %v", wanted, err)
	}
	if err := c.all["a"].Rebalance(); err != nil {
		t.Fatal(err)
	}
	c.settle(16)
	cfg.left.Store(1 << 40)
	if err := c.all["a"].Failover("b"); err == nil || !strings.Contains(err.Error(), `"b"`) {
		t.Errorf("a failover that cannot be: wanted an error that names the node, got %v", err)
	}
}

// Close leaves no partition open, also while the node is making some: started again, it has them all. Of those that it
// was making, not all are whole on disk.
func TestCloseAtOnce(t *testing.T) {
	t.Parallel()
	for range 10 {
		o := alone(t)
		n, err := cluster.Start(o)
		if err != nil {
			t.Fatal(err)
		}
		err = n.Create(8, 0)
		for at, _ := filepath.Glob(o.Dir + "/*"); len(at) == 0; at, _ = filepath.Glob(o.Dir + "/*") {
			runtime.Gosched() // until it makes the first
		}
		if err = errors.Join(err, n.Close()); err != nil {
			t.Fatal(err)
		}
		if n, err = cluster.Start(o); err != nil {
			t.Fatal(err)
		}
		eventually(t, func() string {
			s := n.Status()
			for _, p := range s.Partitions {
				s.Failure += p.Failure
			}
			if s.Failure != "" || len(s.Partitions) != 8 {
				return fmt.Sprintf("wanted 8 partitions, got %+v", s)
			}
			return ""
		})
		if err := n.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
