package nats_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/couchbase/clog"
	"github.com/nats-io/nats-server/v2/server"
	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/cluster"
	"github.com/neardup/bleve-neardup/plugin/cluster/nats"
)

const (
	key    = "between nodes"
	expiry = 5 * time.Second
	stale  = 4 * time.Second
)

// member is what a process of the cluster is told.
type member struct {
	ID, Dir           string
	HTTP, NATS, Route string   // addresses on loopback
	Routes            []string // of all
	Alone             bool     // no other servers
}

// The test binary is a node, if it is told to be.
func TestMain(m *testing.M) {
	clog.SetLevel(clog.LevelError)
	if text := os.Getenv("NEARDUP_MEMBER"); text != "" {
		var own member
		err := json.Unmarshal([]byte(text), &own)
		if err == nil {
			err = own.run()
		}
		fmt.Fprintln(os.Stderr, own.ID, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// serve starts a JetStream server and connects to it.
func (m *member) serve() (*server.Server, jetstream.JetStream, error) {
	o := &server.Options{
		ServerName: m.ID, Host: "127.0.0.1", Port: server.RANDOM_PORT, Username: "node", Password: key, NoSigs: true,
		JetStream: true, StoreDir: filepath.Join(m.Dir, "nats"), JetStreamMaxStore: 1 << 30, JetStreamMaxMemory: 1 << 28,
	}
	if !m.Alone {
		o.Port = port(m.NATS)
		o.Cluster = server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: port(m.Route), Username: "route", Password: key}
	}
	for _, r := range m.Routes {
		o.Routes = append(o.Routes, &url.URL{Scheme: "nats", Host: r, User: url.UserPassword("route", key)})
	}
	s, err := server.NewServer(o)
	if err != nil {
		return nil, nil, err
	}
	s.Start()
	if !s.ReadyForConnections(time.Minute) {
		return nil, nil, fmt.Errorf("the server is not ready")
	}
	conn, err := natsio.Connect(s.ClientURL(), natsio.UserInfo("node", key), natsio.MaxReconnects(-1), natsio.ReconnectWait(50*time.Millisecond), natsio.Timeout(time.Minute))
	if err != nil {
		return nil, nil, err
	}
	js, err := jetstream.New(conn)
	return s, js, err
}

func port(address string) int {
	a, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		panic(err)
	}
	return a.Port
}

// run is a node until it is killed.
func (m *member) run() error {
	_, js, err := m.serve()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	log, err := nats.NewLog(ctx, js, "docs", 3, expiry)
	if err != nil {
		return err
	}
	cfg, err := nats.NewCfg(ctx, js, "docs_plan", 3)
	if err != nil {
		return err
	}
	mapping := bleve.NewIndexMapping()
	plugin.AddSignature(mapping.DefaultMapping, "text")
	dir := filepath.Join(m.Dir, "partitions")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	node, err := cluster.Start(cluster.Options{
		ID: m.ID, URL: "http://" + m.HTTP, Dir: dir, Name: "docs", Mapping: mapping, Cfg: cfg, Log: log, Key: key, Expiry: expiry, Stale: stale,
	})
	if err != nil {
		return err
	}
	return http.ListenAndServe(m.HTTP, node.Handler())
}
