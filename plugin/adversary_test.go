package plugin_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/clusters"
	"github.com/neardup/bleve-neardup/plugin/similar"
)

// Documents that somebody writes to make others slow: each kind at n and at 4n. What
// takes more than ten times as long for four times as many is quadratic.
func BenchmarkAdversary(b *testing.B) {
	family := strings.Repeat("Buy one, get two; the offer of the week ends today. ", 4) + secretText("offer", 1)
	hour := admission.Duration(time.Hour)
	flood := &admission.Flood{Copies: 3, Window: hour, Action: admission.Tag}
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
		{"equal, refused", 5000, &admission.Policy{Near: admission.Reject}, func(int) string { return family }},
		{"equal, flood", 5000, &admission.Policy{Flood: &admission.Flood{Copies: 3, Window: hour}}, func(int) string { return family }},
		{"equal, flood tagged", 1250, &admission.Policy{Flood: flood}, func(int) string { return family }},
		{"near, flood tagged", 1250, &admission.Policy{Flood: flood, Near: admission.Tag}, func(i int) string { return fmt.Sprint(family, " number ", i) }},
	} {
		b.Run(kind.name, func(b *testing.B) {
			for range b.N {
				less, more := attack(b, kind.n, kind.policy, kind.text), attack(b, 4*kind.n, kind.policy, kind.text)
				for what, took := range more {
					b.ReportMetric(float64(took.Microseconds())/1000, what+"-ms")
					if took > 10*less[what]+100*time.Millisecond {
						b.Errorf("%s: %v of %d documents, %v of %d", what, less[what], kind.n, took, 4*kind.n)
					}
				}
			}
		})
	}
}

// attack writes n documents, asks for their near-duplicates in all ways, and tells how
// long each takes.
func attack(b *testing.B, n int, p *admission.Policy, text func(int) string) map[string]time.Duration {
	m := bleve.NewIndexMapping()
	m.DefaultMapping = bleve.NewDocumentStaticMapping()
	m.DefaultMapping.AddFieldMappingsAt("body", plugin.FieldMapping("neardup"))
	x, err := plugin.New("", m)
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	if err := plugin.SetPolicy(x, p); err != nil {
		b.Fatal(err)
	}
	took := map[string]time.Duration{}
	measure := func(what string, do func() error) {
		start := time.Now()
		if err := do(); err != nil {
			b.Fatalf("%s: %v", what, err)
		}
		took[what] = time.Since(start)
	}
	measure("write", func() error {
		batch := x.NewBatch()
		for i := range n {
			if err := batch.Index(fmt.Sprint(i), map[string]any{"body": text(i)}); err != nil {
				return err
			}
			if batch.Size() == 500 || i == n-1 {
				if _, err := plugin.SubmitBatch(x, batch); err != nil {
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
		_, err := similar.Search(ctx, x, similar.Request{Query: similar.Query{Text: []string{text(0)}, MaxShare: 1}})
		return err
	})
	measure("clusters", func() error {
		for _, err := range clusters.Of(ctx, x, clusters.Options{}) {
			if err != nil {
				return err
			}
		}
		return nil
	})
	return took
}

// A document of 50 MB, every word of which is another.
func BenchmarkHuge(b *testing.B) {
	var text strings.Builder
	for i := 0; text.Len() < 50<<20; i++ {
		fmt.Fprintf(&text, "w%x ", i*2654435761)
	}
	m := bleve.NewIndexMapping()
	m.DefaultMapping = bleve.NewDocumentStaticMapping()
	m.DefaultMapping.AddFieldMappingsAt("body", plugin.FieldMapping("neardup"))
	x, err := plugin.New("", m)
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if err := x.Index("huge", map[string]any{"body": text.String()}); err != nil {
			b.Fatal(err)
		}
	}
}
