package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// attack is a way in which a spammer changes each copy of a mail, so that copies are not
// recognised.
type attack struct {
	name   string
	change func(a *attacker, text string) string
}

// attacker changes mails. Everything it adds is taken from legitimate mail.
type attacker struct {
	*rand.Rand
	ham []string // words of legitimate mails, in their order
}

// attacks returns all that are measured, each at its strengths.
func attacks() []attack {
	var all []attack
	for _, percent := range []int{1, 2, 5, 10} {
		all = append(all, attack{fmt.Sprintf("words put in, %d %%", percent), func(a *attacker, text string) string { return a.insert(text, percent) }})
	}
	for _, percent := range []int{1, 2, 5} {
		all = append(all, attack{fmt.Sprintf("words for others, %d %%", percent), func(a *attacker, text string) string { return a.substitute(text, percent) }})
	}
	all = append(all,
		attack{"sentences shuffled", func(a *attacker, text string) string { return a.shuffle(sentences(text)) }},
		attack{"paragraphs shuffled", func(a *attacker, text string) string { return a.shuffle(paragraphs(text)) }},
		attack{"own header and footer", func(a *attacker, text string) string {
			return a.legitimate(10+a.IntN(11)) + "\n\n" + text + "\n\n" + a.legitimate(10+a.IntN(11))
		}})
	for _, percent := range []int{50, 100, 200} {
		all = append(all, attack{fmt.Sprintf("legitimate text appended, %d %%", percent), func(a *attacker, text string) string {
			return text + "\n\n" + a.legitimate(share(text, percent))
		}})
	}
	return all
}

// share is a share of the words of a text, at least one.
func share(text string, percent int) int {
	return max(1, (len(strings.Fields(text))*percent+50)/100)
}

// legitimate is n consecutive words of legitimate mail.
func (a *attacker) legitimate(n int) string {
	n = min(n, len(a.ham))
	from := a.IntN(len(a.ham) - n + 1)
	return strings.Join(a.ham[from:from+n], " ")
}

func (a *attacker) word() string { return a.ham[a.IntN(len(a.ham))] }

// insert puts words in, at random places.
func (a *attacker) insert(text string, percent int) string {
	words := strings.Fields(text)
	for range share(text, percent) {
		words = slices.Insert(words, a.IntN(len(words)+1), a.word())
	}
	return strings.Join(words, " ")
}

// substitute puts other words in the places of some.
func (a *attacker) substitute(text string, percent int) string {
	words := strings.Fields(text)
	for _, i := range a.Perm(len(words))[:share(text, percent)] {
		words[i] = a.word()
	}
	return strings.Join(words, " ")
}

func (a *attacker) shuffle(parts []string) string {
	a.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	return strings.Join(parts, "\n\n")
}

// sentences splits a text after each word that ends a sentence.
func sentences(text string) (all []string) {
	var words []string
	for _, word := range strings.Fields(text) {
		words = append(words, word)
		if strings.ContainsAny(word[len(word)-1:], ".!?") {
			all, words = append(all, strings.Join(words, " ")), nil
		}
	}
	if words != nil {
		all = append(all, strings.Join(words, " "))
	}
	return all
}

// paragraphs splits a text at its empty lines. A text without any has a paragraph for every
// three sentences.
func paragraphs(text string) (all []string) {
	var lines []string
	for line := range strings.Lines(text + "\n\n") {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		} else if lines != nil {
			all, lines = append(all, strings.Join(lines, "\n")), nil
		}
	}
	if len(all) > 1 {
		return all
	}
	all = nil
	for three := range slices.Chunk(sentences(text), 3) {
		all = append(all, strings.Join(three, " "))
	}
	return all
}
