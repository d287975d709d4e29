package nats_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/neardup/bleve-neardup/plugin/cluster"
)

var (
	kills   = flag.Int("kills", 2, "how often a node is killed")
	workers = flag.Int("workers", 8, "how many submit at once")
)

// found is what a search says: how many documents, and what did not answer.
type found struct {
	Status struct{ Failed int }
	Total  int `json:"total_hits"`
	Hits   []struct{ ID string }
}

func (p *processes) search(i, size int, after ...string) (f found, err error) {
	r := map[string]any{"query": map[string]any{"match_all": map[string]any{}}, "size": size, "sort": []string{"_id"}}
	if len(after) > 0 {
		r["search_after"] = after
	}
	return f, p.ask(i, "POST", "/search", r, &f)
}

// words is a text that has nothing in common with those of other numbers.
func words(n int) string {
	var b strings.Builder
	r := rand.New(rand.NewPCG(uint64(n), 1))
	for range 60 {
		fmt.Fprintf(&b, "w%d ", r.IntN(10000))
	}
	return b.String()
}

// load submits pairs of near-copies at once, each through a node of its own, again
// until there is an answer.
type load struct {
	*processes
	mu      sync.Mutex
	next    int
	written map[string]time.Time // ids that were said to be written
	stop    chan struct{}
	all     sync.WaitGroup
}

func (l *load) submit(family int, id string) {
	for try := 0; ; try++ {
		var a struct {
			Outcomes []cluster.Outcome `json:"verdicts"`
			Error    string
		}
		doc := map[string]any{"text": words(family) + id}
		err := l.ask(rand.IntN(len(l.members)), "POST", "/submit", map[string]any{id: doc}, &a)
		if err == nil && a.Error == "" {
			if a.Outcomes[0].Written {
				l.mu.Lock()
				l.written[id] = time.Now()
				l.mu.Unlock()
			}
			return
		}
		if try == 5000 {
			l.t.Errorf("%s: never an answer: %v %s", id, err, a.Error)
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (l *load) run() {
	for range *workers {
		l.all.Go(func() {
			for {
				select {
				case <-l.stop:
					return
				default:
				}
				l.mu.Lock()
				family := l.next
				l.next++
				l.mu.Unlock()
				var both sync.WaitGroup
				for _, copy := range []string{"x", "y"} {
					both.Go(func() { l.submit(family, fmt.Sprint(family, copy)) })
				}
				both.Wait()
			}
		})
	}
}

// search asks one node after the other. An answer that is not marked as partial has what
// was written a while ago: nothing is missing in silence.
func (l *load) watch(lag time.Duration) (complete, partial, none int) {
	for i := 0; ; i++ {
		select {
		case <-l.stop:
			return complete, partial, none
		case <-time.After(20 * time.Millisecond):
		}
		l.mu.Lock()
		want := 0
		for _, at := range l.written {
			if time.Since(at) > lag {
				want++
			}
		}
		l.mu.Unlock()
		f, err := l.search(i%len(l.members), 0)
		switch {
		case err != nil:
			none++
		case f.Status.Failed > 0:
			partial++
		case f.Total < want:
			l.t.Errorf("an answer that is not partial has %d documents, want %d", f.Total, want)
		default:
			complete++
		}
	}
}

// Nodes are killed one after the other, under load. No document is lost that was said to
// be written, and of each pair of near-copies exactly one is there.
func TestKill(t *testing.T) {
	if testing.Short() {
		*kills = min(*kills, 1)
	}
	p := startProcesses(t, 3)
	p.until("started", func() error {
		for i := range p.members {
			if err := p.ask(i, "GET", "/health", nil, nil); err != nil {
				return err
			}
		}
		return nil
	})
	p.until("created", func() error { return p.ask(0, "POST", "/create", map[string]int{"partitions": 8, "replicas": 1}, nil) })
	p.ready(16, 0, 1, 2)
	l := &load{processes: p, written: map[string]time.Time{}, stop: make(chan struct{})}
	l.run()
	var complete, partial, none int
	l.all.Go(func() { complete, partial, none = l.watch(stale) })
	began := time.Now()
	for k := range *kills {
		time.Sleep(time.Second)
		dead, alive := k%3, []int{(k + 1) % 3, (k + 2) % 3}
		p.kill(dead)
		killed := time.Now()
		p.until("failover", func() error {
			return p.ask(alive[0], "POST", "/failover", map[string][]string{"nodes": {p.members[dead].ID}}, nil)
		})
		p.until("plan", func() error { return p.ask(alive[0], "POST", "/rebalance", struct{}{}, nil) })
		p.ready(16, alive...)
		over := time.Since(killed)
		p.start(dead)
		p.until("back", func() error { return p.ask(dead, "GET", "/health", nil, nil) })
		p.until("plan", func() error { return p.ask(dead, "POST", "/rebalance", struct{}{}, nil) })
		p.ready(16, 0, 1, 2)
		t.Logf("kill %d: all copies again after %.1f s, with the node back after %.1f s", k+1, over.Seconds(), time.Since(killed).Seconds())
	}
	close(l.stop)
	l.all.Wait()
	t.Logf("%d pairs in %.0f s; searches: %d complete, %d partial, %d without an answer", l.next, time.Since(began).Seconds(), complete, partial, none)
	l.check()
}

// check compares what is there with what was acknowledged.
func (l *load) check() {
	l.until("settled", func() error {
		f, err := l.search(0, 0)
		if err == nil && (f.Status.Failed > 0 || f.Total < l.next) {
			err = fmt.Errorf("%d documents of %d, %d failed", f.Total, l.next, f.Status.Failed)
		}
		return err
	})
	ids, families := map[string]bool{}, map[string]int{}
	for last := ""; ; {
		var f found
		l.until("all", func() (err error) {
			f, err = l.search(0, 500, last)
			return err
		})
		for _, h := range f.Hits {
			ids[h.ID], last = true, h.ID
			families[strings.TrimRight(h.ID, "xy")]++
		}
		if len(f.Hits) == 0 {
			break
		}
	}
	for family := range l.next {
		if n := families[fmt.Sprint(family)]; n != 1 {
			l.t.Errorf("pair %d: %d are there", family, n)
		}
	}
	for id := range l.written {
		if !ids[id] {
			l.t.Errorf("%s was said to be written, and is not there", id)
		}
	}
	if len(l.written) != l.next {
		l.t.Errorf("%d were said to be written, want %d", len(l.written), l.next)
	}
}
