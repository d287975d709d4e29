package admission_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

var rounds = flag.Int("crash.rounds", 3, "how often each case of TestCrash kills a process")

// most is how many rounds there are at most where none has written anything: a slow machine might need more time.
const most = 100

// In the process that is killed, the path of the index, the name of the policy, and
// whether bleve does not wait for the disk.
const (
	crashPath   = "NEARDUP_CRASH_PATH"
	crashPolicy = "NEARDUP_CRASH_POLICY"
	crashUnsafe = "NEARDUP_CRASH_UNSAFE"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(crashPath); path != "" {
		policy, unsafe := os.Getenv(crashPolicy), os.Getenv(crashUnsafe) == "true"
		if writer := crashWriters[policy]; writer != nil {
			fmt.Println(writer(path, unsafe))
		} else {
			fmt.Println(write(path, policies[policy], unsafe))
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// crashWriters are what processes do, by what stands in place of a policy.
var crashWriters = map[string]func(path string, unsafe bool) error{}

// someMarks is how many marks take turns.
const someMarks = 7

// lastKey is the internal value that tells the number of the last batch in an index.
var lastKey = []byte("last")

func last(x bleve.Index) (int, error) {
	value, err := x.GetInternal(lastKey)
	if err != nil || value == nil {
		return 0, err
	}
	return int(binary.BigEndian.Uint64(value)), nil
}

// numbered is the n-th batch that is written, the same at any time.
func numbered(n int) (pages []page, deletes []string) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(n) * time.Hour)
	return randomBatch(rand.New(rand.NewPCG(8, uint64(n))), at)
}

// write writes batches after the last one, tells their numbers when they are
// acknowledged, and never ends but for an error.
func write(path string, policy admission.Policy, unsafe bool) error {
	x, err := bleve.OpenUsing(path, map[string]any{"unsafe_batch": unsafe})
	if err != nil {
		return err
	}
	if err := plugin.SetPolicy(context.Background(), x, &policy); err != nil {
		return err
	}
	n, err := last(x)
	if err != nil {
		return err
	}
	for fmt.Println(n); ; fmt.Println(n) {
		n++
		b := x.NewBatch()
		pages, deletes := numbered(n)
		for _, p := range pages {
			if err := b.Index(p.id, p.data()); err != nil {
				return err
			}
		}
		for _, id := range deletes {
			b.Delete(id)
		}
		b.SetInternal(lastKey, binary.BigEndian.AppendUint64(nil, uint64(n)))
		if _, err := plugin.SubmitBatch(context.Background(), x, b); err != nil {
			return err
		}
	}
}

// A process that writes is killed at random moments, again and again, and the index is
// compared with the naive model after each: as many batches as were acknowledged are in
// it, or one more, each as a whole. With unsafe_batch, by which bleve acknowledges what
// is not on disk yet, the last ones may be missing. The long run is
//
//	go test -run Crash ./plugin/admission -crash.rounds=200 -timeout 1h
func TestCrash(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		policy string
		unsafe bool
	}{{"tag", false}, {"tag", true}, {"reject", false}, {"reject", true}, {"newest", false}} {
		t.Run(fmt.Sprintf("%s, unsafe %v", tt.policy, tt.unsafe), func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "x")
			if err := newIndex(t, path).Close(); err != nil {
				t.Fatal(err)
			}
			c := crashed{model: model{policy: policies[tt.policy], docs: map[string]entry{}}, deleted: map[string]bool{}}
			rnd := rand.New(rand.NewPCG(9, 10))
			written, lost := 0, 0
			for round := 0; round < *rounds || written == 0 && round < most; round++ {
				acknowledged := max(c.batches, kill(t, path, tt.policy, tt.unsafe, rnd))
				n := c.check(t, path)
				if n > acknowledged+1 || n < acknowledged && !tt.unsafe {
					t.Fatalf("round %d: %d batches were acknowledged, %d are in the index", round, acknowledged, n)
				}
				written, lost = max(n, written), lost+max(0, acknowledged-n)
			}
			t.Logf("%d kills, %d batches written, %d acknowledged ones lost, %d documents", *rounds, written, lost, len(c.docs))
			if written == 0 {
				t.Error("nothing was ever written")
			}
		})
	}
}

// kill kills a writer at a random moment, and returns the number of the last batch that
// it acknowledged, 0 if it was none.
func kill(t *testing.T, path, policy string, unsafe bool, rnd *rand.Rand) (acknowledged int) {
	t.Helper()
	killing(t, path, policy, unsafe, rnd, 400*time.Millisecond, func(line string) {
		if _, err := fmt.Sscan(line, &acknowledged); err != nil {
			t.Errorf("the writer said %s", line)
		}
	})
	return acknowledged
}

// killing kills a writer at a random moment, gives heard each line that the writer said, and returns how it ended. It
// lets it write for longest, at most.
func killing(t *testing.T, path, policy string, unsafe bool, rnd *rand.Rand, longest time.Duration, heard func(line string)) (ended string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w := exec.Command(self)
	w.Env = append(os.Environ(), crashPath+"="+path, crashPolicy+"="+policy, crashUnsafe+"="+fmt.Sprint(unsafe))
	var stderr strings.Builder
	w.Stderr = &stderr
	out, err := w.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	after := time.Duration(rnd.Int64N(int64(longest)))
	early := rnd.IntN(8) == 0 // as it opens the index, perhaps
	timer := time.AfterFunc(after+time.Minute, func() { w.Process.Kill() })
	if early {
		timer.Reset(after / 4)
	}
	lines := bufio.NewScanner(out)
	for first := true; lines.Scan(); first = false {
		heard(lines.Text())
		if first && !early {
			timer.Reset(after)
		}
	}
	timer.Stop()
	w.Wait()                                                       // killed
	if ended = w.ProcessState.String(); ended == "exit status 2" { // of a panic
		t.Errorf("the writer said %.1000s", stderr.String())
	}
	return ended
}

// crashed is the model of an index that is written by processes that are killed.
type crashed struct {
	model
	batches int
	deleted map[string]bool // all that ever was, by itself or for what replaced it
}

// check compares an index with the model of as many batches as it has, and returns their
// number.
func (c *crashed) check(t *testing.T, path string) int {
	t.Helper()
	x, err := plugin.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	n, err := last(x)
	if err != nil {
		t.Fatal(err)
	}
	if n < c.batches {
		t.Fatalf("%d batches are in the index, %d were when it was closed", n, c.batches)
	}
	for ; c.batches < n; c.batches++ {
		pages, deletes := numbered(c.batches + 1)
		before := c.docs
		c.submit(pages, deletes)
		for id := range before {
			if _, ok := c.docs[id]; !ok {
				c.deleted[id] = true
			}
		}
	}
	c.counts = nil
	c.same(t, x)
	r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 1000, 0, false)
	r.Fields = []string{signature.Field(plugin.Field).Sketch(), admission.OfField}
	res, err := x.Search(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, hit := range res.Hits {
		want := c.docs[hit.ID].sig
		if want.Tokens == 0 {
			continue
		}
		text, _ := hit.Fields[r.Fields[0]].(string)
		var sig signature.Signature
		if err := sig.UnmarshalText([]byte(text)); err != nil {
			t.Fatalf("%s: %v", hit.ID, err)
		}
		if sig.Params != want.Params || sig.Exact != want.Exact || sig.Simhash != want.Simhash || !slices.Equal(sig.Sketch, want.Sketch) {
			t.Fatalf("%s has the signature of another text", hit.ID)
		}
		if of, tagged := hit.Fields[admission.OfField].(string); tagged && !c.deleted[of] {
			if _, ok := c.docs[of]; !ok {
				t.Errorf("%s is tagged with %s, which never was there", hit.ID, of)
			}
		}
	}
	return n
}
