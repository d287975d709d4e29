package admission_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// method is a way to tell which mails of a mailbox are not let in, and of which
// earlier mail each is a copy.
type method struct {
	name   string
	visits bool // of an operator: batches are those of the mailbox
	// stop returns, for each mail of a batch, the earlier mail that it is a copy of,
	// nil if the mail is let in.
	stop func(t *testing.T, batch []mail) []*mail
}

// methods are those of the table.
func methods(t *testing.T) []method {
	const day = 24 * time.Hour
	return []method{
		{"MD5Signature", false, hashed(md5Signature)},
		{"TextProfileSignature", false, hashed(textProfileSignature)},
		{"near: reject", false, stops(t, admission.Policy{Near: admission.Reject})},
		{"flood: 3 in a day", false, stops(t, admission.Policy{Time: "sent", Floods: []admission.Flood{{Copies: 3, Window: day}}})},
		{"flood: 3 in 30 days", false, stops(t, admission.Policy{Time: "sent", Floods: []admission.Flood{{Copies: 3, Window: 30 * day}}})},
		{"known: reject", true, stops(t, admission.Policy{Known: admission.Reject})},
		{"known, near-duplicates alone", true, stops(t, admission.Policy{Known: admission.Reject, KnownRule: admission.KnownRule{Lanes: -1, Contains: -1}})},
	}
}

// hashed stops what has the hash of an earlier mail.
func hashed(hash func(text string) [16]byte) func(*testing.T, []mail) []*mail {
	first := map[[16]byte]*mail{}
	return func(_ *testing.T, batch []mail) []*mail {
		of := make([]*mail, len(batch))
		for i := range batch {
			h := hash(batch[i].text)
			if of[i] = first[h]; of[i] == nil {
				first[h] = &batch[i]
			}
		}
		return of
	}
}

// stops is a method that stops what an index under that policy rejects. Where the policy knows marks,
// an operator looks through what got in after each batch, and marks all that is spam.
func stops(t *testing.T, policy admission.Policy, charFilters ...any) func(*testing.T, []mail) []*mail {
	x := newMailIndex(t, charFilters...)
	setPolicy(t, x, policy)
	var all []*mail
	return func(t *testing.T, batch []mail) []*mail {
		t.Helper()
		b := x.NewBatch()
		for i := range batch {
			// A batch is judged in the order of the ids.
			data := map[string]any{"body": batch[i].text, "sent": batch[i].sent.Format(time.RFC3339)}
			if err := b.Index(fmt.Sprintf("%06d", len(all)), data); err != nil {
				t.Fatal(err)
			}
			all = append(all, &batch[i])
		}
		verdicts, err := plugin.SubmitBatch(context.Background(), x, b)
		if err != nil {
			t.Fatal(err)
		}
		of, marks := make([]*mail, len(batch)), []admission.Mark(nil)
		for i, v := range verdicts {
			switch {
			case v.Action == admission.Reject:
				n, err := strconv.Atoi(v.Of + v.Mark)
				if err != nil {
					t.Fatal(err)
				}
				of[i] = all[n]
			case policy.Known != "" && batch[i].spam && strings.TrimSpace(batch[i].text) != "":
				sig, err := plugin.Sign(x, plugin.Field, batch[i].text)
				if err != nil {
					t.Fatal(err)
				}
				marks = append(marks, admission.Mark{Name: v.ID, Label: admission.Spam, Signature: sig})
			}
		}
		touched, err := typed(x).Touches(context.Background(), marks...)
		if err != nil {
			t.Fatal(err)
		}
		for i := range marks {
			marks[i].Strict = len(touched[i]) > 0
		}
		if err := typed(x).SetMark(context.Background(), marks...); err != nil {
			t.Fatal(err)
		}
		return of
	}
}

// newMailIndex makes an index that keeps of a mail what a Gate needs, after char filters.
func newMailIndex(t *testing.T, charFilters ...any) bleve.Index {
	m := bleve.NewIndexMapping()
	if err := m.AddCustomAnalyzer("mail", map[string]any{"type": neardup.Name, "char_filters": charFilters}); err != nil {
		t.Fatal(err)
	}
	m.DefaultMapping.Dynamic = false
	body := bleve.NewDocumentMapping()
	body.AddFieldMapping(plugin.FieldMapping("mail"))
	m.DefaultMapping.AddSubDocumentMapping("body", body)
	m.DefaultMapping.AddFieldMappingsAt("sent", bleve.NewDateTimeFieldMapping())
	x, err := plugin.New("", m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// outcome is what a method makes of a mailbox.
type outcome struct {
	method                  string
	spam, ham               int // all
	spamStopped, hamTouched int
	unlike                  int                // of those stopped, what has less than half in common with its head
	forSpam                 int                // of hamTouched, what was taken for a copy of spam
	touched                 map[*mail][]string // the ids, by what they were taken for copies of
	took                    time.Duration
}

func replay(t *testing.T, box mailbox, m method) outcome {
	o := outcome{method: m.name, touched: map[*mail][]string{}}
	start := time.Now()
	batches := slices.Chunk(box.mails, 1000)
	if m.visits {
		batches = box.batches()
	}
	for batch := range batches {
		for i, of := range m.stop(t, batch) {
			if of != nil && unlike(batch[i].text, of.text) {
				o.unlike++
			}
			switch spam := batch[i].spam; {
			case spam && of != nil:
				o.spam, o.spamStopped = o.spam+1, o.spamStopped+1
			case spam:
				o.spam++
			case of != nil:
				o.ham, o.hamTouched = o.ham+1, o.hamTouched+1
				o.touched[of] = append(o.touched[of], batch[i].id)
				if of.spam {
					o.forSpam++
				}
			default:
				o.ham++
			}
		}
	}
	o.took = time.Since(start)
	return o
}

// unlike reports whether two texts have a resemblance below .5, by the words that an
// oracle finds in them.
func unlike(a, b string) bool {
	set := func(text string) map[string]struct{} {
		words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		return neartest.Shingles(words, min(4, max(1, len(words))))
	}
	sa, sb := set(a), set(b)
	return len(sa)+len(sb) > 0 && neartest.Resemblance(sa, sb) < .5
}

func (o outcome) row() string {
	return fmt.Sprintf("%s\t%d\t%.1f %%\t%d\t%.2f %%\t%d\t%d\t%.1f s\t\n", o.method, o.spamStopped, 100*float64(o.spamStopped)/float64(o.spam),
		o.hamTouched, 100*float64(o.hamTouched)/float64(o.ham), o.forSpam, o.unlike, o.took.Seconds())
}

// why lists the ham that was touched, by what it was taken for a copy of; those of
// most copies alone if all is false.
func (o outcome) why(all bool) string {
	heads := slices.SortedFunc(maps.Keys(o.touched), func(a, b *mail) int {
		return cmp.Or(len(o.touched[b])-len(o.touched[a]), strings.Compare(a.id, b.id))
	})
	var s strings.Builder
	fmt.Fprintf(&s, "%s: ham taken for copies of %d mails\n", o.method, len(heads))
	for i, m := range heads {
		if i == 8 && !all {
			break
		}
		fmt.Fprintf(&s, "%4d copies of %s %.70q: %s\n", len(o.touched[m]), m.id, m.text, strings.Join(o.touched[m], " "))
	}
	return s.String()
}

// TestReplay prints, with -v, how much spam each policy stops and how much ham it
// touches, on mail in the order in which it was sent, beside Solr's two signatures:
//
//	go test -v -run Replay ./plugin/admission -mail.all
func TestReplay(t *testing.T) {
	if !*allMail {
		t.Skip("it replays mails one after the other: needs -mail.all")
	}
	for name, open := range map[string]func(*testing.T) mailbox{"mail by date": mails, "mail mixed": mixed, "text messages": messages} {
		t.Run(name, func(t *testing.T) {
			box := open(t)
			var table, why strings.Builder
			w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
			fmt.Fprint(w, "\tspam stopped\t\tham touched\t\tof this for spam\tunlike\ttook\t\n")
			results := map[string]outcome{}
			for _, m := range methods(t) {
				o := replay(t, box, m)
				results[m.name] = o
				fmt.Fprint(w, o.row())
				why.WriteString(o.why(!strings.Contains(m.name, "Signature")))
			}
			w.Flush()
			t.Logf("%s\n%s: %d spam, %d ham\n%s", &why, name, results["near: reject"].spam, results["near: reject"].ham, &table)
			expect(t, results)
		})
	}
}

// expect holds what the documentation says of the replays.
func expect(t *testing.T, results map[string]outcome) {
	md5, profile := results["MD5Signature"], results["TextProfileSignature"]
	near, known, strict := results["near: reject"], results["known: reject"], results["known, near-duplicates alone"]
	if near.spamStopped <= md5.spamStopped {
		t.Errorf("near stops %d of the spam, and MD5 %d", near.spamStopped, md5.spamStopped)
	}
	if near.forSpam > 0 || near.hamTouched >= profile.hamTouched {
		t.Errorf("near touches %d ham, %d of it for spam, and text profiles %d", near.hamTouched, near.forSpam, profile.hamTouched)
	}
	if near.unlike > 0 || profile.unlike == 0 {
		t.Errorf("near takes %d mails for copies of what has not half in common with them, text profiles %d", near.unlike, profile.unlike)
	}
	if strict.hamTouched > 0 || strict.spamStopped == 0 || strict.spamStopped > near.spamStopped {
		t.Errorf("near-duplicates of what is known: %d ham, %d spam; near %d", strict.hamTouched, strict.spamStopped, near.spamStopped)
	}
	if known.hamTouched*1000 > known.ham || 10*known.spamStopped < 13*strict.spamStopped {
		t.Errorf("known touches %d of %d ham, stops %d of the spam; near-duplicates alone %d", known.hamTouched, known.ham, known.spamStopped, strict.spamStopped)
	}
	for _, name := range []string{"flood: 3 in a day", "flood: 3 in 30 days"} {
		if o := results[name]; o.hamTouched > near.hamTouched || o.spamStopped > near.spamStopped {
			t.Errorf("%s: stops %d of the spam, touches %d ham: more than near", name, o.spamStopped, o.hamTouched)
		}
	}
}

// Marks of the spam that half of the people got touch hardly any mail of the other half, of whom the index has none.
func TestUnseenPeople(t *testing.T) {
	if !*allMail {
		t.Skip("it takes long; -mail.all runs it")
	}
	box := mixed(t)
	var unseen []mail
	box.mails = slices.DeleteFunc(box.mails, func(m mail) bool {
		other := m.id[len("enron")]%2 == 0
		if other && !m.spam {
			unseen = append(unseen, m)
		}
		return other
	})
	stop := stops(t, admission.Policy{Known: admission.Reject})
	for batch := range box.batches() {
		stop(t, batch)
	}
	touched := 0
	for _, of := range stop(t, unseen) {
		if of != nil {
			touched++
		}
	}
	t.Logf("%d of %d legitimate mails of others are touched", touched, len(unseen))
	if 5000*touched > len(unseen) {
		t.Errorf("%d of %d legitimate mails of others are touched", touched, len(unseen))
	}
}

// Short mails of a list have its footer, and one of them is spam and marked: no other is stopped.
func TestListFooter(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads all mail")
	}
	t.Parallel()
	const footer = " to leave this list or to change how you get its mails visit the page of the list and log in" +
		" with the address to which this mail was sent thank you the owners"
	all := mails(t).mails
	for _, spam := range []int{10, 250} {
		var list []mail
		for _, m := range all {
			if words := strings.Fields(m.text); len(words) >= 25 && len(list) < 500 && m.spam == (len(list) == spam) {
				list = append(list, mail{fmt.Sprint(len(list)), strings.Join(words[:25], " ") + footer, m.spam, m.sent})
			}
		}
		if len(list) < 300 {
			t.Fatalf("only %d mails", len(list))
		}
		stop := stops(t, admission.Policy{Known: admission.Reject})
		for batch := range slices.Chunk(list, spam+1) {
			for i, of := range stop(t, batch) {
				if of != nil && !batch[i].spam {
					t.Errorf("spam at %d: mail %s is stopped", spam, batch[i].id)
				}
			}
		}
	}
}
