package main

import (
	"context"
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
)

// attacked are mails of which a spammer sends changed copies: 60 to 1,000 words long, and no two
// of them alike.
const (
	shortestAttack, longestAttack = 60, 1000
	likeAttack                    = 30 // of 100 lanes agree in two mails that are alike
)

// measureAttacks prints how many changed copies of spam each method stops, if each mail was marked
// once, and how much legitimate mail.
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
				if slices.ContainsFunc(marks[:many], func(mark signature.Signature) bool { return m.copy(&mark, &mail) }) {
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
	return w.Flush()
}

// marked returns the first texts that can be attacked, and what methods see of them.
func marked(spam []string, most int) (texts []string, marks []signature.Signature) {
	for _, text := range spam {
		if n := len(strings.Fields(text)); n < shortestAttack || n > longestAttack {
			continue
		}
		v := look(text)
		alike := func(m signature.Signature) bool { return v.Lanes-sketch.Differ(m.Sketch, v.Sketch) >= likeAttack }
		if v.Lanes == 0 || slices.ContainsFunc(marks, alike) {
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
