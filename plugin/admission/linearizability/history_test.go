// Package linearizability checks with porcupine, which is not of this project, that writes
// under a policy are linearizable: random programs are run by several clients at once, and
// what they saw must be what some order of their operations, one after the other, gives.
package linearizability

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

var (
	histories = flag.Int("histories", 0, "how many histories TestHistories records and checks; if 0, 300, or 60 with -short")
	seed      = flag.Uint64("seed", 1, "of the programs; the order in which they run is the scheduler's")
	kinds     = flag.String("kinds", "", "the operations that programs have, all if empty")
	under     = flag.Int("policy", -1, "the policy of all histories, of policies in model_test.go; -1 for each in turn")
	distinct  = flag.Int("ids", 5, "how many ids programs write")
	pause     = flag.Duration("pause", 300*time.Microsecond, "at most so long a write is held up before and after it comes into the index")
)

// TestHistories is the proof. The long run is
//
//	go test -run Histories -histories 5000 -timeout 2h .
func TestHistories(t *testing.T) {
	start, operations, onDisk := time.Now(), 0, 0
	many := *histories
	switch {
	case many == 0 && testing.Short():
		many = 60
	case many == 0:
		many = 300
	}
	for n := range uint64(many) {
		p := program{Rand: rand.New(rand.NewPCG(*seed, n)), policy: int(n) % len(policies)}
		if *under >= 0 {
			p.policy = *under
		}
		path := ""
		if n%20 == 19 {
			path = filepath.Join(t.TempDir(), "x")
			onDisk++
		}
		history := p.run(t, path)
		if t.Failed() {
			return
		}
		operations += len(history)
		result, info := porcupine.CheckOperationsVerbose(specification, history, time.Minute)
		if result == porcupine.Ok {
			continue
		}
		slices.SortFunc(history, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
		for _, op := range history {
			t.Logf("%9.3f to %9.3f ms, client %d: %v -> %v", float64(op.Call)/1e6, float64(op.Return)/1e6, op.ClientId, op.Input, op.Output)
		}
		longest := 0
		for _, part := range info.PartialLinearizations() {
			for _, order := range part {
				longest = max(longest, len(order))
			}
		}
		t.Fatalf("history %d of seed %d is not linearizable: %s; %d of %d operations have an order", n, *seed, result, longest, len(history))
	}
	t.Logf("%d histories, %d of them on disk, %d operations, all linearizable, in %v", many, onDisk, operations, time.Since(start).Round(time.Second))
}

// slow is the name under which scorch knows the callback that holds writes up.
const slow = "neardup_linearizability"

func init() {
	scorch.RegistryEventCallbacks[slow] = func(e scorch.Event) bool {
		if e.Kind == scorch.EventKindBatchIntroductionStart || e.Kind == scorch.EventKindBatchIntroduction {
			time.Sleep(time.Duration(rand.Int64N(int64(*pause) + 1)))
		}
		return true
	}
}

// permitted reports whether programs have an operation.
func permitted(kind string) bool {
	return *kinds == "" || slices.Contains(strings.Split(*kinds, ","), kind)
}

// program is what clients do to one index.
type program struct {
	*rand.Rand
	policy int
}

// run runs a program and returns what happened.
func (p *program) run(t *testing.T, path string) []porcupine.Operation {
	m := bleve.NewIndexMapping()
	tenant := bleve.NewTextFieldMapping()
	tenant.Analyzer = keyword.Name
	m.DefaultMapping.AddFieldMappingsAt("tenant", tenant)
	m.DefaultMapping.AddFieldMappingsAt("from", tenant)
	m.DefaultMapping.AddFieldMappingsAt("sent", bleve.NewDateTimeFieldMapping())
	m.DefaultMapping.AddFieldMappingsAt("body", bleve.NewTextFieldMapping(), plugin.FieldMapping(neardup.Name))
	x, err := bleve.NewUsing(path, m, indextype.Name, bleve.Config.DefaultKVStore, map[string]any{"eventCallbackName": slow})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	var lock sync.Mutex
	var history []porcupine.Operation
	start := time.Now()
	do := func(client int, in *input, f func() *output) {
		call := time.Since(start)
		out := f()
		end := time.Since(start)
		lock.Lock()
		defer lock.Unlock()
		history = append(history, porcupine.Operation{ClientId: client, Input: in, Call: int64(call), Output: out, Return: int64(end)})
	}
	first := &input{Kind: opSetPolicy, Policy: p.policy}
	do(0, first, func() *output { return perform(x, first, nil) })
	var all sync.WaitGroup
	for client := range 2 + p.IntN(3) {
		rnd := rand.New(rand.NewPCG(p.Uint64(), p.Uint64()))
		all.Go(func() {
			var last *input
			var sent *bleve.Batch
			for range 3 + rnd.IntN(5) {
				in := operation(rnd)
				again := last != nil && rnd.IntN(6) == 0
				if again { // the same batch, whatever became of it
					in = &input{Kind: []string{opSubmit, opBatch, opDryRun}[rnd.IntN(3)], Docs: last.Docs, Deletes: last.Deletes}
				}
				if in.Docs != nil && !again {
					b, err := batch(x, in)
					if err != nil {
						t.Error(err)
						return
					}
					sent, last = b, in
				}
				do(client, in, func() *output { return perform(x, in, sent) })
			}
		})
	}
	all.Wait()
	last := &input{Kind: opSearch}
	do(0, last, func() *output { return perform(x, last, nil) })
	return history
}

// operation makes up an operation.
func operation(rnd *rand.Rand) *input {
	in := new(input)
	for in.Kind == "" || !permitted(in.Kind) {
		in.Kind = []string{
			opSubmit, opSubmit, opSubmit, opSubmit, opBatch, opBatch, opBatch, opDelete, opDelete, opDryRun,
			opSearch, opSearch, opDocument, opMark, opUnmark, opSetPolicy,
		}[rnd.IntN(16)]
	}
	id := func(i int) string { return string(rune('a' + i)) }
	name := func() string { return id(rnd.IntN(*distinct)) }
	text := func() int { return rnd.IntN(len(texts)) }
	switch in.Kind {
	case opDelete:
		in.Deletes = []string{name()}
	case opDocument:
		in.Name = name()
	case opSetPolicy:
		in.Policy = rnd.IntN(len(policies))
	case opUnmark:
		in.Name = fmt.Sprint("m", rnd.IntN(2))
	case opMark:
		in.Name = fmt.Sprint("m", rnd.IntN(2))
		in.Mark = mark{[]admission.Label{admission.Spam, admission.Spam, admission.Wanted}[rnd.IntN(3)], text(), false}
	case opSubmit, opBatch, opDryRun:
		in.Docs = map[string]doc{}
		some := rnd.Perm(*distinct)
		size, chain := 1, rnd.IntN(3) == 0
		if rnd.IntN(3) == 0 || chain {
			size = min(2+rnd.IntN(3), *distinct)
		}
		for _, i := range some[:size] {
			d := doc{Text: text(), Tenant: []string{"", "", "t"}[rnd.IntN(3)], Sent: rnd.IntN(12) - 1}
			switch {
			case chain: // and copies of its parts
				d.Text = 8 + rnd.IntN(4)
			case rnd.IntN(20) == 0:
				d.Text = -1
			}
			in.Docs[id(i)] = d
		}
		if size > 1 && size < *distinct && rnd.IntN(3) == 0 {
			in.Deletes = []string{id(some[size])}
		}
	}
	return in
}

func batch(x bleve.Index, in *input) (*bleve.Batch, error) {
	b := x.NewBatch()
	for id, d := range in.Docs {
		data := map[string]any{}
		if d.Text >= 0 {
			data["body"] = texts[d.Text]
		}
		if d.Tenant != "" {
			data["tenant"] = d.Tenant
		}
		if from(id) != "" {
			data["from"] = from(id)
		}
		if d.Sent >= 0 {
			data["sent"] = time.Date(2020, 1, 1, d.Sent, 0, 0, 0, time.UTC).Format(time.RFC3339)
		}
		if err := b.Index(id, data); err != nil {
			return nil, err
		}
	}
	for _, id := range in.Deletes {
		b.Delete(id)
	}
	return b, nil
}

// perform carries an operation out.
func perform(x bleve.Index, in *input, b *bleve.Batch) *output {
	out := new(output)
	var err error
	switch in.Kind {
	case opSubmit:
		out.Verdicts, err = plugin.SubmitBatch(context.Background(), x, b)
	case opDryRun:
		out.Verdicts, err = plugin.DryRun(context.Background(), x, b)
	case opBatch:
		err = x.Batch(b)
		if refused := new(admission.Rejected); errors.As(err, &refused) {
			out.Verdicts, err = refused.Verdicts, nil
		}
	case opDelete:
		err = x.Delete(in.Deletes[0])
	case opSearch:
		out.Docs = map[string]stored{}
		r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 100, 0, false)
		r.Fields = []string{"body", "tenant", admission.TagField, admission.OfField, admission.GroupField}
		var res *bleve.SearchResult
		if res, err = x.Search(r); err != nil {
			break
		}
		for _, hit := range res.Hits {
			text := func(name string) string { s, _ := hit.Fields[name].(string); return s }
			out.Docs[hit.ID] = stored{slices.Index(texts, text("body")), text("tenant"), text(admission.TagField), text(admission.OfField), text(admission.GroupField)}
		}
	case opDocument:
		out.Docs = map[string]stored{}
		var d index.Document
		if d, err = x.Document(in.Name); err != nil || d == nil {
			break
		}
		s := stored{Text: -1}
		d.VisitFields(func(f index.Field) {
			switch f.Name() {
			case "body":
				s.Text = slices.Index(texts, string(f.Value()))
			case "tenant":
				s.Tenant = string(f.Value())
			case admission.TagField:
				s.Tag = string(f.Value())
			case admission.OfField:
				s.Of = string(f.Value())
			case admission.GroupField:
				s.Group = string(f.Value())
			}
		})
		out.Docs[in.Name] = s
	case opMark:
		err = typed(x).MarkText(context.Background(), in.Name, in.Mark.Label, texts[in.Mark.Text])
	case opUnmark:
		err = typed(x).Unmark(context.Background(), in.Name)
	case opSetPolicy:
		err = plugin.SetPolicy(context.Background(), x, policies[in.Policy])
	}
	if err != nil {
		out.Err = err.Error()
	}
	return out
}

// typed is the index of type neardup inside x.
func typed(x bleve.Index) *indextype.Index {
	n, err := plugin.Of(x)
	if err != nil {
		panic(err)
	}
	return n
}
