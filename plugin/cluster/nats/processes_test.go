package nats_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/neardup/bleve-neardup/plugin/cluster"
)

// processes are the nodes, of which some may be dead.
type processes struct {
	t       *testing.T
	members []member
	client  *http.Client

	mu      sync.Mutex
	running []*exec.Cmd // nil where one is dead
}

func startProcesses(t *testing.T, n int) *processes {
	t.Helper()
	p := &processes{t: t, client: &http.Client{Timeout: 20 * time.Second}, running: make([]*exec.Cmd, n)}
	addresses := free(t, 3*n)
	var routes []string
	for i := range n {
		a := addresses[3*i:]
		m := member{ID: string(rune('a' + i)), Dir: t.TempDir(), HTTP: a[0], NATS: a[1], Route: a[2]}
		p.members, routes = append(p.members, m), append(routes, m.Route)
	}
	t.Cleanup(func() {
		for i := range n {
			p.kill(i)
		}
	})
	for i := range p.members {
		p.members[i].Routes = routes
		p.start(i)
	}
	return p
}

// free finds addresses of this machine that nobody has. Nodes that were killed take theirs again, so no port is one
// that the system gives to who asks for any, as every connection does.
func free(t *testing.T, n int) (addresses []string) {
	t.Helper()
	for range 100 * n {
		l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", 10_000+rand.IntN(20_000)))
		if err != nil {
			continue
		}
		defer l.Close()
		if addresses = append(addresses, l.Addr().String()); len(addresses) == n {
			return addresses
		}
	}
	t.Fatalf("%d of %d ports are free", len(addresses), n)
	return nil
}

func (p *processes) start(i int) {
	p.t.Helper()
	own, err := json.Marshal(p.members[i])
	if err != nil {
		p.t.Fatal(err)
	}
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "NEARDUP_MEMBER="+string(own))
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.mu.Lock()
	p.running[i] = c
	p.mu.Unlock()
}

// kill is kill -9.
func (p *processes) kill(i int) {
	p.mu.Lock()
	c := p.running[i]
	p.running[i] = nil
	p.mu.Unlock()
	if c != nil {
		c.Process.Kill()
		c.Wait()
	}
}

// ask sends a request to a node.
func (p *processes) ask(i int, method, path string, request, answer any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	r, err := http.NewRequest(method, "http://"+p.members[i].HTTP+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+key)
	res, err := p.client.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", res.Status, text)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(text, answer)
}

// until tries f, for three minutes at most.
func (p *processes) until(what string, f func() error) {
	p.t.Helper()
	end := time.Now().Add(3 * time.Minute)
	for {
		err := f()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			for _, c := range p.running {
				if c != nil {
					c.Process.Signal(syscall.SIGQUIT) // which prints what it is at
				}
			}
			p.t.Fatalf("%s: %v", what, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// ready waits until these nodes have so many copies, all caught up.
func (p *processes) ready(copies int, nodes ...int) {
	p.t.Helper()
	p.until("ready", func() error {
		n := 0
		for _, i := range nodes {
			var s cluster.Status
			if err := p.ask(i, "GET", "/status", nil, &s); err != nil {
				return err
			}
			if err := s.Err(); err != nil {
				return err
			}
			n += len(s.Partitions)
		}
		if n != copies {
			return fmt.Errorf("%d copies, want %d", n, copies)
		}
		return nil
	})
}
