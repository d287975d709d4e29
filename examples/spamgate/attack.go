package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
)

// attacked are mails of which a spammer sends changed copies: 60 to 1,000 words long, and no two
// of them alike.
const (
	shortestAttack, longestAttack = 60, 1000
	likeAttack                    = 30 // of 100 lanes agree in two mails that are alike
)

// measureAttacks prints how many changed copies of spam each method stops, if each mail was marked
// once, and how much legitimate mail; and the same for near-duplicates of whatever came before.
func measureAttacks(ctx context.Context, g *gate, o options, stdout io.Writer) error {
	mails, err := g.mailbox(o)
	if err != nil {
		return err
	}
	var spam, ham []string
	for _, d := range mails {
		if d.Label == "spam" {
			spam = append(spam, *d.Text)
		} else if d.Label == "ham" {
			ham = append(ham, *d.Text)
		}
	}
	if len(spam) == 0 || len(ham) == 0 {
		return fmt.Errorf(`attack: wanted documents with the labels "spam" and "ham", got %d and %d`, len(spam), len(ham))
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	rnd.Shuffle(len(spam), func(i, j int) { spam[i], spam[j] = spam[j], spam[i] })
	texts, marks := marked(spam, max(o.spam, 1200))
	attacking := min(o.spam, len(texts))
	if attacking == 0 {
		return fmt.Errorf("attack: wanted spam of %d to %d words, got none", shortestAttack, longestAttack)
	}
	methods := compared(g.policy.KnownRule)
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(stdout, "%d spam mails, each marked once, %d changed copies of each; share that is stopped\n\n", attacking, o.copies)
	fmt.Fprint(w, "\t")
	for _, m := range methods {
		fmt.Fprintf(w, "%s\t", m.name)
	}
	fmt.Fprintln(w)
	var words []string
	for i, text := range ham {
		if i%4 == 0 {
			words = append(words, strings.Fields(text)...)
		}
	}
	for _, a := range attacks() {
		if err := ctx.Err(); err != nil {
			return err
		}
		stopped := count(attacking, len(methods), func(i int, counts []int) {
			rnd := &attacker{rand.New(rand.NewPCG(2, uint64(i))), words}
			for range o.copies {
				mail := look(a.change(rnd, texts[i]))
				for k, m := range methods {
					if m.copy(&marks[i], &mail) {
						counts[k]++
					}
				}
			}
		})
		fmt.Fprintf(w, "%s\t", a.name)
		for _, n := range stopped {
			fmt.Fprintf(w, "%.3f\t", float64(n)/float64(attacking*o.copies))
		}
		fmt.Fprintln(w)
	}
	for _, many := range slices.Compact([]int{attacking, len(marks)}) {
		touched := count(len(ham), len(methods), func(i int, counts []int) {
			mail := look(ham[i])
			for k, m := range methods {
				if slices.ContainsFunc(marks[:many], func(mark view) bool { return m.copy(&mark, &mail) }) {
					counts[k]++
				}
			}
		})
		fmt.Fprintf(w, "of %d legitimate, by %d marks\t", len(ham), many)
		for _, n := range touched {
			fmt.Fprintf(w, "%d\t", n)
		}
		fmt.Fprintln(w)
	}
	return errors.Join(w.Flush(), frontier(ctx, mails, texts[:attacking], words, o.copies, stdout))
}

// marked returns the first texts that can be attacked, and what methods see of them.
func marked(spam []string, most int) (texts []string, marks []view) {
	for _, text := range spam {
		if n := len(strings.Fields(text)); n < shortestAttack || n > longestAttack {
			continue
		}
		v := look(text)
		alike := func(m view) bool { return v.sig.Lanes-sketch.Differ(m.sig.Sketch, v.sig.Sketch) >= likeAttack }
		if v.sig.Lanes == 0 || slices.ContainsFunc(marks, alike) {
			continue
		}
		if texts, marks = append(texts, text), append(marks, v); len(texts) == most {
			break
		}
	}
	return texts, marks
}

// count calls f for the numbers below n, on all processors, and adds up what it counts.
func count(n, kinds int, f func(i int, counts []int)) []int {
	sum := make([]int, kinds)
	var lock sync.Mutex
	var wait sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for worker := range workers {
		wait.Go(func() {
			own := make([]int, kinds)
			for i := worker; i < n; i += workers {
				f(i, own)
			}
			lock.Lock()
			defer lock.Unlock()
			for k := range own {
				sum[k] += own[k]
			}
		})
	}
	wait.Wait()
	return sum
}

// frontier prints, for near-duplicates of anything that came before, how much of the mail is
// stopped at several numbers of lanes, and how many copies of the attack by insertion.
func frontier(ctx context.Context, mails []document, texts, words []string, copies int, stdout io.Writer) error {
	fmt.Fprint(stdout, "\nNear-duplicates of any mail before, without marks\n\n")
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "lanes\tspam stopped\t\tlegitimate mail touched\t\tcopies with 5 % of words put in\t")
	sigs := make([]signature.Signature, len(mails))
	count(len(mails), 0, func(i int, _ []int) { sigs[i] = signature.Of(signature.DefaultParams(), []byte(*mails[i].Text)) })
	order := make([]int, len(mails))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(mails[a].Date.Compare(mails[b].Date), strings.Compare(mails[a].ID, mails[b].ID))
	})
	for _, lanes := range []int{95, 90, 85, 80, 70, 60, 50} {
		if err := ctx.Err(); err != nil {
			return err
		}
		rule := signature.Rule{Lanes: lanes}
		in, stopped, all := table.New(rule), map[string]int{}, map[string]int{}
		for _, i := range order {
			label := mails[i].Label
			if all[label]++; in.First(&sigs[i]) >= 0 {
				stopped[label]++
			} else {
				in.Add(&sigs[i])
			}
		}
		near := count(len(texts), 1, func(i int, counts []int) {
			rnd := &attacker{rand.New(rand.NewPCG(2, uint64(i))), words}
			before := table.New(rule)
			for range copies {
				sig := signature.Of(signature.DefaultParams(), []byte(rnd.insert(texts[i], 5)))
				if before.First(&sig) >= 0 {
					counts[0]++
				} else {
					before.Add(&sig)
				}
			}
		})
		share := func(label string) float64 { return 100 * float64(stopped[label]) / float64(max(1, all[label])) }
		fmt.Fprintf(w, "%d\t%d\t%.1f %%\t%d\t%.2f %%\t%.3f\t\n", lanes, stopped["spam"], share("spam"), stopped["ham"], share("ham"), float64(near[0])/float64(len(texts)*copies))
	}
	return w.Flush()
}
