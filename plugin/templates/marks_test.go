package templates_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/templates"
)

// wordy returns n random words, so many that two texts have no shingle in common.
func wordy(rnd *rand.Rand, n int) string {
	text := make([]byte, 0, 8*n)
	for range n {
		text = fmt.Appendf(text, "w%d ", rnd.IntN(1<<20))
	}
	return string(text)
}

// poisoned is an index in which a spammer has sent a part of the documents, his spam within another text each time.
func poisoned(t testing.TB, rnd *rand.Rand, spam string, documents, spams int) bleve.Index {
	x := newIndex(t, "")
	pages := map[string]page{}
	for i := range documents {
		text := wordy(rnd, 80)
		if i < spams {
			text = wordy(rnd, 20) + spam + wordy(rnd, 20)
		}
		pages[fmt.Sprintf("%04d", i)] = page{"", text}
	}
	write(t, x, pages)
	return x
}

// stopped returns how many of 100 copies of a text, with other words around each, a mark stops.
func stopped(t testing.TB, x bleve.Index, rnd *rand.Rand, text string) (n int) {
	t.Helper()
	b := x.NewBatch()
	for i := range 100 {
		if err := b.Index(fmt.Sprint("new", i), page{"", wordy(rnd, 5) + text + wordy(rnd, 5)}); err != nil {
			t.Fatal(err)
		}
	}
	verdicts, err := plugin.DryRun(context.Background(), x, b)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range verdicts {
		if v.Action == admission.Reject && v.Policy == admission.ByKnown && v.Mark == "spam" {
			n++
		}
	}
	return n
}

func mark(t testing.TB, x bleve.Index, name string, label admission.Label, text string) {
	t.Helper()
	if err := plugin.MarkText(context.Background(), x, name, label, text); err != nil {
		t.Fatal(err)
	}
}

// Spam that is left out of signatures as a template is stopped by the mark that was there before, and by one that is set
// afterwards. What was marked as wanted stays wanted.
func TestMarksBeforeTemplates(t *testing.T) {
	t.Parallel()
	ctx, rnd := context.Background(), rand.New(rand.NewPCG(28, 4))
	spam, news := wordy(rnd, 60), wordy(rnd, 60)
	x := poisoned(t, rnd, spam, 100, 12)
	found, err := templates.Learn(ctx, x, templates.Options{})
	if err != nil || len(found.Scopes) != 1 {
		t.Fatalf("wanted the spam to be a template, got %+v, %v", found, err)
	}
	if err := plugin.SetPolicy(ctx, x, &admission.Policy{Known: admission.Reject}); err != nil {
		t.Fatal(err)
	}
	mark(t, x, "spam", admission.Spam, spam)
	mark(t, x, "wanted", admission.Wanted, spam+news)
	if n := stopped(t, x, rnd, spam); n != 100 {
		t.Fatalf("without templates: wanted 100 copies to be stopped, got %d", n)
	}
	if err := templates.Use(ctx, x, found); err != nil {
		t.Fatal(err)
	}
	if n := stopped(t, x, rnd, spam); n != 100 {
		t.Errorf("marked before: wanted 100 copies to be stopped, got %d", n)
	}
	if err := plugin.Unmark(ctx, x, "spam"); err != nil {
		t.Fatal(err)
	}
	if n := stopped(t, x, rnd, spam); n != 0 {
		t.Errorf("unmarked: wanted no copy to be stopped, got %d", n)
	}
	mark(t, x, "spam", admission.Spam, spam)
	if n := stopped(t, x, rnd, spam); n != 100 {
		t.Errorf("marked afterwards: wanted 100 copies to be stopped, got %d", n)
	}
	b := x.NewBatch()
	if err := b.Index("new", page{"", spam + news}); err != nil {
		t.Fatal(err)
	}
	if v, err := plugin.DryRun(ctx, x, b); err != nil || v[0].Policy != admission.ByWanted {
		t.Errorf("wanted the text to be wanted, got %+v, %v", v, err)
	}
}
