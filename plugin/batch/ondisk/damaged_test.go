package ondisk_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/batch/ondisk"
)

// A file that was cut since it was written gives an error that names it. One that was altered gives one, or another
// result: no panic.
func TestDamaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rnd := rand.New(rand.NewPCG(11, 12))
	var docs []document
	for i := range 20 {
		s := random(rnd, 100)
		docs = append(docs, document{fmt.Sprint("a", i), s}, document{fmt.Sprint("copy", i), s})
	}
	j := open(t, dir, 100, signature.Rule{}, "")
	add(t, j, docs)
	run(t, j, len(docs))
	j.Close()
	for _, name := range []string{"groups", "ids", "ids.ends", "signatures"} {
		path := filepath.Join(dir, name)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for range 200 {
			own, cut := slices.Clone(whole), rnd.IntN(4) == 0
			if cut {
				own = own[:rnd.IntN(len(own))]
			} else {
				own[rnd.IntN(len(own))] ^= 1 << rnd.IntN(8)
			}
			if err := os.WriteFile(path, own, 0o666); err != nil {
				t.Fatal(err)
			}
			failed := read(dir)
			if cut && failed == nil {
				t.Errorf("%s: cut to %d of %d bytes: no error", name, len(own), len(whole))
			}
			if failed != nil && !strings.Contains(failed.Error(), name+": ") {
				t.Errorf("got %v, want an error that names %s", failed, name)
			}
		}
		if err := os.WriteFile(path, whole, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// read reads all that Run found.
func read(dir string) (failed error) {
	j, err := ondisk.Open(dir, ondisk.Options{})
	if err != nil {
		return err
	}
	defer j.Close()
	for _, err := range j.Groups() {
		failed = cmp.Or(failed, err)
	}
	for _, err := range j.Keep() {
		failed = cmp.Or(failed, err)
	}
	return failed
}
