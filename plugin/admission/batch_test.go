package admission_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// BenchmarkBatch judges one batch of n copies, and of 4n, which may take no more than
// ten times as long. The figure is microseconds a document, signing included.
//
//	go test -run '^$' -bench Batch -benchtime 3x ./plugin/admission
func BenchmarkBatch(b *testing.B) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	hour := time.Hour
	family := "Buy one, get two; the offer of the week ends today, and nobody will ever see the like of it again. "
	for _, tt := range []struct {
		name   string
		policy admission.Policy
		near   bool
	}{
		{"equal, tagged", admission.Policy{Near: admission.Tag}, false},
		{"near, tagged", admission.Policy{Near: admission.Tag}, true},
		{"equal, replaced", admission.Policy{Near: admission.Replace, Time: "sent"}, false},
		{"equal, replaced in shadow", admission.Policy{Near: admission.Replace, Time: "sent", Shadow: true}, false},
		{"equal, flood tagged", admission.Policy{Time: "sent", Floods: []admission.Flood{{Copies: 3, Window: hour, Action: admission.Tag}}}, false},
		{"equal, of 50 scopes", admission.Policy{Near: admission.Tag, Scope: "tenant"}, false},
	} {
		b.Run(tt.name, func(b *testing.B) {
			var took [2]time.Duration
			for k, n := range []int{500, 2000} {
				x := newIndex(b, "")
				if err := plugin.SetPolicy(context.Background(), x, &tt.policy); err != nil {
					b.Fatal(err)
				}
				batch := x.NewBatch()
				for i := range n {
					p := page{id: fmt.Sprintf("%05d", i), sent: at.Add(time.Duration(i) * time.Second)}
					if p.body = family; tt.near {
						p.body = fmt.Sprint(family, family, family, " number ", i)
					}
					if tt.policy.Scope != "" {
						p.tenant = fmt.Sprint(i % 50)
					}
					if err := batch.Index(p.id, p.data()); err != nil {
						b.Fatal(err)
					}
				}
				start := time.Now()
				for range b.N {
					if _, err := plugin.DryRun(context.Background(), x, batch); err != nil {
						b.Fatal(err)
					}
				}
				took[k] = time.Since(start) / time.Duration(b.N)
				b.ReportMetric(float64(took[k].Microseconds())/float64(n), fmt.Sprintf("µs/doc-of-%d", n))
			}
			if took[1] > 10*took[0]+50*time.Millisecond {
				b.Errorf("%v of 500 copies, %v of 2000", took[0], took[1])
			}
		})
	}
}
