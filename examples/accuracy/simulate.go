package main

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
)

var (
	// unions are the numbers of distinct shingles that two documents have together.
	unions = []int{5, 10, 20, 60, 200, 1000, 10000}

	// resemblances are the ones that are asked for; a small union has only some.
	resemblances = []float64{.5, .6, .7, .75, .78, .8, .82, .84, .85, .86, .88, .9, .92, .94, .95, .96, .98, 1}
)

// cell is a kind of pair: sets that have so many elements together, and so many in
// common.
type cell struct{ union, common int }

func (c cell) r() float64 { return float64(c.common) / float64(c.union) }

// grid returns the cells: for each union those that come nearest to the
// resemblances.
func grid() (cells []cell) {
	for _, union := range unions {
		before := 0
		for _, r := range resemblances {
			c := cell{union, int(math.Round(r * float64(union)))}
			if c.common > before && c.r() >= resemblances[0] {
				cells = append(cells, c)
				before = c.common
			}
		}
	}
	return cells
}

// result is what came of one cell for one kind of verdict.
type result struct {
	method string
	kind   kind
	cell   cell
	tally  tally
}

const (
	chunk = 250 // pairs of a cell that a worker takes at a time
	least = 100 // pairs of any cell, if as many are asked for
)

// cellPairs is the number of pairs that m sees of a cell.
func cellPairs(m method, c cell, pairs int) int {
	return min(pairs, max(least, m.budget/c.union*pairs/defaultPairs))
}

// simulate runs all methods over the pairs of all cells. Each chunk of pairs has
// random numbers of its own, and sums are added in order: the results depend on
// pairs and seed alone.
func simulate(all []method, pairs int, seed uint64) (results []result) {
	type job struct {
		method, first, from, size int // first is the first result of the cell
		cell                      cell
		tallies                   []tally
	}
	var jobs []job
	for i, m := range all {
		for _, c := range grid() {
			first := len(results)
			for _, k := range m.kinds {
				results = append(results, result{method: m.name, kind: k, cell: c})
			}
			n := cellPairs(m, c, pairs)
			for from := 0; from < n; from += chunk {
				jobs = append(jobs, job{i, first, from, min(chunk, n-from), c, make([]tally, len(m.kinds))})
			}
		}
	}
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			started := make([]compare, len(all))
			for {
				i := int(next.Add(1)) - 1
				if i >= len(jobs) {
					return
				}
				j := &jobs[i]
				m := all[j.method]
				if started[j.method] == nil {
					started[j.method] = m.start()
				}
				rnd := rand.New(rand.NewPCG(seed, uint64(j.cell.union)<<40|uint64(j.cell.common)<<20|uint64(j.from/chunk)))
				tallyPairs(rnd, m.kinds, started[j.method], j.cell, j.size, j.tallies)
			}
		})
	}
	workers.Wait()
	for _, j := range jobs {
		for k, t := range j.tallies {
			results[j.first+k].tally.merge(t)
		}
	}
	return results
}

// tallyPairs compares n random pairs of a cell.
func tallyPairs(rnd *rand.Rand, kinds []kind, compare compare, c cell, n int, tallies []tally) {
	var a, b []uint64
	out := make([]verdict, len(kinds))
	for range n {
		a, b = pair(rnd, c, a, b)
		compare(a, b, out)
		for i, v := range out {
			expected := c.r()
			if kinds[i].bits > 0 {
				expected = expect(expected, kinds[i].bits)
			}
			tallies[i].add(v, expected)
		}
	}
}

// pair makes two sets of random elements as c says: those that are not in common
// belong to either in turn. Of 64-bit numbers, 10,000 are distinct but for one set
// in 10^11.
func pair(rnd *rand.Rand, c cell, a, b []uint64) (x, y []uint64) {
	a, b = a[:0], b[:0]
	for i := range c.union {
		e := rnd.Uint64()
		if i < c.common || i%2 == 0 {
			a = append(a, e)
		}
		if i < c.common || i%2 == 1 {
			b = append(b, e)
		}
	}
	return a, b
}
