package serve

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Hosts answers requests whose Host is localhost, an IP address or one of names, and rejects
// all others with status 421. Without it, any web site could have a visitor's browser ask a
// server that listens on the visitor's machine: the site's own name then points there (DNS
// rebinding), and to the browser site and server are one origin. A page cannot do that with
// an IP address, nor with a name that is not the attacker's.
func Hosts(next http.Handler, names ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
		same := func(name string) bool { return strings.EqualFold(name, host) }
		if _, err := netip.ParseAddr(host); err != nil && !same("localhost") && !slices.ContainsFunc(names, same) {
			wanted := strings.Join(append([]string{"localhost", "an IP address"}, names...), ", ")
			http.Error(w, fmt.Sprintf("host: wanted one of %s; got %.100q", wanted, r.Host), http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Loopback reports whether what listens at an address, host:port, is reached from this
// machine alone.
func Loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
