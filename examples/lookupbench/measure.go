package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
)

// row is what was measured of one peer.
type row struct {
	Name   string  `json:"name"`
	Ready  float64 `json:"ready_s"`     // to build it, or to open it and look up once; wall-clock
	CPU    float64 `json:"ready_cpu_s"` // the same in CPU time
	Lookup float64 `json:"lookup_us"`   // CPU time
	Memory float64 `json:"memory_doc"`  // bytes a document
	Disk   float64 `json:"disk_doc,omitempty"`
	Recall float64 `json:"recall"` // of what meets the rule

	micros []float64 // of each round
}

// report is all that was measured with one number of signatures.
type report struct {
	Signatures int     `json:"signatures"`
	Near       float64 `json:"near"` // others that a signature is near to
	Lookups    int     `json:"lookups"`
	Rounds     int     `json:"rounds"`
	Go         string  `json:"go"`
	Rows       []row   `json:"rows"`
}

func measure(o options, n int, stderr io.Writer) (*report, error) {
	dir, err := os.MkdirTemp("", "lookupbench-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	c := made(n)
	p := draw(c, o)
	peers, err := all(dir, c, p, o, stderr)
	if err != nil {
		return nil, err
	}
	r := &report{
		Signatures: n, Near: float64(p.want[signature.Either]) / float64(o.checks),
		Lookups: o.lookups, Rounds: o.rounds, Go: runtime.Version(),
	}
	for _, x := range peers {
		fmt.Fprintf(stderr, "%d signatures: %s\n", n, x.name)
		w, err := ready(x, n)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.name, err)
		}
		defer x.close()
		if w.Recall, err = recall(x, p, o.checks); err != nil {
			return nil, fmt.Errorf("%s: %w", x.name, err)
		}
		r.Rows = append(r.Rows, *w)
	}
	for round := range o.rounds {
		fmt.Fprintf(stderr, "%d signatures: round %d of %d\n", n, round+1, o.rounds)
		for i, x := range peers {
			micros, err := turn(x, p.all[:o.lookups])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", x.name, err)
			}
			r.Rows[i].micros = append(r.Rows[i].micros, micros)
		}
	}
	for i := range r.Rows {
		w := &r.Rows[i]
		w.Lookup = slices.Sorted(slices.Values(w.micros))[o.rounds/2]
	}
	return r, nil
}

// all writes the indexes and returns the peers.
func all(dir string, c *table.Column, p *probes, o options, stderr io.Writer) (peers []*peer, err error) {
	first := &p.all[0]
	memory := filepath.Join(dir, "memory")
	fmt.Fprintf(stderr, "%d signatures: writing an index\n", c.Len())
	stored, err := write(memory, c, false)
	if err != nil {
		return nil, err
	}
	direct, through := inMemory(memory, first)
	direct.disk = stored
	peers = append(peers, direct, through)
	if o.terms {
		path := filepath.Join(dir, "terms")
		fmt.Fprintf(stderr, "%d signatures: writing an index with terms\n", c.Len())
		size, err := write(path, c, true)
		if err != nil {
			return nil, err
		}
		x := byTerms(path, first)
		x.disk = size
		peers = append(peers, x)
	}
	return append(peers,
		tables("tables alone", c, signature.Either, table.Plan{}),
		tables("tables alone, 4 bands of 23 lanes", c, signature.SketchOnly, table.Plan{Bands: 4, Rows: 23}),
		ekzhu(c)), nil
}

// ready builds or opens x, and tells how long that took and what memory it takes.
func ready(x *peer, n int) (*row, error) {
	w := &row{Name: x.name, Disk: float64(x.disk) / float64(n)}
	if x.ready == nil {
		return w, nil
	}
	before := heap()
	start, used := time.Now(), cpu()
	if err := x.ready(); err != nil {
		return nil, err
	}
	w.Ready, w.CPU = time.Since(start).Seconds(), float64(cpu()-used)/1e9
	w.Memory = float64(heap()-before) / float64(n)
	return w, nil
}

// heap is the memory in use.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what finalizers let go of
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// recall is the share of what meets the rule that x finds. Each probe finds itself.
func recall(x *peer, p *probes, checks int) (float64, error) {
	found, want := 0, p.want[x.mode]
	for i := range checks {
		n, err := x.find(&p.all[i])
		if err != nil {
			return 0, err
		}
		found += n - 1
	}
	if found > want {
		return 0, fmt.Errorf("wanted %d pairs that meet the rule, got %d", want, found)
	}
	return float64(found) / float64(max(1, want)), nil
}

// turn is the CPU time of a lookup, in µs.
func turn(x *peer, all []signature.Signature) (float64, error) {
	runtime.GC() // what others left is not x's to clear
	start := cpu()
	for i := range all {
		if _, err := x.find(&all[i]); err != nil {
			return 0, err
		}
	}
	return float64(cpu()-start) / 1e3 / float64(len(all)), nil
}

// cpu is the CPU time of this process.
func cpu() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // it has no error for this process
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
