package batch

import (
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
)

func init() {
	beam.RegisterDoFn(&exactFn{})
	register.Function4x1(equalFn)
	beam.RegisterDoFn(&keysFn{})
	register.Function3x0(sharedFn)
	register.Function1x2(byID)
	register.Function4x1(attachFn)
	beam.RegisterDoFn(&connectFn{})
}

// Edges returns pairs that meet the rule, as Edge, such that what any pairs that do would
// connect is connected by these.
func Edges(s beam.Scope, o Options, signed beam.PCollection) beam.PCollection {
	s = s.Scope("Edges")
	o = o.filled()
	equal := beam.GroupByKey(s, beam.ParDo(s, &exactFn{Rule: o.Rule}, signed))
	edges, distinct := beam.ParDo2(s, equalFn, equal)

	rows := beam.GroupByKey(s, beam.ParDo(s, &keysFn{Params: o.Params, Rule: o.Rule}, distinct))
	shared := beam.ParDo(s, sharedFn, rows)
	joined := beam.CoGroupByKey(s, beam.ParDo(s, byID, distinct), shared)
	buckets := beam.GroupByKey(s, beam.ParDo(s, attachFn, joined))
	near := beam.ParDo(s, &connectFn{Rule: o.Rule}, buckets)
	return beam.Flatten(s, edges, near)
}

// edge returns the Edge of two documents.
func edge(a, b string) Edge { return Edge{max(a, b), min(a, b)} }

// exactFn keys documents by the exact hash. Documents that are too short for the rule match
// nothing, and are left out.
type exactFn struct{ Rule signature.Rule }

// ProcessElement emits the exact hash of a document.
func (f *exactFn) ProcessElement(d Signed, emit func(int64, Signed)) error {
	sig, err := d.decode()
	if err == nil && f.Rule.Long(&sig) {
		emit(int64(sig.Exact), d)
	}
	return err
}

// equalFn connects the documents of one exact hash with the first, and emits of equal
// signatures one.
func equalFn(_ int64, docs func(*Signed) bool, edges func(Edge), distinct func(Signed)) error {
	seen := map[string]bool{}
	var first, d Signed
	for docs(&d) {
		switch {
		case first.ID == "":
			first = d
		case d.ID == first.ID:
			return fmt.Errorf("batch: document %q: wanted an id of its own, got it twice", d.ID)
		default:
			edges(edge(first.ID, d.ID))
		}
		if !seen[string(d.Signature)] {
			seen[string(d.Signature)] = true
			distinct(d)
		}
	}
	return nil
}

// keysFn emits the keys of a document.
type keysFn struct {
	Params signature.Params
	Rule   signature.Rule
	keys   *table.Keys
}

// Setup makes what keys are made with.
func (f *keysFn) Setup() { f.keys = Options{Params: f.Params, Rule: f.Rule}.keys() }

// ProcessElement emits the keys but that of the exact hash, which is done.
func (f *keysFn) ProcessElement(d Signed, emit func(int64, string)) error {
	sig, err := d.decode()
	if err != nil {
		return err
	}
	if id := f.Params.ID(); sig.Params != id {
		return fmt.Errorf("batch: document %q: params: wanted %08x, got %08x", d.ID, id, sig.Params)
	}
	for _, key := range f.keys.Append(nil, &sig)[1:] {
		emit(int64(key), d.ID)
	}
	return nil
}

// sharedFn emits the ids of a key that more than one has.
func sharedFn(key int64, ids func(*string) bool, emit func(string, int64)) {
	var first, id string
	for n := 0; ids(&id); n++ {
		if n == 0 {
			first = id
			continue
		}
		if n == 1 {
			emit(first, key)
		}
		emit(id, key)
	}
}

func byID(d Signed) (string, Signed) { return d.ID, d }

// attachFn emits a document for each key that it shares.
func attachFn(id string, docs func(*Signed) bool, keys func(*int64) bool, emit func(int64, Signed)) error {
	var d, other Signed
	if !docs(&d) || docs(&other) {
		return fmt.Errorf("batch: document %q: wanted an id of its own, got it twice", id)
	}
	var key int64
	for keys(&key) {
		emit(key, d)
	}
	return nil
}

// connectFn connects what meets the rule of the documents that share a key.
type connectFn struct{ Rule signature.Rule }

// ProcessElement emits, for each document that is connected with one before it, an edge
// to that with which the component begins.
func (f *connectFn) ProcessElement(ctx context.Context, _ int64, docs func(*Signed) bool, emit func(Edge)) error {
	var ids []string
	var all []signature.Signature
	var d Signed
	for docs(&d) {
		sig, err := d.decode()
		if err != nil {
			return err
		}
		ids, all = append(ids, d.ID), append(all, sig)
	}
	at := func(i int) (signature.Signature, bool) { return all[i], true }
	of, err := table.Connect(ctx, f.Rule, len(all), at, nil, nil, nil)
	if err != nil {
		return err
	}
	for i, root := range of {
		if int(root) != i {
			emit(edge(ids[i], ids[root]))
		}
	}
	return nil
}
