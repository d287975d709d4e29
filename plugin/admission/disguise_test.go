package admission_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/neardup/bleve-neardup/analysis/char"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// inWord returns a disguise that puts one of some runes after the first letter of
// every other word.
func inWord(runes string) func(*rand.Rand, string) string {
	all := []rune(runes)
	return func(rnd *rand.Rand, text string) string {
		words := strings.Split(text, " ")
		for i, w := range words {
			if _, n := utf8.DecodeRuneInString(w); len(w) > n && rnd.IntN(2) == 0 {
				words[i] = w[:n] + string(all[rnd.IntN(len(all))]) + w[n:]
			}
		}
		return strings.Join(words, " ")
	}
}

// instead returns a disguise that puts look-alikes in the place of every other of the
// letters that it has some for.
func instead(like map[rune]string) func(*rand.Rand, string) string {
	return func(rnd *rand.Rand, text string) string {
		return strings.Map(func(r rune) rune {
			if all := []rune(like[r]); len(all) > 0 && rnd.IntN(2) == 0 {
				return all[rnd.IntN(len(all))]
			}
			return r
		}, text)
	}
}

// shifted has the letters a to z as others that stand in the same order.
func shifted(first ...rune) map[rune]string {
	m := map[rune]string{}
	for i := range rune(26) {
		for _, f := range first {
			m['a'+i] += string(f + i)
		}
	}
	return m
}

var disguises = []struct {
	name string
	do   func(*rand.Rand, string) string
}{
	{"none", func(_ *rand.Rand, text string) string { return text }},
	{"Cyrillic and Greek look-alikes", instead(map[rune]string{'a': "аα", 'c': "сϲ", 'e': "е", 'i': "іι", 'o': "оο", 'p': "рρ", 'x': "хχ", 'y': "уγ"})},
	{"full-width letters", instead(shifted('ａ'))},
	{"mathematical letters", instead(shifted('𝐚', '𝒂', '𝗮', '𝚊'))},
	{"zero-width spaces and joiners in words", inWord("\u200b\u200c\u200d\u2060\ufeff")},
	{"variation selectors and fillers in words", inWord("\ufe00\ufe0f\u034f\u3164\u115f")},
	{"marks on letters", inWord("\u0300\u0301\u0308\u0336\u0323")},
	{"digits for letters", instead(map[rune]string{'o': "0", 'i': "1", 'l': "1", 'e': "3"})},
}

// TestDisguised prints, with -v, how much spam is stopped if every spammer disguises
// each copy anew, with the filter neardup_skeleton and without it. Ham is as it was.
//
//	NEARDUP_DATA=DIRECTORY go test -v -run Disguised ./plugin/admission
func TestDisguised(t *testing.T) {
	if testing.Short() {
		t.Skip("it replays mails one after the other; runs without -short")
	}
	for name, open := range map[string]func(*testing.T) mailbox{"mail mixed": mixed, "text messages": messages} {
		t.Run(name, func(t *testing.T) {
			some := disguises
			if !whole() {
				if some = disguises[:2]; name == "mail mixed" {
					t.Skip("it takes long; -v runs it")
				}
			}
			box := open(t)
			var table strings.Builder
			w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
			fmt.Fprint(w, "\tplain stops\twith the skeleton\tham touched\t\t\n")
			var bare outcome
			for _, d := range some {
				rnd := rand.New(rand.NewPCG(16, 17))
				own := mailbox{visit: box.visit}
				for _, m := range box.mails {
					if m.spam {
						m.text = d.do(rnd, m.text)
					}
					own.mails = append(own.mails, m)
				}
				reject := admission.Policy{Near: admission.Reject}
				plain := replay(t, own, method{"plain", false, stops(t, reject)})
				folded := replay(t, own, method{"skeleton", false, stops(t, reject, char.Skeleton)})
				share := func(o outcome) float64 { return 100 * float64(o.spamStopped) / float64(o.spam) }
				fmt.Fprintf(w, "%s\t%.1f %%\t%.1f %%\t%d\t%d\t\n", d.name, share(plain), share(folded), plain.hamTouched, folded.hamTouched)
				switch {
				case d.name == "none":
					if bare = folded; plain.spamStopped > bare.spamStopped || bare.spamStopped > plain.spamStopped+plain.spamStopped/100 {
						t.Errorf("of undisguised spam, %d are stopped and with the skeleton %d", plain.spamStopped, folded.spamStopped)
					}
				case d.name == "digits for letters": // it is no help there
				case folded.spamStopped != bare.spamStopped || folded.hamTouched != bare.hamTouched:
					t.Errorf("%s: %d spam stopped and %d ham touched, undisguised %d and %d",
						d.name, folded.spamStopped, folded.hamTouched, bare.spamStopped, bare.hamTouched)
				}
			}
			w.Flush()
			t.Logf("%s\n%s", name, &table)
		})
	}
}
