package cluster

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Status is what a node knows of itself.
type Status struct {
	ID string `json:"id"`

	// Read is the number of the last record of claims and marks that the node has read,
	// and Claims how many claims are not over.
	Read   uint64 `json:"read"`
	Claims int    `json:"claims"`

	// Partitions are the copies that the node has, by the names of cbgt's pindexes.
	Partitions map[string]PartitionStatus `json:"partitions"`

	// Failure is why the node does not follow the log, if it does not.
	Failure string `json:"failure,omitempty"`
}

// PartitionStatus is what a node knows of one copy.
type PartitionStatus struct {
	// Partition is its number, and Primary whether it is the first to be asked.
	Partition string `json:"partition"`
	Primary   bool   `json:"primary"`

	// Ready says whether the copy answers searches: see Options.Stale.
	Ready bool `json:"ready"`

	// Read is the number of the last record that the copy has read, and Docs the number of its
	// documents.
	Read uint64 `json:"read"`
	Docs uint64 `json:"docs"`

	// Failure is why the copy does not follow the log, if it does not.
	Failure string `json:"failure,omitempty"`
}

// Status returns the Status of the node.
func (n *Node) Status() Status {
	read, held, err := n.claims.state()
	s := Status{ID: n.options.ID, Read: read, Claims: held, Partitions: map[string]PartitionStatus{}}
	if err != nil {
		s.Failure = err.Error()
	}
	parts, _ := n.parts() // none before Create
	for _, p := range parts {
		for i, node := range p.nodes {
			if node.UUID == n.options.ID {
				s.Partitions[p.name] = PartitionStatus{Partition: strconv.Itoa(p.number), Primary: i == 0, Failure: "not open"}
			}
		}
	}
	_, pindexes := n.manager.CurrentMaps()
	for name, x := range pindexes {
		p, ok := x.Impl.(*partition)
		if !ok {
			continue
		}
		at, _, failure := p.state()
		own := s.Partitions[name]
		own.Partition, own.Ready, own.Read, own.Failure = x.SourcePartitions, n.ready(p) == nil, at, ""
		if failure != nil {
			own.Failure = failure.Error()
		}
		own.Docs, _ = p.index.DocCount()
		s.Partitions[name] = own
	}
	return s
}

// Err returns an error if a node of this status cannot answer for all it has.
func (s Status) Err() error {
	var not []string
	for name, p := range s.Partitions {
		if !p.Ready || p.Failure != "" {
			not = append(not, strings.TrimSpace(name+" "+p.Failure))
		}
	}
	switch {
	case s.Failure != "":
		return errors.New(s.Failure)
	case not != nil:
		return fmt.Errorf("cluster: node %q: %d of %d partitions have not caught up: %q", s.ID, len(not), len(s.Partitions), not)
	}
	return nil
}
