package admission_test

import (
	"cmp"
	"crypto/md5"
	"flag"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/neardup/bleve-neardup/internal/neartest"
)

// mail is a message of a replay.
type mail struct {
	id, text string
	spam     bool
	sent     time.Time
}

// mailbox is mail in the order in which it was sent. It comes in batches, one in each
// time that is visit long.
type mailbox struct {
	mails []mail
	visit time.Duration
}

func (b mailbox) batches() iter.Seq[[]mail] {
	return func(yield func([]mail) bool) {
		for rest := b.mails; len(rest) > 0; {
			n := slices.IndexFunc(rest, func(m mail) bool { return m.sent.Truncate(b.visit) != rest[0].sent.Truncate(b.visit) })
			if n < 0 {
				n = len(rest)
			}
			if !yield(rest[:n]) {
				return
			}
			rest = rest[n:]
		}
	}
}

var allMail = flag.Bool("mail.all", false, "run TestReplay and TestLooseMarks, which take minutes")

// mails are the six mailboxes of Enron-Spam as one, in the order of the dates that are
// part of the file names. Most of the ham was sent before most of the spam.
func mails(t *testing.T) mailbox {
	var all []mail
	for _, d := range neartest.Docs(t, "enron-spam/docs.jsonl.gz") {
		name := strings.Split(d.ID[strings.LastIndexByte(d.ID, '/')+1:], ".")
		sent, err := time.Parse(time.DateOnly, name[1])
		if err != nil {
			t.Fatalf("%s: %v", d.ID, err)
		}
		all = append(all, mail{d.ID, d.Text, d.Fields["label"] == "spam", sent})
	}
	slices.SortStableFunc(all, func(a, b mail) int { return cmp.Or(a.sent.Compare(b.sent), strings.Compare(a.id, b.id)) })
	return mailbox{all, 24 * time.Hour}
}

// mixed is the same mail as if spam and ham had been sent in the same thousand days:
// each in its own order, evenly.
func mixed(t *testing.T) mailbox {
	all := mails(t).mails
	var count, seen [2]int
	kind := func(m mail) int {
		if m.spam {
			return 1
		}
		return 0
	}
	for _, m := range all {
		count[kind(m)]++
	}
	for i := range all {
		k := kind(all[i])
		share := float64(seen[k]) / float64(count[k])
		all[i].sent = time.Unix(0, 0).UTC().Add(time.Duration(share * 1000 * float64(24*time.Hour)))
		seen[k]++
	}
	slices.SortStableFunc(all, func(a, b mail) int { return a.sent.Compare(b.sent) })
	return mailbox{all, 24 * time.Hour}
}

// messages are the text messages of the SMS Spam Collection. They have no dates: they
// are taken as sent in the order of the file, one a minute, and an operator looks
// through them every ten minutes.
func messages(t *testing.T) mailbox {
	var all []mail
	for i, d := range neartest.Docs(t, "sms-spam/docs.jsonl.gz") {
		all = append(all, mail{d.ID, d.Text, d.Fields["label"] == "spam", time.Unix(int64(60*i), 0).UTC()})
	}
	return mailbox{all, 10 * time.Minute}
}

// md5Signature is Solr's MD5Signature: the hash of the text as it is.
func md5Signature(text string) [16]byte { return md5.Sum([]byte(text)) }

// textProfileSignature is Solr's (and Nutch's) TextProfileSignature with its defaults,
// a quantum of .01 and words of more than 2 letters: the hash of the words that come
// at least a quantum often, with how often they come, rounded down to quanta. Equally
// frequent words are in the order of a Java hash table there, and in alphabetical order
// here, so that equal profiles have equal hashes.
func textProfileSignature(text string) [16]byte {
	count, most := map[string]int{}, 0
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if word = strings.Map(unicode.ToLower, word); len([]rune(word)) > 2 {
			count[word]++
			most = max(most, count[word])
		}
	}
	quantum := int(math.Floor(float64(most)*.01 + .5))
	if quantum < 2 {
		quantum = min(2, max(1, most))
	}
	var profile []string
	for word, n := range count {
		if n = n / quantum * quantum; n > 0 {
			profile = append(profile, word+" "+strconv.Itoa(n))
			count[word] = n
		}
	}
	frequency := func(line string) int {
		word, _, _ := strings.Cut(line, " ")
		return count[word]
	}
	slices.SortFunc(profile, func(a, b string) int { return cmp.Or(frequency(b)-frequency(a), strings.Compare(a, b)) })
	return md5.Sum([]byte(strings.Join(profile, "\n")))
}
