package plugin_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/near"
)

var (
	adversaryTimes = flag.Int("adversary.times", 1, "how many times as many documents BenchmarkAdversary writes")
	adversaryMB    = flag.Int("adversary.megabytes", 50, "the length of BenchmarkHuge's document")
)

// Documents that somebody writes to make others slow: each kind at n and at 4n, a tenth of that with -short. What
// takes more than ten times as long for four times as many is quadratic. A million of
// one word are
//
//	go test -run '^$' -bench 'Adversary/one_word$' -benchtime 1x -timeout 1h ./plugin -adversary.times 10
func BenchmarkAdversary(b *testing.B) {
	family := strings.Repeat("Buy one, get two; the offer of the week ends today. ", 4) + secretText("offer", 1)
	hour := time.Hour
	flood := []admission.Flood{{Copies: 3, Window: hour, Action: admission.Tag}}
	for _, kind := range []struct {
		name   string
		n      int
		policy *admission.Policy
		text   func(i int) string
	}{
		{"equal", 5000, nil, func(int) string { return family }},
		{"near", 5000, nil, func(i int) string { return fmt.Sprint(family, " number ", i) }},
		{"one word", 25_000, nil, func(i int) string { return fmt.Sprint("word", i) }},
		{"one word, tagged", 2500, &admission.Policy{Near: admission.Tag}, func(i int) string { return fmt.Sprint("word", i) }},
		{"equal, tagged", 1250, &admission.Policy{Near: admission.Tag}, func(int) string { return family }},
		{"equal, replaced", 1250, &admission.Policy{Near: admission.Replace}, func(int) string { return family }},
		{"equal, replaced in shadow", 1250, &admission.Policy{Near: admission.Replace, Shadow: true}, func(int) string { return family }},
		{"equal, refused", 5000, &admission.Policy{Near: admission.Reject}, func(int) string { return family }},
		{"equal, flood", 5000, &admission.Policy{Floods: []admission.Flood{{Copies: 3, Window: hour}}}, func(int) string { return family }},
		{"equal, flood tagged", 1250, &admission.Policy{Floods: flood}, func(int) string { return family }},
		{"near, flood tagged", 1250, &admission.Policy{Floods: flood, Near: admission.Tag}, func(i int) string { return fmt.Sprint(family, " number ", i) }},
	} {
		b.Run(kind.name, func(b *testing.B) {
			for range b.N {
				n := kind.n * *adversaryTimes
				if testing.Short() {
					n /= 10
				}
				less, more := attack(b, n, kind.policy, kind.text), attack(b, 4*n, kind.policy, kind.text)
				for what, took := range more {
					b.ReportMetric(float64(took.Microseconds())/1000, what+"-ms")
					if took > 10*less[what]+100*time.Millisecond {
						b.Errorf("%s: %v of %d documents, %v of %d", what, less[what], n, took, 4*n)
					}
				}
			}
		})
	}
}

// attack writes n documents, asks for their near-duplicates in all ways, and tells what
// processor time each takes, with what bleve does in the background meanwhile.
func attack(b *testing.B, n int, p *admission.Policy, text func(int) string) map[string]time.Duration {
	m := bleve.NewIndexMapping()
	m.DefaultMapping = bleve.NewDocumentStaticMapping()
	m.DefaultMapping.AddFieldMappingsAt("body", plugin.FieldMapping("neardup"))
	x := opened(b, "", m)
	if err := plugin.SetPolicy(context.Background(), x, p); err != nil {
		b.Fatal(err)
	}
	took := map[string]time.Duration{}
	measure := func(what string, do func() error) {
		start := neartest.CPU()
		if err := do(); err != nil {
			b.Fatalf("%s: %v", what, err)
		}
		took[what] = neartest.CPU() - start
	}
	measure("write", func() error {
		batch := x.NewBatch()
		for i := range n {
			if err := batch.Index(fmt.Sprint(i), map[string]any{"body": text(i)}); err != nil {
				return err
			}
			if batch.Size() == 500 || i == n-1 {
				if _, err := plugin.SubmitBatch(context.Background(), x, batch); err != nil {
					return err
				}
				batch.Reset()
			}
		}
		return nil
	})
	ctx, all := context.Background(), bleve.NewMatchAllQuery()
	measure("page", func() error {
		_, err := collapse.Search(ctx, x, bleve.NewSearchRequest(all), collapse.Options{Budget: 10 * n})
		return err
	})
	measure("whole", func() error {
		_, err := collapse.Search(ctx, x, bleve.NewSearchRequest(all), collapse.Options{Whole: true})
		return err
	})
	measure("similar", func() error {
		_, err := near.Similar(ctx, x, near.SimilarRequest{Query: near.SimilarQuery{Text: []string{text(0)}, MaxShare: 1}})
		return err
	})
	measure("groups", func() error {
		for _, err := range near.Groups(ctx, x, near.GroupsOptions{}) {
			if err != nil {
				return err
			}
		}
		return nil
	})
	return took
}

// A document of 50 MB, every word of which is another, of 5 MB with -short;
// -adversary.megabytes is for more.
func BenchmarkHuge(b *testing.B) {
	var text strings.Builder
	size := *adversaryMB << 20
	if testing.Short() {
		size /= 10
	}
	for i := 0; text.Len() < size; i++ {
		fmt.Fprintf(&text, "w%x ", uint64(i)*2654435761)
	}
	m := bleve.NewIndexMapping()
	m.DefaultMapping = bleve.NewDocumentStaticMapping()
	m.DefaultMapping.AddFieldMappingsAt("body", plugin.FieldMapping("neardup"))
	x := opened(b, "", m)
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if err := x.Index("huge", map[string]any{"body": text.String()}); err != nil {
			b.Fatal(err)
		}
	}
}

// Objects within objects, and arrays and fields, as many as a body of a hundred kilobytes has room for, are written.
func TestNestedDocuments(t *testing.T) {
	t.Parallel()
	x := opened(t, "", bodies())
	if err := plugin.SetPolicy(t.Context(), x, &admission.Policy{Near: admission.Tag, Scope: "a.a"}); err != nil {
		t.Fatal(err)
	}
	repeat := strings.Repeat
	for name, text := range map[string]string{
		"objects":        repeat(`{"a":`, 500) + `"one two three four five"` + repeat(`}`, 500),
		"arrays":         `{"body":` + repeat(`[`, 9000) + `"one two three four five"` + repeat(`]`, 9000) + `}`,
		"body in body":   repeat(`{"body":`, 500) + `"one two three four five"` + repeat(`}`, 500),
		"many values":    `{"body":["x"` + repeat(`,"one two three four five"`, 4000) + `]}`,
		"empty values":   `{"body":[""` + repeat(`,""`, 30_000) + `]}`,
		"reserved below": `{"x":{"~neardup.sketch":"x"}}`,
	} {
		var doc any
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
		if _, err := plugin.Submit(t.Context(), x, name, doc); err != nil {
			t.Errorf("%s, %d bytes: %v", name, len(text), err)
		}
	}
}
