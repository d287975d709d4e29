package backfill_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/backfill"
)

var rounds = flag.Int("crash.rounds", 5, "how often TestKilled kills a process")

// In the process that TestKilled kills, the directory of its indexes, and whether bleve
// does not wait for the disk.
const (
	killed       = "NEARDUP_BACKFILL_KILLED"
	killedUnsafe = "NEARDUP_BACKFILL_UNSAFE"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(killed); dir != "" {
		fmt.Println(copyIn(dir, os.Getenv(killedUnsafe) == "true"))
		return
	}
	os.Exit(m.Run())
}

// copyIn goes on with the backfill in a directory.
func copyIn(dir string, unsafe bool) error {
	from, err := bleve.Open(filepath.Join(dir, "from"))
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := bleve.OpenUsing(filepath.Join(dir, "to"), map[string]any{"unsafe_batch": unsafe})
	if err != nil {
		return err
	}
	defer to.Close()
	_, err = backfill.Run(context.Background(), from, to, backfill.Options{Batch: 3})
	return err
}

// A process is killed at random moments of a backfill, and it goes on until it is
// through: no document is lost, changed, or counted twice. Scorch may have been told not
// to wait for the disk; then what was written last is written again.
func TestKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	docs := manuals(t, 30)
	from, err := bleve.New(filepath.Join(dir, "from"), bleve.NewIndexMapping())
	if err != nil {
		t.Fatal(err)
	}
	fill(t, from, docs)
	if err := from.Close(); err != nil {
		t.Fatal(err)
	}
	fresh := signed(t, "", bodyMapping())
	fill(t, fresh, docs)
	rnd := rand.New(rand.NewPCG(5, 6))
	midway := 0
	for round := 0; round < *rounds; {
		path := filepath.Join(dir, "to")
		unsafe := round%2 == 1
		to, err := plugin.New(path, bodyMapping())
		if err != nil {
			t.Fatal(err)
		}
		if err := to.Close(); err != nil {
			t.Fatal(err)
		}
		for ran := false; !ran && round < *rounds; {
			wait := time.Duration(rnd.Int64N(int64(600 * time.Millisecond)))
			if ran = kill(t, dir, unsafe, wait); !ran {
				round++
				if n := count(t, path); n > 0 && n < len(docs) {
					midway++
				}
			}
		}
		if err := copyIn(dir, false); err != nil {
			t.Fatal(err)
		}
		if to, err = plugin.Open(path); err != nil {
			t.Fatal(err)
		}
		if s, err := backfill.Run(context.Background(), fresh, to, backfill.Options{Name: filepath.Join(dir, "from")}); err != nil || s.Done != uint64(len(docs)) {
			t.Errorf("round %d: got %+v, %v", round, s, err)
		}
		hold(t, to, fresh)
		if err := to.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d of %d kills hit between the first batch and the last", midway, *rounds)
}

// count returns how many documents an index has that was killed.
func count(t *testing.T, path string) int {
	x, err := plugin.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	n, err := x.DocCount()
	if err != nil {
		t.Fatal(err)
	}
	return int(n)
}

// kill goes on with the backfill in another process and kills it after some time. It
// reports whether that came too late.
func kill(t *testing.T, dir string, unsafe bool, after time.Duration) (late bool) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self)
	c.Env = append(os.Environ(), killed+"="+dir, killedUnsafe+"="+fmt.Sprint(unsafe))
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { c.Process.Kill() })
	var said [200]byte
	n, _ := out.Read(said[:])
	timer.Stop()
	c.Wait()
	if n > 0 && string(said[:n]) != "<nil>\n" {
		t.Fatalf("the process said %s", said[:n])
	}
	return n > 0
}
