// Command mutation changes the code of packages a little, one change at a time, and tells which changes
// their tests do not see. Run it by .ci/mutate.
//
// All changes are compiled at once: "a < b" becomes "a <= b" while the environment says that this change is in force.
// So a change costs a run of tests, not a build. Each test is run by itself once,
// to learn which changes it comes by; a change meets only those tests, the fastest first.
package main

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"time"
)

var (
	sample  = flag.Int("sample", 0, "how many changes to try, drawn at random; all if 0")
	seed    = flag.Uint64("seed", 1, "of the sample")
	only    = flag.String("only", "", "regular expression: the changes to try, such as 'page.go:1[0-9]:'")
	skip    = flag.String("skip", "", "regular expression: the tests to leave out")
	more    = flag.String("tests", "", "packages whose tests are run, too, with spaces between them")
	chosen  = flag.String("run", "", "regular expression: the tests of the packages of -tests to run")
	longest = flag.Duration("longest", 10*time.Second, "the most CPU time of a test; longer ones are left out")
	list    = flag.Bool("list", false, "list the changes, and try none")
	memory  = flag.Int("memory", 6, "the most GiB of address space of a test process")
)

func main() {
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: .ci/mutate [FLAG ...] PACKAGE ...      such as .ci/mutate -tests ./plugin/admission ./plugin/internal/gate")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	enough, err := run(flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(2)
	}
	if !enough {
		os.Exit(1)
	}
}

// run reports whether nine of ten changes are seen.
func run(packages []string) (enough bool, err error) {
	work, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(work)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt)

	b := &build{work: work, dropped: map[int]bool{}}
	if err := b.load(packages); err != nil {
		return false, err
	}
	if err := b.compile(append(packages, strings.Fields(*more)...)); err != nil {
		return false, err
	}
	tried, err := b.chosen()
	if err != nil {
		return false, err
	}
	if *list {
		for _, n := range tried {
			fmt.Println(b.changes[n-1])
		}
		return true, nil
	}
	tests, err := b.measure()
	if err != nil {
		return false, err
	}
	count := map[string]int{}
	for _, n := range tried {
		select {
		case <-stop:
			fmt.Println("interrupted")
			summary(packages, count, len(b.changes)-len(b.dropped), len(b.dropped))
			return false, nil
		default:
		}
		c := b.changes[n-1]
		fate, by := b.try(n, c, tests)
		count[fate]++
		fmt.Printf("%-8s %s: %s", fate, c, c.code)
		if by != "" {
			fmt.Printf("   [%s]", by)
		} else if len(c.reached) == 0 {
			fmt.Print("   [no test comes by]")
		}
		fmt.Println()
	}
	return summary(packages, count, len(b.changes)-len(b.dropped), len(b.dropped)), nil
}

// chosen are the numbers of the changes to try, in the order of the code.
func (b *build) chosen() ([]int, error) {
	want, err := regexp.Compile(*only)
	if err != nil {
		return nil, fmt.Errorf("-only: %w", err)
	}
	var all []int
	for i, c := range b.changes {
		if !b.dropped[i+1] && want.MatchString(c.String()) {
			all = append(all, i+1)
		}
	}
	if *sample > 0 && *sample < len(all) {
		rnd := rand.New(rand.NewPCG(*seed, 0))
		rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		all = all[:*sample]
		slices.Sort(all)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("wanted changes of %s, got none", strings.Join(flag.Args(), " "))
	}
	return all, nil
}

// summary reports whether nine of ten changes are seen. Of a sample it also prints in
// which interval the share of all is, with a confidence of 95 % (Wilson).
func summary(packages []string, count map[string]int, viable, dropped int) bool {
	seen := count["seen"] + count["time"]
	n := seen + count["SURVIVES"]
	fmt.Printf("\n%s: %d changes compile, %d do not; %d were tried: %d are seen by a failure, %d by the time that they take, %d survive",
		strings.Join(packages, " "), viable, dropped, n, count["seen"], count["time"], count["SURVIVES"])
	if n == 0 {
		fmt.Println()
		return false
	}
	share := float64(seen) / float64(n)
	fmt.Printf(": %.1f %% are seen", 100*share)
	if *sample > 0 && *only == "" && n < viable {
		const z = 1.96
		m := float64(n)
		middle := (share + z*z/(2*m)) / (1 + z*z/m)
		half := z / (1 + z*z/m) * math.Sqrt(share*(1-share)/m+z*z/(4*m*m))
		fmt.Printf("; of all, between %.0f and %.0f %%", 100*(middle-half), 100*(middle+half))
	}
	fmt.Println()
	return 10*seen >= 9*n
}
