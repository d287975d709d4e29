package serve

import (
	"net"
	"net/netip"
	"sync"
)

// Each lets each client do something so many times at once.
type Each struct {
	most int

	mu    sync.Mutex
	under map[string]int // what is under way, by client
}

// NewEach returns an Each for at most most times, or for any number if most is 0.
func NewEach(most int) *Each { return &Each{most: most, under: map[string]int{}} }

// Enter reports whether client may go on. If it may, Leave has to follow.
func (e *Each) Enter(client string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.most > 0 && e.under[client] >= e.most {
		return false
	}
	e.under[client]++
	return true
}

// Leave ends what Enter began.
func (e *Each) Leave(client string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.under[client]--; e.under[client] <= 0 {
		delete(e.under, client)
	}
}

// Client is the client at an address with a port, as http.Request has it: its IP address,
// or of an IPv6 address the network of 64 bits, since one client has all addresses of it.
func Client(address string) string {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return address
	}
	ip := at.Addr().Unmap().WithZone("")
	if ip.Is4() {
		return ip.String()
	}
	network, err := ip.Prefix(64)
	if err != nil {
		return ip.String()
	}
	return network.String()
}

// limited is a listener that closes connections beyond a client's number.
type limited struct {
	net.Listener
	each *Each
}

func (l limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		client := Client(c.RemoteAddr().String())
		if l.each.Enter(client) {
			return &counted{Conn: c, leave: sync.OnceFunc(func() { l.each.Leave(client) })}, nil
		}
		c.Close()
	}
}

// counted is a connection that counts until it is closed.
type counted struct {
	net.Conn
	leave func()
}

func (c *counted) Close() error {
	c.leave()
	return c.Conn.Close()
}
