package ondisk_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/neardup/bleve-neardup/plugin/batch/ondisk"
)

var rounds = flag.Int("crash.rounds", 3, "how many jobs TestKilled kills until they are done")

// Set in the process that TestKilled kills: the directory of the job, and the source of its
// documents.
const (
	killed     = "NEARDUP_ONDISK_KILLED"
	killedSeed = "NEARDUP_ONDISK_SEED"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(killed); dir != "" {
		seed, _ := strconv.ParseUint(os.Getenv(killedSeed), 10, 64)
		fmt.Println(child(dir, seed))
		return
	}
	os.Exit(m.Run())
}

// child goes on with a job.
func child(dir string, seed uint64) error {
	rule, k, all := mixed(rand.New(rand.NewPCG(seed, 1)), 400)
	j, err := ondisk.Open(dir, ondisk.Options{Params: params(k), Rule: rule, Memory: 32 << 20})
	if err != nil {
		return err
	}
	defer j.Close()
	return work(j, all, 50)
}

// A process is killed at random moments. Processes take over one after another until one
// finishes.
func TestKilled(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(15, 16))
	kills := 0
	for seed := range uint64(*rounds) {
		dir := t.TempDir()
		for tries := 0; ; tries++ {
			wait := time.Duration(rnd.Int64N(int64(400 * time.Millisecond)))
			if tries >= 20 { // a slow machine might never finish
				wait = time.Minute
			}
			ctx, cancel := context.WithTimeout(context.Background(), wait)
			c := exec.CommandContext(ctx, self)
			c.Env = append(os.Environ(), killed+"="+dir, fmt.Sprint(killedSeed, "=", seed))
			out, err := c.Output()
			cancel()
			if string(out) == "<nil>\n" {
				break
			}
			if len(out) > 0 || err == nil {
				t.Fatalf("the process said %q, error %v", out, err)
			}
			kills++
		}
		rule, k, all := mixed(rand.New(rand.NewPCG(seed, 1)), 400)
		j := open(t, dir, k, rule, ondisk.Leaders)
		if _, err := j.Run(context.Background()); err != nil {
			t.Error(err)
		}
		hold(t, j, rule, ondisk.Leaders, all)
		j.Close()
	}
	t.Logf("%d kills", kills)
}
