// Package nats keeps the log and the plan of a cluster in NATS JetStream: a stream and a
// bucket, each with as many replicas as are asked for. With three, all goes on while one
// server is dead, and waits while two are.
//
//	js, err := jetstream.New(conn)
//	log, err := nats.NewLog(ctx, js, "docs", 3, 30*time.Second)
//	cfg, err := nats.NewCfg(ctx, js, "docs_plan", 3)
//	node, err := cluster.Start(cluster.Options{Log: log, Cfg: cfg, ...})
//
// JetStream says that it has a message when most replicas have, in memory or on disk;
// when each writes to disk is a setting of the servers' (sync_interval). A process that is
// killed loses nothing by that; machines that lose power all at once may. A stream that is
// gone, was made anew, or has lost its last messages, is noticed: see cluster.ErrLog.
package nats

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/neardup/bleve-neardup/plugin/cluster"
)

// Log is a cluster.Log in a stream.
type Log struct {
	js       jetstream.JetStream
	name     string
	replicas int
	expiry   time.Duration
}

// identityKey is where the metadata of a stream have the log's identity.
const identityKey = "neardup_log"

// NewLog returns the log of that name: letters, digits, _ and -. The stream of the name gets
// so many replicas; if there is none, Open makes it, which cluster.Start asks for where there
// is no index yet: one that is made anew has lost the documents of the index. expiry is
// cluster.Options.Expiry, cluster.DefaultExpiry if 0. It tries until ctx is done: servers that have just started have no
// leader yet.
func NewLog(ctx context.Context, js jetstream.JetStream, name string, replicas int, expiry time.Duration) (*Log, error) {
	l := &Log{js: js, name: name, replicas: replicas, expiry: cmp.Or(expiry, cluster.DefaultExpiry)}
	return l, retry(ctx, func(ctx context.Context) error {
		s, err := js.Stream(ctx, name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		_, err = js.UpdateStream(ctx, l.config(s.CachedInfo().Config.Metadata))
		return err
	})
}

func (l *Log) config(metadata map[string]string) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: l.name, Subjects: []string{l.name + ".>"}, Replicas: l.replicas, Storage: jetstream.FileStorage,
		AllowMsgTTL: true, DenyDelete: true, Metadata: metadata,
	}
}

// Open implements cluster.Log. The identity stands in the metadata of the stream.
func (l *Log) Open(ctx context.Context, create bool) (identity string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	s, err := l.js.Stream(ctx, l.name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		if !create {
			return "", fmt.Errorf("nats: stream %q: %w", l.name, cluster.ErrNoLog)
		}
		s, err = l.js.CreateStream(ctx, l.config(map[string]string{identityKey: rand.Text()}))
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another node was first
			s, err = l.js.Stream(ctx, l.name)
		}
	}
	if err != nil {
		return "", fmt.Errorf("nats: stream %q: %w", l.name, err)
	}
	identity = s.CachedInfo().Config.Metadata[identityKey]
	if identity == "" {
		return "", fmt.Errorf("nats: stream %q: wanted one with %q in its metadata, which Open made, got another", l.name, identityKey)
	}
	return identity, nil
}

// retry calls f until it succeeds, or returns its last error when ctx is done.
func retry(ctx context.Context, f func(context.Context) error) error {
	for {
		short, cancel := context.WithTimeout(ctx, 5*time.Second)
		err := f(short)
		cancel()
		if err == nil {
			return nil
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("nats: %w", err)
		}
	}
}

// Append implements cluster.Log.
func (l *Log) Append(ctx context.Context, subject string, data []byte) (uint64, error) {
	var options []jetstream.PublishOpt
	if subject == cluster.SubjectClaims || subject == cluster.SubjectMarks {
		options = append(options, jetstream.WithMsgTTL(max(cluster.ClaimsKept*l.expiry, time.Second).Round(time.Second)))
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	ack, err := l.js.PublishMsg(ctx, &nats.Msg{Subject: l.name + "." + subject, Data: data}, options...)
	if err != nil {
		return 0, fmt.Errorf("nats: append to %s: %w", subject, err)
	}
	return ack.Sequence, nil
}

// quiet is after what time without a record a reader begins anew.
const quiet = 3 * time.Second

// Read implements cluster.Log. It returns when in doubt whether it gets all records:
// where one is missing, or none comes, as nodes append marks all the time. The library's
// own ordered consumers begin anew by themselves; of readers that had a server killed
// under them, some never came back.
func (l *Log) Read(ctx context.Context, subjects []string, after uint64, deliver func(cluster.Record) error) error {
	var filter []string
	for _, s := range subjects {
		filter = append(filter, l.name+"."+s)
	}
	short, cancel := context.WithTimeout(ctx, quiet)
	defer cancel()
	consumer, err := l.js.CreateConsumer(short, l.name, jetstream.ConsumerConfig{
		FilterSubjects: filter, DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: after + 1,
		AckPolicy: jetstream.AckNonePolicy, MaxDeliver: 1, Replicas: 1, MemoryStorage: true, InactiveThreshold: time.Minute,
	})
	if err != nil {
		return fmt.Errorf("nats: read: %w", err)
	}
	messages, err := consumer.Messages(jetstream.PullMaxMessages(256), jetstream.PullExpiry(2*time.Second), jetstream.PullHeartbeat(time.Second))
	if err != nil {
		return fmt.Errorf("nats: read: %w", err)
	}
	defer messages.Stop()
	defer context.AfterFunc(ctx, messages.Stop)()
	for n := uint64(1); ; n++ {
		m, err := messages.Next(jetstream.NextMaxWait(quiet))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("nats: read: %w", err)
		}
		meta, err := m.Metadata()
		if err != nil {
			return fmt.Errorf("nats: read: %w", err)
		}
		if meta.Sequence.Consumer != n {
			return fmt.Errorf("nats: read: wanted message %d, got %d", n, meta.Sequence.Consumer)
		}
		if err := deliver(cluster.Record{Seq: meta.Sequence.Stream, Subject: strings.TrimPrefix(m.Subject(), l.name+"."), Data: m.Data()}); err != nil {
			return err
		}
	}
}
