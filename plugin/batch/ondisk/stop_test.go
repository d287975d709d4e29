package ondisk_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/batch/ondisk"
)

var errStop = errors.New("stopped")

// A job that is stopped at random points, again and again, finds the same as one that is
// not. Its last writes might be complete, partial or missing.
func TestStopped(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 6))
	few := 25
	if testing.Short() {
		few = 8
	}
	stops := 0
	for range few {
		rule, k, all := mixed(rnd, 60+rnd.IntN(100))
		by := ways[rnd.IntN(2)]
		groups, keep := naive(rule, by, all)
		what := fmt.Sprintf("%+v, %s, %d documents", rule, by, len(all))
		dir := t.TempDir()
		for done, most := false, 20; !done; most += 20 { // so that one finishes
			left := rnd.IntN(most)
			j := open(t, dir, k, rule, by)
			j.Small(len(all))
			j.Stop(func() error {
				if left--; left < 0 {
					return errStop
				}
				return nil
			})
			err := work(j, all, 1+rnd.IntN(20))
			if err != nil && !errors.Is(err, errStop) {
				t.Fatal(err)
			}
			if done = err == nil; done {
				holdTo(t, j, what, groups, keep)
				if _, err := j.Run(context.Background()); err != nil {
					t.Error(err)
				}
				holdTo(t, j, what, groups, keep)
			}
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}
			if !done {
				stops++
				spoil(t, rnd, dir)
			}
		}
	}
	if stops < 3*few {
		t.Errorf("%d stops in %d rounds: this test shows little", stops, few)
	}
}

// work continues a job, and commits after every so many documents.
func work(j *ondisk.Job, all []document, commit int) error {
	for i := j.Len(); i < len(all); i++ {
		if err := j.Add(all[i].id, all[i].sig); err != nil {
			return err
		}
		if i%commit == 0 {
			if err := j.Commit(); err != nil {
				return err
			}
		}
	}
	_, err := j.Run(context.Background())
	return err
}

// spoil leaves what a crash might leave: more bytes than were committed, and files that
// were not finished.
func spoil(t *testing.T, rnd *rand.Rand, dir string) {
	t.Helper()
	for _, name := range []string{"signatures", "ids", "ids.ends"} {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(make([]byte, rnd.IntN(2000))); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	for _, name := range []string{"manifest.json.tmp", "groups.tmp", "run/rows-00-00099"} {
		if err := os.MkdirAll(filepath.Join(dir, "run"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("torn"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// A context that ends stops a job, which can continue later.
func TestCancelled(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(7, 8))
	rule, k, all := mixed(rnd, 150)
	j := open(t, t.TempDir(), k, rule, ondisk.Leaders)
	defer j.Close()
	add(t, j, all)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := j.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := j.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	hold(t, j, rule, ondisk.Leaders, all)
}

func TestErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rule := signature.Rule{}
	j := open(t, dir, 100, rule, "")
	for range j.Groups() {
		break
	}
	for _, err := range j.Keep() {
		wants(t, err, "Run must finish first")
	}
	rnd := rand.New(rand.NewPCG(9, 10))
	s := random(rnd, 100)
	if err := j.Add("a", s); err != nil {
		t.Fatal(err)
	}
	other := *s
	other.Params++
	wants(t, j.Add("b", &other), fmt.Sprintf(`document "b": params: wanted %08x, those of the job, got %08x`, s.Params, other.Params))
	other = *random(rnd, 64)
	other.Params = s.Params
	wants(t, j.Add("c", &other), `document "c": lanes: wanted 100, or 0 without shingles, got 64 for 90`)
	if err := j.Commit(); err != nil {
		t.Fatal(err)
	}
	j.Close()
	for _, tt := range []struct {
		o    ondisk.Options
		says string
	}{
		{ondisk.Options{Params: params(64)}, "those of " + dir + ", got "},
		{ondisk.Options{Rule: signature.Rule{Lanes: 80}}, "the rule of " + dir + ", got "},
		{ondisk.Options{Rule: signature.Rule{Lanes: -1}}, "rule: lanes: wanted"},
		{ondisk.Options{Rule: signature.Rule{Lanes: 101}}, "rule: lanes: wanted 0 to 100, the lanes of the sketch, got 101"},
		{ondisk.Options{By: ondisk.Components}, `by: wanted "leaders", as in `},
		{ondisk.Options{By: "heads"}, `by: wanted "leaders" or "components", got "heads"`},
		{ondisk.Options{Memory: -1}, "memory: wanted bytes"},
	} {
		_, err := ondisk.Open(dir, tt.o)
		wants(t, err, tt.says)
	}
	j, err := ondisk.Open(dir, ondisk.Options{Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	_, err = j.Run(context.Background())
	wants(t, err, "memory: wanted 16777220 bytes or more for 1 documents, got 1048576")
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = ondisk.Open(dir, ondisk.Options{})
	wants(t, err, "manifest.json: unexpected end")
}

func wants(t *testing.T, err error, says string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), "ondisk: ") || !strings.Contains(err.Error(), says) {
		t.Errorf("got %v, want %q", err, says)
	}
}

// A component that does not fit in memory gives an error, and a job with more memory
// continues.
func TestLargeComponent(t *testing.T) {
	t.Parallel()
	const n = 36_000
	dir := t.TempDir()
	s := random(rand.New(rand.NewPCG(17, 18)), 100)
	for _, memory := range []int64{n*17/4 + 16<<20, 32 << 20} {
		j, err := ondisk.Open(dir, ondisk.Options{Memory: memory})
		if err != nil {
			t.Fatal(err)
		}
		for i := j.Len(); i < n; i++ {
			if err := j.Add("same", s); err != nil {
				t.Fatal(err)
			}
		}
		r, err := j.Run(context.Background())
		switch {
		case memory < 32<<20:
			wants(t, err, "memory: a group of more than 33834 documents needs more than")
		case err != nil || r.Dropped != n-1:
			t.Errorf("got %+v, %v", r, err)
		}
		j.Close()
	}
}
