package templates_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/indextype"
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
		if v.Action == admission.Reject && v.Policy == "known" && v.Mark == "spam" {
			n++
		}
	}
	return n
}

func mark(t testing.TB, x bleve.Index, name string, label admission.Label, text string) {
	t.Helper()
	sig, err := plugin.Sign(x, plugin.Field, text)
	if err == nil { // also if it is like documents that were accepted
		err = typed(x).SetMark(context.Background(), admission.Mark{Name: name, Label: label, Signature: sig})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Spam that is left out of signatures as a template is stopped by the mark that was there before, and by one that is
// set afterwards. What was marked as wanted stays wanted.
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
	if _, err := templates.Use(ctx, x, found); err != nil {
		t.Fatal(err)
	}
	if n := stopped(t, x, rnd, spam); n != 100 {
		t.Errorf("marked before: wanted 100 copies to be stopped, got %d", n)
	}
	if err := typed(x).Unmark(ctx, "spam"); err != nil {
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
	if v, err := plugin.DryRun(ctx, x, b); err != nil || v[0].Policy != "wanted" {
		t.Errorf("wanted the text to be wanted, got %+v, %v", v, err)
	}
}

// What a text has that is marked as spam is not learned, whole or in parts, and what is of another text is. A template
// that was learned before the mark is warned of, and a passage can be taken out of it.
func TestMarkedNotLearned(t *testing.T) {
	t.Parallel()
	ctx, rnd := context.Background(), rand.New(rand.NewPCG(7, 5))
	one, two, footer := wordy(rnd, 60), wordy(rnd, 20), wordy(rnd, 30)
	spam := one + two
	x := newIndex(t, "")
	for i := range 200 {
		text := wordy(rnd, 60)
		switch {
		case i < 25: // a piece of the spam, beside what all share: Learn meets it first
			text += two
		case i < 50:
			text += one + wordy(rnd, 20)
		}
		if err := x.Index(fmt.Sprintf("%04d", i), page{"", text + footer}); err != nil {
			t.Fatal(err)
		}
	}
	learn := func() *templates.Templates {
		t.Helper()
		found, err := templates.Learn(ctx, x, templates.Options{})
		if err != nil || len(found.Scopes) != 1 {
			t.Fatalf("wanted one template, got %+v, %v", found, err)
		}
		return found
	}
	a, err := neardup.Of(x.Mapping(), plugin.Field)
	if err != nil {
		t.Fatal(err)
	}
	// has are the texts that a template leaves out.
	has := func(found *templates.Templates) (left []bool) {
		for _, text := range []string{one, two, footer} {
			left = append(left, len(found.Scopes[0].Set.Runs(a.Hashes(nil, []byte(text)))) > 0)
		}
		return left
	}
	check := func(what string, got, want []bool) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: spam, piece and footer are left out: wanted %v, got %v", what, want, got)
		}
	}
	before := learn()
	check("without a mark", has(before), []bool{true, true, true})
	if len(before.Marked) > 0 {
		t.Errorf("wanted no passage of a mark, got %+v", before.Marked)
	}
	mark(t, x, "spam", admission.Spam, spam)
	mark(t, x, "wanted", admission.Wanted, footer)
	after := learn()
	check("with a mark", has(after), []bool{false, false, true})
	names := func(marked []templates.Marked) (words int) {
		for _, m := range marked {
			words += m.Words
			if m.Mark != "spam" || m.Scope != "" || !strings.Contains(spam, strings.Fields(m.Text)[m.Words/2]) {
				t.Errorf("wanted passages of the spam, got %+v", m)
			}
		}
		return words
	}
	if words := names(after.Marked); words < 80 || words > 90 {
		t.Errorf("wanted 80 words of the mark to be named, got %d", words)
	}
	for _, p := range after.Scopes[0].Passages {
		if !strings.Contains(p.Text, strings.TrimSpace(footer)) {
			t.Errorf("wanted the footer alone as a passage, got %q", p.Text)
		}
	}

	if marked, err := templates.Use(ctx, x, after); err != nil || len(marked) > 0 {
		t.Errorf("wanted no warning, got %+v, %v", marked, err)
	}
	marked, err := templates.Use(ctx, x, before)
	if words := names(marked); err != nil || words < 80 || words > 90 {
		t.Errorf("wanted a warning of 80 words, got one of %d: %+v, %v", words, marked, err)
	}
	used, err := templates.InUse(x, "")
	if err != nil {
		t.Fatal(err)
	}
	if scopes, err := templates.Without(x, used, two); err != nil || scopes != 1 {
		t.Errorf("wanted the piece to be in one template, got %d, %v", scopes, err)
	}
	check("without the piece", has(used), []bool{true, false, true})
	if _, err := templates.Use(ctx, x, used); err != nil {
		t.Fatal(err)
	}
	if used, err = templates.InUse(x, ""); err != nil {
		t.Fatal(err)
	}
	check("used without the piece", has(used), []bool{true, false, true})
	if scopes, err := templates.Without(x, used, two); err != nil || scopes != 0 {
		t.Errorf("wanted the piece to be in no template any more, got %d, %v", scopes, err)
	}
	for _, text := range []string{one, footer} {
		if _, err := templates.Without(x, used, text); err != nil {
			t.Fatal(err)
		}
	}
	if scopes := used.Scopes; len(scopes) > 0 && scopes[0].Set.Len() > 20 {
		t.Errorf("wanted nothing to be left, got %d shingles", scopes[0].Set.Len())
	}
}

// typed is the index of type neardup inside x.
func typed(x bleve.Index) *indextype.Index {
	n, err := plugin.Of(x)
	if err != nil {
		panic(err)
	}
	return n
}
