package serve

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func TestHosts(t *testing.T) {
	t.Parallel()
	h := Hosts(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), "box.example")
	for host, want := range map[string]int{
		"localhost": 200, "LOCALHOST:8080": 200, "127.0.0.1": 200, "127.0.0.1:80": 200, "192.168.7.7:80": 200,
		"[::1]": 200, "[::1]:80": 200, "[fe80::1%25eth0]:80": 200, "box.example": 200, "Box.Example:8080": 200,
		"": 421, ":80": 421, "evil.example": 421, "evil.example:8080": 421, "localhost.evil.example": 421,
		"127.0.0.1.evil.example": 421, "evil.example:localhost": 421, "evilbox.example": 421, "2130706433": 421, "0x7f.1": 421,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = host
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("%q: got %d, want %d", host, w.Code, want)
		}
	}
}

func TestLoopback(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"localhost:1": true, "127.0.0.1:1": true, "127.9.9.9:1": true, "[::1]:1": true,
		":1": false, "0.0.0.0:1": false, "[::]:1": false, "192.168.7.7:1": false, "box.example:1": false, "localhost": false, "": false,
	} {
		if got := Loopback(address); got != want {
			t.Errorf("%q: got %t", address, got)
		}
	}
}

func TestClient(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"192.0.2.7:1": "192.0.2.7", "[::ffff:192.0.2.7]:1": "192.0.2.7", "[2001:db8:1:2:3:4:5:6]:1": "2001:db8:1:2::/64",
		"[2001:db8:1:2::9%eth0]:1": "2001:db8:1:2::/64", "[::1]:1": "::/64", "pipe": "pipe",
	} {
		if got := Client(address); got != want {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
	}
}

func TestEach(t *testing.T) {
	t.Parallel()
	e := NewEach(2)
	first, second, third := e.Enter("a"), e.Enter("a"), e.Enter("a")
	if !first || !second || third || !e.Enter("b") {
		t.Error("wanted two of a and one of b")
	}
	e.Leave("a")
	if first, second = e.Enter("a"), e.Enter("a"); !first || second {
		t.Error("wanted one more of a")
	}
	e.Leave("a")
	e.Leave("a")
	e.Leave("b")
	if len(e.under) != 0 {
		t.Errorf("%v are remembered", e.under)
	}
	for range 1000 {
		if !NewEach(0).Enter("a") {
			t.Fatal("wanted any number")
		}
	}
}

// A client beyond its number of connections is cut off, and gets in again when one of them
// ends.
func TestConnections(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	log := slog.New(slog.DiscardHandler)
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "here") })
	done := make(chan error, 1)
	go func() { done <- Until(ctx, New(h, time.Minute, time.Minute, log), listener, log) }()
	dial := func() net.Conn {
		c, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	answered := func(c net.Conn) bool {
		c.SetDeadline(time.Now().Add(time.Minute))
		io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		n, _ := c.Read(make([]byte, 100))
		return n > 0
	}
	var all []net.Conn
	for range MaxConnections {
		all = append(all, dial())
	}
	if !answered(all[MaxConnections-1]) {
		t.Fatal("the last of the connections is not served")
	}
	if answered(dial()) {
		t.Error("one connection more is served")
	}
	all[0].Close()
	for range 6000 { // the server notices by and by
		if answered(dial()) {
			stop()
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if ctx.Err() == nil {
		t.Error("nobody gets in when a connection has ended")
	}
	stop()
	for _, c := range all {
		c.Close()
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
