package admission_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// looseRules are tests of a KnownRule, each alone; lanes are of 100.
var looseRules = []struct {
	name string
	of   func(lanes int) admission.KnownRule
}{
	{"15 lanes", lanesAlone(15)},
	{"20", lanesAlone(20)},
	{"25", lanesAlone(25)},
	{"30", lanesAlone(30)},
	{"40", lanesAlone(40)},
	{"contains .6", func(int) admission.KnownRule { return admission.KnownRule{Lanes: -1, Contains: .6} }},
	{".7", func(int) admission.KnownRule { return admission.KnownRule{Lanes: -1, Contains: .7} }},
	{".8", func(int) admission.KnownRule { return admission.KnownRule{Lanes: -1, Contains: .8} }},
	{"contained .7", func(int) admission.KnownRule { return admission.KnownRule{Lanes: -1, Contains: -1, Contained: .7} }},
}

func lanesAlone(of100 int) func(int) admission.KnownRule {
	return func(lanes int) admission.KnownRule {
		return admission.KnownRule{Lanes: (of100*lanes + 99) / 100, Contains: -1}
	}
}

// TestLooseMarks prints, with -v, how many legitimate mails are like a mark if all spam is marked, by
// the width of shingles; of all mail in two minutes and more:
//
//	go test -v -run LooseMarks ./plugin/admission -mail.all
func TestLooseMarks(t *testing.T) {
	if !*allMail {
		t.Skip("it compares all spam with all legitimate mail: needs -mail.all")
	}
	box := mails(t).mails
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "words\tmarks\tmails\t")
	for _, r := range looseRules {
		fmt.Fprintf(w, "%s\t", r.name)
	}
	fmt.Fprintln(w)
	for _, width := range []struct{ words, lanes int }{{4, 100}, {3, 100}, {2, 150}} {
		p := signature.DefaultParams()
		p.Width, p.Lanes = width.words, width.lanes
		var marks, wanted []signature.Signature
		for _, m := range box {
			s := signature.Of(p, []byte(m.text))
			switch {
			case s.Lanes == 0: // without a shingle
			case m.spam:
				marks = append(marks, s)
			default:
				wanted = append(wanted, s)
			}
		}
		touched := like(marks, wanted, width.lanes)
		fmt.Fprintf(w, "%d\t%d\t%d\t", width.words, len(marks), len(wanted))
		for i, n := range touched {
			fmt.Fprintf(w, "%d\t", n)
			if r := looseRules[i].name; width.words > 2 && (r == "25" || r == ".7") && n > 0 {
				t.Errorf("%d words: the default test of %s touches %d legitimate mails", width.words, r, n)
			}
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	t.Logf("legitimate mails that are like some mark:\n%s", &out)
}

// like returns how many documents are like some mark, by each of looseRules.
func like(marks, documents []signature.Signature, lanes int) []int {
	sum := make([]int, len(looseRules))
	var lock sync.Mutex
	var wait sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for worker := range workers {
		wait.Go(func() {
			for i := worker; i < len(documents); i += workers {
				found := make([]bool, len(looseRules))
				for k := range marks {
					if lanes-sketch.Differ(marks[k].Sketch, documents[i].Sketch) < admission.LeastAgree {
						continue
					}
					for r := range looseRules {
						if !found[r] {
							_, found[r] = looseRules[r].of(lanes).Like(signature.Rule{}, admission.Spam, &marks[k], &documents[i])
						}
					}
				}
				lock.Lock()
				for r, ok := range found {
					if ok {
						sum[r]++
					}
				}
				lock.Unlock()
			}
		})
	}
	wait.Wait()
	return sum
}
