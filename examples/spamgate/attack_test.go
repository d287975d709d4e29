package main

import (
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/skeleton"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

var allAttacks = flag.Bool("attack.all", false, "TestAttack changes 200 mails of NEARDUP_DATA, 50 times each, and asks 1,200 marks about all legitimate mail")

// attacks are the ways in which a spammer changes each copy of a mail, so that copies are not recognised. All
// that is added are words of legitimate mails, in their order.
var attacks = []struct {
	name   string
	change func(rnd *rand.Rand, words, ham []string) []string
}{
	{"1 % of words put in", putIn(1)},
	{"10 % of words put in", putIn(10)},
	{"other words for 5 %", func(rnd *rand.Rand, words, ham []string) []string {
		words = slices.Clone(words)
		for _, i := range rnd.Perm(len(words))[:share(words, 5)] {
			words[i] = ham[rnd.IntN(len(ham))]
		}
		return words
	}},
	{"sentences shuffled", func(rnd *rand.Rand, words, _ []string) []string {
		var all [][]string
		from := 0
		for i, w := range words {
			if strings.ContainsAny(w[len(w)-1:], ".!?") || i == len(words)-1 {
				all, from = append(all, words[from:i+1]), i+1
			}
		}
		rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		return slices.Concat(all...)
	}},
	{"30 % of long words in single letters", func(rnd *rand.Rand, words, _ []string) []string {
		words = slices.Clone(words)
		var long []int // where words of four letters and more are
		for i, w := range words {
			if len(w) >= 4 {
				long = append(long, i)
			}
		}
		for _, i := range rnd.Perm(len(long))[:(3*len(long)+9)/10] {
			words[long[i]] = strings.Join(strings.Split(words[long[i]], ""), " ")
		}
		return words
	}},
	{"200 % of legitimate text appended", appended(200)},
	{"1,000 % of legitimate text appended", appended(1000)},
	{"30 % of words put in", putIn(30)},
	{"every fourth word another", func(rnd *rand.Rand, words, ham []string) []string {
		words = slices.Clone(words)
		for i := rnd.IntN(4); i < len(words); i += 4 {
			words[i] = ham[rnd.IntN(len(ham))]
		}
		return words
	}},
}

// getThrough are the attacks from which on marks stop few.
const getThrough = "1,000 % of legitimate text appended"

func appended(percent int) func(rnd *rand.Rand, words, ham []string) []string {
	return func(rnd *rand.Rand, words, ham []string) []string {
		n := min(share(words, percent), len(ham))
		from := rnd.IntN(len(ham) - n + 1)
		return slices.Concat(words, ham[from:from+n])
	}
}

func putIn(percent int) func(rnd *rand.Rand, words, ham []string) []string {
	return func(rnd *rand.Rand, words, ham []string) []string {
		words = slices.Clone(words)
		for range share(words, percent) {
			words = slices.Insert(words, rnd.IntN(len(words)+1), ham[rnd.IntN(len(ham))])
		}
		return words
	}
}

// share is a share of the words, at least one.
func share(words []string, percent int) int { return max(1, (len(words)*percent+50)/100) }

// look signs what the char filter neardup_skeleton makes of a mail.
func look(words []string) signature.Signature {
	return signature.Of(signature.DefaultParams(), skeleton.Text(nil, []byte(strings.Join(words, " "))))
}

// What is like a mark stops changed copies of spam, each mail marked once, and no legitimate mail, on the mail that
// comes with the example or on all of a data set. Near-duplicates of the mark are few of them.
func TestAttack(t *testing.T) {
	t.Parallel()
	mails, copies, attacking, most := sample(), 5, 20, 1200
	if *allAttacks {
		mails, copies, attacking = nil, 50, 200
		for _, d := range neartest.Docs(t, "enron-spam/docs.jsonl.gz") {
			label, _ := d.Fields["label"].(string)
			mails = append(mails, document{Text: &d.Text, Label: label})
		}
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	rnd.Shuffle(len(mails), func(i, j int) { mails[i], mails[j] = mails[j], mails[i] })
	var spam, ham [][]string
	var marks []signature.Signature
	for _, d := range mails {
		words := strings.Fields(*d.Text)
		if d.Label == "ham" {
			ham = append(ham, words)
			continue
		}
		mark := look(words)
		alike := func(m signature.Signature) bool { return mark.Lanes-sketch.Differ(m.Sketch, mark.Sketch) >= 30 }
		if d.Label == "spam" && len(words) >= 60 && len(words) <= 1000 && len(marks) < most && mark.Lanes > 0 && !slices.ContainsFunc(marks, alike) {
			spam, marks = append(spam, words), append(marks, mark)
		}
	}
	added := slices.Concat(ham[:len(ham)/4]...)
	known := func(a, b *signature.Signature) bool {
		_, ok := admission.KnownRule{}.Like(signature.Rule{}, admission.Spam, a, b)
		return ok
	}
	n, through := min(attacking, len(spam)), false
	for _, a := range attacks {
		through = through || a.name == getThrough
		var near, like int
		for i, words := range spam[:n] {
			rnd := rand.New(rand.NewPCG(2, uint64(i)))
			for range copies {
				changed := a.change(rnd, words, added)
				if slices.Equal(changed, words) && a.name != "sentences shuffled" {
					t.Fatalf("%s changes nothing", a.name)
				}
				mail := look(changed)
				near += btoi((signature.Rule{}).Duplicates(&marks[i], &mail))
				like += btoi(known(&marks[i], &mail))
			}
		}
		all := float64(n * copies)
		t.Logf("%-35s near-duplicate of the mark %.3f, known %.3f", a.name, float64(near)/all, float64(like)/all)
		if !through && float64(like) < .97*all || strings.HasPrefix(a.name, "10 %") && float64(near) > all/2 {
			t.Errorf("%s: of %v copies %d are near-duplicates of their mark and %d like it, want few and nearly all", a.name, all, near, like)
		}
	}
	touched := 0
	for _, words := range ham {
		mail := look(words)
		touched += btoi(slices.ContainsFunc(marks, func(m signature.Signature) bool { return known(&m, &mail) }))
	}
	t.Logf("of %d legitimate mails %d are like one of %d marks", len(ham), touched, len(marks))
	if touched > 0 {
		t.Errorf("%d legitimate mails are like a mark", touched)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
