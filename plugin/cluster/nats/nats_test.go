package nats_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/couchbase/cbgt"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/neardup/bleve-neardup/plugin/cluster"
	"github.com/neardup/bleve-neardup/plugin/cluster/nats"
)

// single starts one JetStream server in this process.
func single(dir string) (js jetstream.JetStream, stop func(), err error) {
	m := member{ID: "single", Dir: dir, Alone: true}
	s, js, err := m.serve()
	if err != nil {
		return nil, nil, err
	}
	return js, func() {
		js.Conn().Close()
		s.Shutdown()
		s.WaitForShutdown()
	}, nil
}

// alone is single until the test ends.
func alone(t *testing.T) jetstream.JetStream {
	t.Helper()
	js, stop, err := single(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return js
}

// Records come in the order of their numbers, each once, to each of several readers,
// from wherever they begin.
func TestLog(t *testing.T) {
	t.Parallel()
	js := alone(t)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	l, err := nats.NewLog(ctx, js, "docs", 1, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Open(ctx, true); err != nil {
		t.Fatal(err)
	}
	subjects := []string{cluster.SubjectClaims, cluster.SubjectMarks, cluster.SubjectRevoked, cluster.SubjectDocs("0"), cluster.SubjectDocs("1")}
	var mu sync.Mutex
	appended := map[uint64]string{}
	var all sync.WaitGroup
	for w := range 4 {
		all.Go(func() {
			for i := range 100 {
				subject := subjects[(w+i)%len(subjects)]
				data := fmt.Sprint(w, i)
				seq, err := l.Append(ctx, subject, []byte(data))
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				appended[seq] = subject + " " + data
				mu.Unlock()
			}
		})
	}
	read := func(after uint64, wanted []string) {
		var want []uint64
		all.Wait()
		for seq, text := range appended {
			for _, s := range wanted {
				if seq > after && len(text) > len(s) && text[:len(s)+1] == s+" " {
					want = append(want, seq)
				}
			}
		}
		slices.Sort(want)
		done := errors.New("done")
		n := 0
		err := l.Read(ctx, wanted, after, func(r cluster.Record) error {
			if n >= len(want) || r.Seq != want[n] || r.Subject+" "+string(r.Data) != appended[r.Seq] {
				return fmt.Errorf("record %d of %d: got %+v", n, len(want), r)
			}
			if n++; n == len(want) {
				return done
			}
			return nil
		})
		if !errors.Is(err, done) {
			t.Errorf("after %d: %v", after, err)
		}
	}
	read(0, subjects)
	read(0, subjects[3:4])
	read(200, subjects[1:3])
	short, cancelShort := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancelShort()
	if err := l.Read(short, subjects, 400, func(r cluster.Record) error { return fmt.Errorf("got %+v", r) }); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("at the end: %v", err)
	}
}

// Claims and marks live as long as the expiry asks for, which is the default one if none is named; documents and what
// is revoked live for ever.
func TestKept(t *testing.T) {
	t.Parallel()
	js := alone(t)
	for expiry, want := range map[time.Duration]string{0: "10m0s", time.Minute: "20m0s"} {
		l, err := nats.NewLog(t.Context(), js, "docs", 1, expiry)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Open(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		s, err := js.Stream(t.Context(), "docs")
		if err != nil {
			t.Fatal(err)
		}
		for subject, want := range map[string]string{
			cluster.SubjectClaims: want, cluster.SubjectMarks: want, cluster.SubjectDocs("0"): "", cluster.SubjectRevoked: "",
		} {
			seq, err := l.Append(t.Context(), subject, nil)
			if err != nil {
				t.Fatal(err)
			}
			m, err := s.GetMsg(t.Context(), seq)
			if err != nil {
				t.Fatal(err)
			}
			if got := m.Header.Get(jetstream.MsgTTLHeader); got != want {
				t.Errorf("expiry %v: %s is kept for %q, want %q", expiry, subject, got, want)
			}
		}
	}
}

// A Cfg does what cbgt's own in memory does, and two of one bucket see each other.
func TestCfg(t *testing.T) {
	t.Parallel()
	js := alone(t)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	c, err := nats.NewCfg(ctx, js, "plan", 1)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	other, err := nats.NewCfg(ctx, js, "plan", 1)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	events := make(chan cbgt.CfgEvent, 100)
	if err := other.Subscribe("key", events); err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]cbgt.Cfg{"memory": cbgt.NewCfgMem(), "nats": c} {
		mismatch := func(what string, err error) {
			t.Helper()
			if as := new(cbgt.CfgCASError); !errors.As(err, &as) {
				t.Errorf("%s: %s: got error %v", name, what, err)
			}
		}
		if v, cas, err := x.Get("key", 0); v != nil || cas != 0 || err != nil {
			t.Errorf("%s: nothing there: %q %d %v", name, v, cas, err)
		}
		one, err := x.Set("key", []byte("one"), 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := x.Set("key", []byte("again"), 0); err == nil {
			t.Errorf("%s: it is there already: no error", name)
		}
		two, err := x.Set("key", []byte("two"), one)
		if err != nil || two <= one {
			t.Fatalf("%s: %d after %d, error %v", name, two, one, err)
		}
		_, err = x.Set("key", []byte("late"), one)
		mismatch("set", err)
		_, _, err = x.Get("key", one)
		mismatch("get", err)
		if v, cas, err := x.Get("key", two); string(v) != "two" || cas != two || err != nil {
			t.Errorf("%s: %q %d %v", name, v, cas, err)
		}
		if _, err := x.Set("key", []byte("force"), cbgt.CFG_CAS_FORCE); err != nil {
			t.Error(err)
		}
		mismatch("delete", x.Del("key", two))
		if err := x.Del("key", 0); err != nil {
			t.Error(err)
		}
	}
	for cas := uint64(1); cas != 0; {
		select {
		case e := <-events:
			if v, now, _ := other.Get("key", 0); e.CAS == 0 && now == 0 && v == nil {
				cas = 0
			}
		case <-ctx.Done():
			t.Fatal("never told that the key was deleted")
		}
	}
}

// A log in one server.
func Example() {
	dir, err := os.MkdirTemp("", "nats")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	js, stop, err := single(dir) // a JetStream server in this process, and a connection to it
	if err != nil {
		log.Fatal(err)
	}
	defer stop()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	l, err := nats.NewLog(ctx, js, "pages", 1, 30*time.Second)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := l.Open(ctx, true); err != nil { // as cluster.Start does before there is an index
		log.Fatal(err)
	}
	for _, text := range []string{"first", "second"} {
		if _, err := l.Append(ctx, cluster.SubjectDocs("0"), []byte(text)); err != nil {
			log.Fatal(err)
		}
	}
	end := errors.New("end")
	l.Read(ctx, []string{cluster.SubjectDocs("0")}, 0, func(r cluster.Record) error {
		fmt.Println(r.Seq, string(r.Data))
		if r.Seq == 2 {
			return end
		}
		return nil
	})
	// Output:
	// 1 first
	// 2 second
}
