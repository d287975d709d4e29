package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// The mailbox that comes with the example is made up, and always the same: two weeks
// of an office's mail. Five campaigns are sent in three waves, each copy with another
// name, amount and reference; the third wave begins otherwise. The ham has what is
// hard to tell from that: letters that are alike in form, invoices from one template,
// a weekly newsletter, and the answers of somebody who is away.

// pitch has the sentences of campaigns, with places for what differs from copy to
// copy: N a name, A an amount, R a reference.
var pitch = []string{
	"Dear N, we are pleased to tell you that your address was drawn in this month's promotion.",
	"You have been chosen among thousands of customers to receive A in cash, free of any charge.",
	"This offer is open for a few days only, so please do not leave this message unread.",
	"Our agents stand by around the clock to help you with every step of the transfer.",
	"To release the funds we need no more than a small fee for handling and insurance.",
	"Thousands of happy people have already doubled what they earn by working from home.",
	"No experience is needed, no contract, and you may stop whenever you like.",
	"The pills come from a licensed pharmacy and reach you in a plain envelope within days.",
	"Doctors are amazed at how fast the pounds melt away without hunger and without sport.",
	"Shares of this small company are expected to triple as soon as the news gets out.",
	"Insiders have been buying quietly for weeks, and the price has only begun to move.",
	"Your account will be closed unless you confirm your password on the page below.",
	"For your safety we have limited what you can do until the form has been filled in.",
	"Genuine watches of all great brands, at a tenth of what the shops on the high street ask.",
	"Every piece is delivered in its box, with papers, and nobody will notice a difference.",
	"Lower your monthly payments today, whatever your credit history may look like.",
	"Banks compete for you, and the best rate is yours without any obligation at all.",
	"I am the son of a late minister and have to move a large sum out of my country.",
	"I ask for your trust and for complete silence in this matter, which is without any risk.",
	"You will keep a third of the whole for your kind help, the rest will be invested.",
	"Write to us this very day and quote your number R so that we can find your file.",
	"If you do not wish to hear from us again, send an empty message with the word remove.",
	"Tell your friends and family, for there is a bonus for everyone whom you bring along.",
	"Remember that those who wait will look on while others take what could be theirs.",
}

// talk is what ham is made of: subjects, what is said of them, and times.
var talk = [3][]string{
	{
		"the budget", "the lift in the west wing", "our contract with the printer", "the new intern", "the server room", "the survey", "the trade fair",
		"the kitchen", "the archive", "your draft", "the annual report", "the parking permits", "the translation", "the meeting with the auditors", "the roof",
		"the database", "the travel expenses", "the training", "the timetable", "the phone system",
	},
	{
		"has to wait until we hear from the landlord", "looks better than I had feared", "needs one more signature", "was moved to the second floor",
		"came up in the meeting, and nobody objected", "is on my desk, so come by when you have a minute", "costs more than we had set aside",
		"will be ready before the holidays", "should go to Maria first", "makes me wonder whether we asked the right people", "was a pleasure to read",
		"still has a mistake on page four", "cannot be done by two people alone", "is settled, thank goodness", "reminds me of what we tried last spring",
		"goes to the committee as it is", "works again after somebody pulled the plug and put it back", "is what I wanted to talk about",
	},
	{"today", "on Monday", "tomorrow morning", "at noon", "later this week", "after lunch", "next month", "on Friday", "by the end of the quarter", "as agreed"},
}

var names = []string{"Anna", "Boris", "Chiara", "Dev", "Edith", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Katya", "Luis", "Mei", "Noor", "Olga", "Pavel"}

const (
	newsletter = `Your weekly news from the canteen. On Monday there is soup and bread, on Tuesday pasta with tomatoes, on Wednesday rice with
vegetables, on Thursday fish with potatoes, and on Friday what the cook likes best. Please bring your own cup, for we want to save paper; trays go to
the rack beside the door. The canteen is open from half past eleven until two. Cards can be loaded at the desk on the ground floor, in cash or by bank card.
Guests pay the full price. If you cannot eat nuts, milk or wheat, ask at the counter, where a list hangs for every dish. This is week %d.`
	away = `Thank you for your message. I am out of the office this week and read no mail. In urgent matters please turn to my colleague Greta
on extension 214, who knows all about the current work. I shall answer when I am back on Monday.`
	invoice = `Please find attached our invoice %d for the cleaning of your offices. The amount of %d euros is due within fourteen days of receipt, without
deduction. Kindly transfer it to the account below and give the number of the invoice. If anything is unclear, our office will be glad to help you on weekdays
between nine and five. We thank you for your trust and remain at your service. The goods stay our property until they are paid for in full.`
)

// mailer makes the mailbox.
type mailer struct {
	rnd   *rand.Rand
	start time.Time
	all   []document
}

func (m *mailer) send(label, id, text string, at time.Duration) {
	m.all = append(m.all, document{ID: id, Text: &text, Date: m.start.Add(at), Label: label})
}

func (m *mailer) pick(from []string) string { return from[m.rnd.IntN(len(from))] }

// sample returns the mailbox, by date.
func sample() []document {
	m := &mailer{rnd: rand.New(rand.NewPCG(2026, 3)), start: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)}
	const day, days = 24 * time.Hour, 14
	for n := range 180 {
		m.send("ham", fmt.Sprintf("letter-%03d", n), m.letter(), time.Duration(n%days)*day+time.Duration(8*60+m.rnd.IntN(600))*time.Minute)
	}
	for week := range 2 {
		m.send("ham", fmt.Sprintf("canteen-%d", week), fmt.Sprintf(newsletter, 10+week), time.Duration(week)*7*day+7*time.Hour)
	}
	for n := range 6 {
		m.send("ham", fmt.Sprintf("away-%d", n), away, 9*day+time.Duration(9*60+n*50)*time.Minute)
		m.send("ham", fmt.Sprintf("invoice-%d", n), fmt.Sprintf(invoice, 4711+n, 180+m.rnd.IntN(40)), time.Duration(2*n+1)*day+15*time.Hour)
	}
	for c := range 5 {
		lines := slices.Clone(pitch)
		m.rnd.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		lines = lines[:16]
		for n := range 24 {
			if n == 16 { // the third wave begins otherwise
				lines[0], lines[1], lines[2] = m.pick(pitch), m.pick(pitch), m.pick(pitch)
			}
			wave := time.Duration(c+n/8*4)*day + time.Duration(60+n%8*7+m.rnd.IntN(5))*time.Minute
			m.send("spam", fmt.Sprintf("campaign-%d-%02d", c, n), m.fill(lines), wave)
		}
	}
	slices.SortStableFunc(m.all, func(a, b document) int { return cmp.Or(a.Date.Compare(b.Date), strings.Compare(a.ID, b.ID)) })
	return m.all
}

// letter is a letter of ham.
func (m *mailer) letter() string {
	lines := []string{"Hello " + m.pick(names) + ","}
	for range 4 + m.rnd.IntN(8) {
		line := m.pick(talk[0]) + " " + m.pick(talk[1]) + " " + m.pick(talk[2]) + "."
		lines = append(lines, strings.ToUpper(line[:1])+line[1:])
	}
	return strings.Join(append(lines, "Best, "+m.pick(names)), "\n")
}

// fill is one copy of a campaign.
func (m *mailer) fill(lines []string) string {
	values := map[string]string{"N,": m.pick(names) + ",", "A": fmt.Sprintf("%d000 dollars", 1+m.rnd.IntN(90)), "R": fmt.Sprintf("%06d", m.rnd.IntN(1e6))}
	words := strings.Fields(strings.Join(lines, " "))
	for i, w := range words {
		if v, ok := values[w]; ok {
			words[i] = v
		}
	}
	return strings.Join(words, " ")
}
