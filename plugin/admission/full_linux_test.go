package admission_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

func init() { crashWriters[crashFull] = writeFull }

// crashFull, in place of a policy, has the process write while its disk is full now and then.
const crashFull = "full"

// fullWriters is how many write at once, the last of them marks: scorch's persister merges what comes at once.
const fullWriters = 5

// fullSizes are how large a file may be while the disk is full: in each, some files can grow and some cannot.
var fullSizes = []uint64{0, 1000, 5000, 20_000, 66_000, 140_000}

// fullText is the n-th text of a writer, near no other.
func fullText(writer int, n uint64) string {
	rnd := rand.New(rand.NewPCG(uint64(writer), n))
	text := fmt.Sprint(n)
	for range 40 {
		text += fmt.Sprintf(" w%x", rnd.Uint32())
	}
	return text
}

// writeFull has writers write, each what is next after its last write until it succeeds, which it tells; searches go on meanwhile.
// The disk is full again and again, and whenever it is not any more, each writer comes on. It never ends but for an error.
func writeFull(path string, _ bool) error {
	ctx := context.Background()
	x, err := plugin.Open(path)
	if err != nil {
		return err
	}
	if err := plugin.SetPolicy(ctx, x, &admission.Policy{Near: admission.Tag}); err != nil {
		return err
	}
	sig, err := plugin.Sign(x, plugin.Field, "a text that is marked again and again")
	if err != nil {
		return err
	}
	there, err := fullVersions(x)
	if err != nil {
		return err
	}
	wrong := make(chan error)
	var written [fullWriters]atomic.Uint64
	for w := range fullWriters {
		go func() {
			for n := there[fmt.Sprint(w)]; ; {
				n++
				last, turn := fmt.Sprint(w), fmt.Sprint(w, "-", n%someMarks)
				err := errors.New("not tried")
				for err != nil {
					if w == fullWriters-1 {
						one := admission.Mark{Name: turn, Label: admission.Spam, Signature: sig, Used: n}
						two := one
						two.Name = last
						err = typed(x).SetMark(ctx, one, two)
						continue
					}
					b := x.NewBatch()
					if err := errors.Join(b.Index(turn, map[string]any{"body": fullText(w, n)}), b.Index(last, map[string]any{"body": fullText(w, n)})); err != nil {
						wrong <- err
					}
					err = x.Batch(b)
				}
				fmt.Println(w, n)
				written[w].Store(n)
			}
		}()
	}
	go func() {
		for {
			r := bleve.NewSearchRequestOptions(bleve.NewMatchQuery("1 2 3"), 100, 0, false)
			_, one := x.Search(r)
			_, two := collapse.Search(ctx, x, r, collapse.Options{Whole: true})
			if err := errors.Join(one, two); err != nil {
				wrong <- err
			}
		}
	}()
	go func() {
		for ; ; time.Sleep(20 * time.Millisecond) {
			_ = typed(x).Purge(ctx) // which fails if the disk is full
		}
	}()
	for range 1000 {
		var limit syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			return err
		}
		room := limit.Cur
		limit.Cur = fullSizes[rand.IntN(len(fullSizes))]
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			return err
		}
		select {
		case err := <-wrong:
			return err
		case <-time.After(time.Duration(rand.IntN(200)) * time.Millisecond):
		}
		limit.Cur = room
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			return err
		}
		for w := range written {
			for before, tries := written[w].Load(), 0; written[w].Load() == before; tries++ {
				if tries == 60_000 {
					return fmt.Errorf("writer %d: with room again, nothing was written", w)
				}
				select {
				case err := <-wrong:
					return err
				case <-time.After(time.Millisecond):
				}
			}
		}
	}
	return nil
}

// fullVersions returns which number each document and each mark has.
func fullVersions(x bleve.Index) (map[string]uint64, error) {
	all := map[string]uint64{}
	r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 1000, 0, false)
	r.Fields = []string{"body"}
	res, err := x.Search(r)
	if err != nil {
		return nil, err
	}
	for _, hit := range res.Hits {
		var n uint64
		if _, err := fmt.Sscan(hit.Fields["body"].(string), &n); err != nil {
			return nil, err
		}
		all[hit.ID] = n
	}
	marks, err := typed(x).Marks()
	for _, m := range marks {
		all[m.Name] = m.Used
	}
	return all, err
}

// Processes write, search, mark and purge while the disk is full now and then, and are killed: none ends by itself, and
// what each writer was told to be written is there, or one more write, each as a whole. The long run is
//
//	go test -v -run CrashFull ./plugin/admission -crash.rounds=60
func TestCrashFull(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x")
	if err := newIndex(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	rnd, ended, acknowledged, total := rand.New(rand.NewPCG(9, 12)), map[string]int{}, [fullWriters]uint64{}, 0
	for round := range *rounds {
		ended[killing(t, path, crashFull, false, rnd, time.Second, func(line string) {
			var w int
			var n uint64
			if _, err := fmt.Sscan(line, &w, &n); err != nil {
				t.Errorf("round %d: the writer said %s", round, line)
				return
			}
			acknowledged[w] = n
			total++
		})]++
		x, err := plugin.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := fullVersions(x)
		if err = errors.Join(err, x.Close()); err != nil {
			t.Fatal(err)
		}
		for w := range fullWriters {
			n := got[fmt.Sprint(w)]
			if n < acknowledged[w] || n > acknowledged[w]+1 {
				t.Errorf("round %d: writer %d: %d writes were acknowledged, %d are there", round, w, acknowledged[w], n)
			}
			for i := range uint64(someMarks) {
				want := uint64(0)
				if i <= n {
					want = n - (n-i)%someMarks
				}
				if got[fmt.Sprint(w, "-", i)] != want {
					t.Errorf("round %d: writer %d: %d is of write %d, want %d of %d", round, w, i, got[fmt.Sprint(w, "-", i)], want, n)
				}
			}
			acknowledged[w] = n
		}
	}
	t.Logf("%d writes were acknowledged; processes ended: %v", total, ended)
	if total == 0 || ended["signal: killed"] != *rounds {
		t.Errorf("%d writes were acknowledged, and of %d processes %d were killed", total, *rounds, ended["signal: killed"])
	}
}
